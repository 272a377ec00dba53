package jsonc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The texts of the benchmarks.
var bigDocuments = []struct {
	name string
	text func() []byte
}{
	{"own 5MB", func() []byte { return ownDocument(20, 8000) }},
	{"own 200KB", func() []byte { return ownDocument(1000, 4) }},
	{"foreign 5MB", func() []byte { return foreignDocument(5 << 20) }},
	{"foreign 40MB", func() []byte { return foreignDocument(40 << 20) }},
}

// ownDocument is a file with nothing but servers, which have many arguments.
func ownDocument(servers, arguments int) []byte {
	var b strings.Builder
	b.WriteString("{\n  \"mcpServers\": {\n")
	for i := range servers {
		fmt.Fprintf(&b, "    \"s%d\": {\n      \"command\": \"npx\", // runner\n      \"args\": [\n", i)
		for j := range arguments {
			fmt.Fprintf(&b, "        \"--flag-%d=some value\",\n", j)
		}
		b.WriteString("      ],\n    },\n")
	}
	b.WriteString("  }\n}\n")
	return []byte(b.String())
}

// foreignDocument is a file of about size bytes in which another program keeps its histories beside 20 servers.
func foreignDocument(size int) []byte {
	var b strings.Builder
	b.Grow(size + 1<<16)
	b.WriteString("{\n  \"userID\": \"0123456789abcdef\",\n  \"projects\": {")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%s\n    \"/home/u/src/p%d\": {\n      \"allowedTools\": [],\n      \"history\": [", strings.Repeat(",", min(i, 1)), i)
		for j := range 100 {
			fmt.Fprintf(&b, "%s\n        {\n          \"display\": \"look at \\\"file %d\\\" and say why it fails – %s\",\n          \"pastedContents\": {},\n          \"at\": %d\n        }",
				strings.Repeat(",", min(j, 1)), j, strings.Repeat("text that was pasted, ", 10), 1700000000+j)
		}
		b.WriteString("\n      ]\n    }")
	}
	b.WriteString("\n  },\n  \"mcpServers\": {")
	for i := range 20 {
		fmt.Fprintf(&b, "%s\n    \"s%d\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"server-%d\"]\n    }", strings.Repeat(",", min(i, 1)), i, i)
	}
	b.WriteString("\n  }\n}\n")
	return []byte(b.String())
}

// BenchmarkParse reads what a listing needs.
func BenchmarkParse(b *testing.B) {
	for _, doc := range bigDocuments {
		src := doc.text()
		b.Run(doc.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := Parse(src)
				if err != nil {
					b.Fatal(err)
				}
				for _, m := range d.Root().Get("mcpServers").Members() {
					m.Value.Raw()
				}
			}
		})
	}
}

func BenchmarkSet(b *testing.B) {
	for _, doc := range bigDocuments {
		src := doc.text()
		b.Run(doc.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := Parse(src)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := d.Set(server, json.RawMessage(two)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
