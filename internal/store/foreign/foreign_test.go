package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestVariable(t *testing.T) {
	for words, want := range map[string]string{"docs_apiKey": "DOCS_API_KEY", "x-y": "X_Y", "1a": "V_1A", "": "V", "ключ": "V", "A B": "A_B"} {
		if got := Variable(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}

// TestRegistryInputs: what the user has to give is a reference, text that looks like one
// stays text, and a command is never made of data.
func TestRegistryInputs(t *testing.T) {
	for _, c := range []struct{ packages, want string }{
		{`"packageArguments":[{"type":"positional","value":"${HOME}"}]`, `["-y","p@1","$${HOME}"]`},
		{`"packageArguments":[{"type":"positional","value":"!rm"}]`, `["-y","p@1","${:-!}rm"]`},
		{`"packageArguments":[{"type":"named","name":"--dir","value":"{d}/x","variables":{"d":{"default":"/tmp"}}}]`, `["-y","p@1","--dir","${S_D:-/tmp}/x"]`},
		{`"packageArguments":[{"type":"named","name":"--key","isRequired":true,"description":"k"}]`, `["-y","p@1","--key","${S_KEY}"]`},
		{`"packageArguments":[{"type":"named","name":"--fast"}]`, `["-y","p@1","--fast"]`},
		{`"packageArguments":[{"type":"positional","valueHint":"x"}]`, `["-y","p@1"]`},
		{`"packageArguments":[{"type":"positional","default":"a}b"}]`, `["-y","p@1","a}b"]`},
	} {
		o, err := Registry([]byte(`{"name":"n/s","packages":[{"registryType":"npm","identifier":"p","version":"1",`+c.packages+`}]}`), "")
		if err != nil {
			t.Fatal(c.packages, err)
		}
		var e struct{ Args json.RawMessage }
		if err := json.Unmarshal(o.Entry, &e); err != nil || string(e.Args) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.packages, e.Args, c.want, err)
		}
	}
}

// TestBombs: a bundle that unpacks to too much is refused by what it says, and, where it
// lies, by what comes out.
func TestBombs(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "x", UncompressedSize64: bundleLimit + 1}); err != nil {
		t.Fatal(err)
	}
	_ = z.Close()
	if _, err := OpenArchive(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil || !strings.Contains(err.Error(), "2 GiB") {
		t.Error(err)
	}
	left := int64(10)
	if _, err := io.Copy(io.Discard, &bounded{r: strings.NewReader(strings.Repeat("x", 11)), left: &left}); err == nil {
		t.Error("more than is left was read")
	}
}

// noBundle is where a manifest comes from that runs no files of its bundle.
var noBundle = Bundle{Dir: "/d", GOOS: "linux", Has: func(string) bool { return false }}

// TestDefaults: what a default says is put in once, and folders alone are looked up in it.
func TestDefaults(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{`{"a":{"default":"${user_config.a}"}}`, `"$${user_config.a}"`},
		{`{"a":{"default":"${HOME}/${user_config.b}"},"b":{}}`, `"${HOME}/$${user_config.b}"`},
		{`{"a":{"default":["${user_config.a}","${HOME}"]}}`, `"$${user_config.a}","${HOME}"`},
	} {
		o, err := Manifest([]byte(`{"name":"m","server":{"mcp_config":{"command":"x","args":["${user_config.a}"],"env":{"A-B":"${user_config.a}"}}},"user_config":`+c.config+`}`), noBundle)
		if want := `"args":[` + c.want + `]`; err != nil || !strings.Contains(string(o.Entry), want) {
			t.Errorf("%s: %s, want %s (%v)", c.config, o.Entry, want, err)
		}
	}
}

// TestNamesOfVariables: a key of env that is no name of a variable does not become one.
func TestNamesOfVariables(t *testing.T) {
	o, err := Manifest([]byte(`{"name":"m","server":{"mcp_config":{"command":"x","env":{"A-B":"${user_config.a}"}}},"user_config":{"a":{"default":"d"}}}`), noBundle)
	if want := `{"A-B":"${A_B:-d}"}`; err != nil || !strings.Contains(string(o.Entry), want) {
		t.Errorf("%s, want %s (%v)", o.Entry, want, err)
	}
}

