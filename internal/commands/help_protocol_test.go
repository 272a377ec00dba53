package commands

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// wireConstants are the values of the constants of wire whose names begin so.
func wireConstants(t *testing.T, prefix string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	files, err := filepath.Glob("../engine/wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) == 0 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
				return true
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
				text, _ := strconv.Unquote(lit.Value)
				out[text] = true
			}
			return true
		})
	}
	return out
}

// sections are the parts of the page by their headings, methods and all.
func sections() map[string]string {
	out := map[string]string{}
	name := ""
	for _, paragraph := range strings.Split(protocolTopic, "\n\n") {
		if topicHeading.MatchString(paragraph) || topicPart.MatchString(paragraph) {
			name = paragraph
			out[name] = "" // also of one that says nothing
			continue
		}
		out[name] += paragraph + "\n\n"
	}
	return out
}

// TestProtocolIsWhole: every method, notification, code and field has its place on the
// page.
func TestProtocolIsWhole(t *testing.T) {
	parts := sections()
	methods := wireConstants(t, "Method")
	if len(methods) < 25 {
		t.Fatalf("only %d methods were found", len(methods))
	}
	for name := range methods {
		if _, ok := wire.MethodNamed(name); !ok {
			t.Errorf("%s has no row in wire's table of methods", name)
		}
		if parts[name] == "" {
			t.Errorf("%s has no section", name)
		}
	}
	for name := range wireConstants(t, "Notify") {
		if !strings.Contains(parts["NOTIFICATIONS"], "\n"+name) && !strings.HasPrefix(parts["NOTIFICATIONS"], name) {
			t.Errorf("the notification %s is not told of", name)
		}
	}
	for _, row := range wire.Codes() {
		if row.Code != "" && !regexp.MustCompile(`(?m)^  `+string(row.Code)+` `).MatchString(parts["ERRORS"]) {
			t.Errorf("the code %s is not told of", row.Code)
		}
	}
	for _, state := range states {
		if !hasWord(parts["DOCUMENTS"], string(state)) {
			t.Errorf("the state %s is not told of", state)
		}
	}
	for _, m := range wire.Methods() {
		if m.Session != (m.Params != nil && hasField(m.Params, "session")) {
			t.Errorf("%s: its row is wrong about the session", m.Name)
		}
		if got := strings.HasPrefix(parts[m.Name], "edit."); got != m.Edit {
			t.Errorf("%s: edit is %v in the table and %v on the page", m.Name, m.Edit, got)
		}
		told(t, m.Name, parts[m.Name], m.Params)
		result := parts[m.Name]
		if strings.Contains(result, m.Result.Name()+" document") {
			result = parts["DOCUMENTS"]
		}
		told(t, m.Name, result, m.Result)
	}
	told(t, "the data of an error", parts["ERRORS"], reflect.TypeFor[wire.Error]())
	for _, of := range []reflect.Type{reflect.TypeFor[wire.Progress](), reflect.TypeFor[wire.Elicitation](), reflect.TypeFor[wire.Cancel](),
		reflect.TypeFor[wire.Sample](), reflect.TypeFor[wire.Over](), reflect.TypeFor[wire.ListChanged](), reflect.TypeFor[wire.Resource](), reflect.TypeFor[wire.Message]()} {
		told(t, of.Name(), parts["NOTIFICATIONS"], of)
	}
}

func hasField(of reflect.Type, name string) bool {
	for _, f := range reflect.VisibleFields(of) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return true
		}
	}
	return false
}

func hasWord(text, word string) bool {
	return regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(word) + `($|[^\w-])`).MatchString(text)
}

// told wants the fields of a type in a section, and those of its parts on the page.
func told(t *testing.T, what, section string, of reflect.Type) {
	t.Helper()
	for of != nil && (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice) {
		of = of.Elem()
	}
	if of == nil || of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[wire.Error]().PkgPath() {
		return
	}
	for _, f := range reflect.VisibleFields(of) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "" || tag == "-" {
			continue // embedded, its fields are visible; or it does not cross the socket
		}
		if !hasWord(section, tag) {
			t.Errorf("%s: the field %s of %s is not told of", what, tag, of.Name())
		}
		told(t, what, protocolTopic, f.Type)
	}
}

// TestProtocolExamples: each message of the page fits its type, and no field is made up.
func TestProtocolExamples(t *testing.T) {
	asked := map[string]string{}
	n := 0
	for _, message := range regexp.MustCompile(`(?m)^  ([<>]) (\{.*(?:\n     .*)*)`).FindAllStringSubmatch(protocolTopic, -1) {
		n++
		text := strings.Join(strings.Fields(message[2]), " ")
		var m struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			Result  json.RawMessage `json:"result"`
			Error   *struct {
				Code    int             `json:"code"`
				Message string          `json:"message"`
				Data    json.RawMessage `json:"data"`
			} `json:"error"`
		}
		if !reads(t, text, []byte(text), &m) {
			continue
		}
		row, _ := wire.MethodNamed(m.Method)
		var body json.RawMessage
		var of reflect.Type
		switch {
		case m.Method == wire.NotifyStatus && m.ID == nil:
			body, of = m.Params, reflect.TypeFor[wire.Status]()
		case m.Method != "":
			asked[string(m.ID)] = m.Method
			body, of = m.Params, row.Params
		case m.Error != nil:
			body, of = m.Error.Data, reflect.TypeFor[wire.Error]()
		default:
			row, _ = wire.MethodNamed(asked[string(m.ID)])
			body, of = m.Result, row.Result
		}
		if of == nil || asked[string(m.ID)] == "" && m.ID != nil || (message[1] == ">") != (m.Method != "" && m.ID != nil) {
			t.Errorf("not a message of the protocol: %s", text)
			continue
		}
		reads(t, text, body, reflect.New(of).Interface())
	}
	if n < 15 {
		t.Errorf("only %d examples were found", n)
	}
}

func reads(t *testing.T, text string, data []byte, v any) bool {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Errorf("%v: %s", err, text)
		return false
	}
	return true
}
