package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Results that are too long for a model: what is cut, what is not, and how a client
// without a shell gets at the rest.

// TestServeLongStructuredContent: it is cut like text, but for a tool that promises it.
func TestServeLongStructuredContent(t *testing.T) {
	t.Parallel()
	data := `{"rows":"` + strings.Repeat("a", 15<<10) + strings.Repeat("b", 15<<10) + `"}`
	alone := `{"content":[],"structuredContent":` + data + `}`
	twice := `{"content":[{"type":"text","text":` + quote(t, data) + `}],"structuredContent":` + data + `}`
	beside := `{"content":[{"type":"text","text":"One row."}],"structuredContent":` + data + `}`
	failed := `{"content":[],"isError":true,"structuredContent":` + data + `}`
	short := `{"content":[{"type":"text","text":` + quote(t, strings.Repeat("c", 30<<10)) + `}],"structuredContent":{"n":1}}`
	server := func(result string, more ...string) string {
		args, err := json.Marshal(append([]string{"-tools", "x", "-raw-result", result}, more...))
		if err != nil {
			t.Fatal(err)
		}
		return `{"command":"stub-server","args":` + string(args) + `}`
	}
	promise := []string{"-output-schema", `{"type":"object"}`}
	everyWay(t, func(p *place) {
		p.write(p.userFile(), `{"mcpServers":{"alone":`+server(alone)+`,"twice":`+server(twice)+`,"beside":`+server(beside)+`,"short":`+server(short)+
			`,"alone-p":`+server(alone, promise...)+`,"twice-p":`+server(twice, promise...)+`,"failed-p":`+server(failed, promise...)+`}}`)
	}, nil, func(t *testing.T, p *place, c *gatewayClient) {
		for _, row := range []struct {
			server    string
			has       bool // its structuredContent, whole
			from, end string
		}{
			{"alone", false, `{"rows":"aaa`, `bbb"}`}, {"twice", false, `{"rows":"aaa`, `bbb"}`}, {"beside", false, "One row.\n{\"rows\":\"aaa", `bbb"}`},
			{"short", true, "ccc", "ccc"},
			{"alone-p", true, "", ""}, {"twice-p", true, `{"rows":"aaa`, `bbb"}`}, {"failed-p", false, `{"rows":"aaa`, `bbb"}`},
		} {
			res, err := c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: row.server + "__x"})
			if err != nil {
				t.Fatal(row.server, err)
			}
			text := textOf(res)
			if len(text) > 21<<10 || !strings.HasPrefix(text, row.from) || !strings.HasSuffix(text, row.end) {
				t.Errorf("%s: %d bytes of text, %.40s", row.server, len(text), text)
			}
			if (res.StructuredContent != nil) != row.has {
				t.Errorf("%s: structuredContent is there: %t", row.server, !row.has)
			}
			if id, _ := res.Meta["mcpctl/outputId"].(string); (id != "") != (row.from != "") || !strings.Contains(text, id) {
				t.Errorf("%s: the output is %q", row.server, id)
			}
		}
	})
}

// TestServeOutputAsResource: the client that got a cut text reads the whole of it in pages,
// and no other client does.
func TestServeOutputAsResource(t *testing.T) {
	t.Parallel()
	var numbers strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&numbers, "%d€\n", i)
	}
	whole := numbers.String()
	everyWay(t, func(p *place) {
		p.write(p.userFile(), `{"mcpServers":{"echo":{"command":"echo-server"}}}`)
	}, nil, func(t *testing.T, p *place, c *gatewayClient) {
		res, err := c.cs.CallTool(c.ctx(), &mcp.CallToolParams{Name: "echo__echo", Arguments: map[string]any{"text": whole}})
		if err != nil {
			t.Fatal(err)
		}
		id, _ := res.Meta["mcpctl/outputId"].(string)
		first := "mcpctl://output/" + id
		if text := textOf(res); !strings.Contains(text, "mcpctl output "+id) || !strings.Contains(text, first) {
			t.Fatalf("the cut text does not say where the rest is: %.99s", text)
		}
		var got strings.Builder
		pages := 0
		for uri := first; uri != ""; pages++ {
			read, err := c.cs.ReadResource(c.ctx(), &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Fatal(uri, err)
			}
			if read.Contents[0].URI != uri || len(read.Contents[0].Text) > 20<<10 {
				t.Errorf("%s: %s has %d bytes", uri, read.Contents[0].URI, len(read.Contents[0].Text))
			}
			got.WriteString(read.Contents[0].Text)
			uri = ""
			if len(read.Contents) > 1 {
				if uri = read.Contents[1].URI; !strings.Contains(read.Contents[1].Text, uri) {
					t.Errorf("%q does not name %s", read.Contents[1].Text, uri)
				}
			}
		}
		if got.String() != whole || pages < 3 {
			t.Errorf("%d pages, %d bytes of %d", pages, got.Len(), len(whole))
		}
		for uri, want := range map[string]string{
			first + "?from=-1": "from", first + "?from=x": "from", first + "?from=99999999": "from", first + "?to=3": "from", first + "/x": "", "mcpctl://output/": "",
		} {
			if _, err := c.cs.ReadResource(c.ctx(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", uri, err)
			}
		}
		other := p.serveStdio("2025-11-25", "other")
		if read, err := other.cs.ReadResource(c.ctx(), &mcp.ReadResourceParams{URI: first}); err == nil {
			t.Errorf("another client reads %d bytes", len(read.Contents[0].Text))
		}
	})
}