// TestOneReading: a document that readers take differently is refused; what is not read,
// and the names of variables, may be called anything.
func TestOneReading(t *testing.T) {
	const way = `[{"type":"sse","url":"https://h.example"}]`
	for document, right := range map[string]bool{
		`{"name":"n","remotes":` + way + `,"REMOTES":` + way + `}`:                                            false,
		`{"name":"n","remotes":` + way + `,"remotes":` + way + `}`:                                            false,
		`{"name":"n","remotes":[{"type":"sse","url":"https://h.example","Url":"https://i.x"}]}`:               false,
		`{"server":{"name":"n","Remotes":` + way + `},"_meta":{}}`:                                            false,
		`{"name":"n","remotes":` + way + `,"_meta":{"URL":1,"url":2}}`:                                        true,
		`{"name":"n","remotes":[{"type":"sse","url":"https://h.example","variables":{"Name":{},"NAME":{}}}]}`: true,
	} {
		if _, err := Registry([]byte(document), ""); (err == nil) != right {
			t.Errorf("%s: %v", document, err)
		}
	}
	for config, right := range map[string]bool{
		`{"command":"x","Command":"y"}`:               false,
		`{"command":"x","env":{"A":"1","A":"2"}}`:     false,
		`{"command":"x","env":{"path":"","PATH":""}}`: true,
	} {
		if _, err := Manifest([]byte(`{"name":"m","server":{"mcp_config":`+config+`}}`), noBundle); (err == nil) != right {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// TestRuntimeHint: what runs a package is a program's name, and no command or reference.
func TestRuntimeHint(t *testing.T) {
	for hint, right := range map[string]bool{"bunx": true, "python3.12": true, "!reboot": false, "${EVIL}": false, "-c": false, "a b": false, "./x": false, "a;b": false} {
		if _, err := Registry([]byte(`{"name":"n","packages":[{"registryType":"npm","identifier":"p","runtimeHint":"`+hint+`"}]}`), ""); (err == nil) != right {
			t.Errorf("%s: %v", hint, err)
		}
	}
}

// TestGrowth: a document that repeats what it says is refused before it is large.
func TestGrowth(t *testing.T) {
	const levels = 24
	nested := `{"default":"x"}`
	for range levels {
		nested = `{"value":"{a}{a}{a}{a}","variables":{"a":` + nested + `}}`
	}
	o, err := Registry([]byte(`{"name":"n/s","remotes":[{"type":"sse","url":"https://h.example/{a}","variables":{"a":`+nested+`}}]}`), "")
	if err != nil || len(o.Entry) > 1000 {
		t.Errorf("%d bytes, %v", len(o.Entry), err)
	}
	long := strings.Repeat("x", 2000)
	_, err = Registry([]byte(`{"name":"n/s","remotes":[{"type":"sse","url":"https://h.example/`+strings.Repeat("{a}", 2000)+`","variables":{"a":{"default":"`+long+`"}}}]}`), "")
	if err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Error(err)
	}
	_, err = Manifest([]byte(`{"name":"m","server":{"mcp_config":{"command":"x","args":["`+strings.Repeat("${user_config.a}", 2000)+`"]}},"user_config":{"a":{"default":"`+long+`"}}}`), noBundle)
	if err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Error(err)
	}
}

// TestManifestLimit: a manifest is small.
func TestManifestLimit(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create(ManifestName)
	_, _ = w.Write(bytes.Repeat([]byte(" "), manifestLimit+1))
	_ = z.Close()
	a, err := OpenArchive(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Manifest(); err == nil {
		t.Error("read")
	}
}

// FuzzOffers: whatever is offered is an object, or an error; nothing else happens.
func FuzzOffers(f *testing.F) {
	for _, seed := range []string{
		`{"name":"n/s","packages":[{"registryType":"npm","identifier":"p","packageArguments":[{"type":"named","name":"-a","value":"{b}"}]}]}`,
		`{"name":"n/s","remotes":[{"type":"sse","url":"https://{a}/","variables":{"a":{}}}]}`,
		`{"manifest_version":"0.3","name":"m","server":{"type":"uv","entry_point":"a.py"}}`,
		`{"dxt_version":"0.1","name":"m","server":{"mcp_config":{"command":"${__dirname}/x","args":["${user_config.a}"],"env":{"A":"${/}"}}},"user_config":{"a":{"default":["x"]}}}`,
		`vscode:mcp/install?%7B%22command%22%3A%22x%22%7D`,
		`cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=e30`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(o Offer, err error) {
			var m map[string]json.RawMessage
			if err == nil && (json.Unmarshal(o.Entry, &m) != nil || m == nil) {
				t.Errorf("offers %q", o.Entry)
			}
		}
		check(Registry(data, ""))
		check(Manifest(data, noBundle))
		check(Link(string(data)))
	})
}
