package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// The golden file has one case a line: fingerprint, name as a JSON string, entry.
const goldenFingerprints = "../../testdata/fingerprints/golden.txt"

func TestGoldenFingerprints(t *testing.T) {
	f, err := os.Open(goldenFingerprints)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); n++ {
		parts := strings.SplitN(sc.Text(), "\t", 3)
		var name string
		if len(parts) != 3 || json.Unmarshal([]byte(parts[1]), &name) != nil {
			t.Fatalf("bad line %q", sc.Text())
		}
		if got := EntryFingerprint(name, json.RawMessage(parts[2])); string(got) != parts[0] {
			t.Errorf("%s %s: %s, want %s", name, parts[2], got, parts[0])
		}
	}
	if n < 10 {
		t.Errorf("only %d golden values", n)
	}
}

func TestFingerprintIgnoresOnlyForm(t *testing.T) {
	const plain = `{"command":"a","args":["1","é"],"env":{"A":"x","B":"y"},"timeout":30,"n":12000}`
	same := []string{
		` { "args" : [ "1" , "\u00e9" ], "command":"\u0061", "timeout":3e1, "n":1.2e+4,"env":{"B":"y","A":"x"}}`,
		`{"command":"a","args":["1","é"],"env":{"A":"x","B":"y"},"timeout":30.0,"n":12000.00}`,
	}
	for _, s := range same {
		if EntryFingerprint("n", json.RawMessage(s)) != EntryFingerprint("n", json.RawMessage(plain)) {
			t.Errorf("the form counts: %s", s)
		}
	}
	different := []string{
		`{"command":"a","args":["1 é"],"env":{"A":"x","B":"y"},"timeout":30,"n":12000}`,
		`{"command":"a","args":["é","1"],"env":{"A":"x","B":"y"},"timeout":30,"n":12000}`,
		`{"command":"a","args":["1","é"],"env":{"A":"x","B":"y"},"timeout":30,"n":12000,"x":null}`,
		`{"command":"a","args":["1","é"],"env":{"A":"x","B":"y"},"timeout":"30","n":12000}`,
		`{"command":"a","args":["1","é"],"env":{"A":"x=B","":"y"},"timeout":30,"n":12000}`,
		`{"command":"a","args":["1","é"],"env":{"A":"x","B":"y"},"timeout":30,"n":12000.0000000000000000001}`,
	}
	for _, s := range different {
		if EntryFingerprint("n", json.RawMessage(s)) == EntryFingerprint("n", json.RawMessage(plain)) {
			t.Errorf("a leaf does not count: %s", s)
		}
	}
	if EntryFingerprint("1:a", json.RawMessage(`{}`)) == EntryFingerprint("1", json.RawMessage(`":a"`)) {
		t.Error("name and entry run into one another")
	}
	order := func(s string) Fingerprint { return EntryFingerprint("n", json.RawMessage(s)) }
	if order(`{"toolExposure":{"a":"direct","b":"hidden"}}`) == order(`{"toolExposure":{"b":"hidden","a":"direct"}}`) {
		t.Error("the order inside toolExposure does not count")
	}
}

// mutate changes one random leaf or member of v.
func mutate(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		if len(keys) == 0 || r.IntN(6) == 0 {
			v[fmt.Sprintf("k%d", r.IntN(1e6))] = r.IntN(1e6)
			return v
		}
		k := keys[r.IntN(len(keys))]
		if r.IntN(6) == 0 {
			delete(v, k)
			return v
		}
		v[k] = mutate(r, v[k])
		return v
	case []any:
		if len(v) == 0 || r.IntN(4) == 0 {
			return append(v, fmt.Sprint(r.IntN(1e6)))
		}
		i := r.IntN(len(v))
		v[i] = mutate(r, v[i])
		return v
	case string:
		return v + string(rune('a'+r.IntN(26)))
	case float64:
		return v + 1 + float64(r.IntN(1000))
	case bool:
		return !v
	}
	return r.IntN(1e6) // null
}

func TestEveryLeafCounts(t *testing.T) {
	const entry = `{"type":"stdio","command":"npx","args":["-y","p@1",""],"env":{"A":"1","B":"${X}"},"cwd":"sub",
		"headers":{"H":"v"},"url":"https://h:1/p?q=1","timeout":30,"enabled":true,"oauth":{"scope":"a b","callbackPort":1},
		"toolExposure":{"t":"direct"},"x-unknown":{"deep":[null,{"y":[1,2,{"z":"s"}]}]}}`
	r := rand.New(rand.NewPCG(1, 2))
	want := EntryFingerprint("n", json.RawMessage(entry))
	for range 10000 {
		var v any
		if err := json.Unmarshal([]byte(entry), &v); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(mutate(r, v))
		if err != nil {
			t.Fatal(err)
		}
		if EntryFingerprint("n", raw) == want {
			t.Fatalf("not noticed: %s", raw)
		}
	}
}

func TestParseFingerprint(t *testing.T) {
	full := string(EntryFingerprint("a", json.RawMessage(`{}`)))
	if fp, ok := ParseFingerprint(full); !ok || string(fp) != full {
		t.Error("the full form is refused")
	}
	for _, s := range []string{"", "zzz", full[:20], full[7:], strings.ToUpper(full), full + "0", full[:len(full)-1], " " + full} {
		if _, ok := ParseFingerprint(s); ok {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestUnreadableEntriesDiffer(t *testing.T) {
	a, b := EntryFingerprint("n", []byte("\"\xef\"")), EntryFingerprint("n", []byte("\"\xee\""))
	if a == b {
		t.Errorf("two values that are not UTF-8 have the one fingerprint %s", a)
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.50,{"b":null}],"toolExposure":{"x":"y"}}`))
	f.Add([]byte(`-0.0e0`))
	f.Add([]byte(`1e999999999999`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := jsonc.Parse(raw); err != nil || !json.Valid(raw) {
			return // encoding/json takes bytes that are not UTF-8; the parser does not
		}
		fp := EntryFingerprint("n", raw)
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, raw, " ", "\t"); err != nil {
			return
		}
		if EntryFingerprint("n", spaced.Bytes()) != fp {
			t.Errorf("layout counts: %s", raw)
		}
		var once bytes.Buffer
		fingerprinted(&once).value(rootOf(t, raw), false)
		if !json.Valid(once.Bytes()) {
			t.Errorf("the canonical form is not JSON: %s", once.Bytes())
		}
		var twice bytes.Buffer
		fingerprinted(&twice).value(rootOf(t, once.Bytes()), false)
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("not idempotent: %s then %s", once.Bytes(), twice.Bytes())
		}
	})
}

func rootOf(t *testing.T, raw []byte) *jsonc.Node {
	t.Helper()
	doc, err := jsonc.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}
