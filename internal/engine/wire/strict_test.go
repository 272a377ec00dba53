package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestKeysTwice: whatever a request interprets has each key once; what it passes on it
// does not look into.
func TestKeysTwice(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{MethodList, `{"session":"a","session":"a"}`, "'session' stands twice"},
		{MethodList, `{"session":"a","sess\u0069on":"a"}`, "'session' stands twice"},
		{MethodList, `{"Session":"a"}`, "it is written 'session'"},
		{MethodList, `{"ſession":"a"}`, "it is written 'session'"}, // encoding/json folds it
		{MethodList, `{"session":"a","novelty":{"x":1,"x":2}}`, ""},
		{MethodList, `{"session":"a","novelty":1,"novelty":1}`, "'novelty' stands twice"},
		{MethodList, `[]`, "an object is wanted"},
		{MethodList, `{"session":1}`, "'session' cannot be a JSON number"},
		{MethodHello, `{"client":{"name":"x","name":"y"}}`, "'client.name' stands twice"},
		{MethodHello, `{"client":{"Name":"x"}}`, "'client.Name'; it is written 'name'"},
		{MethodHello, `{"client":{"name":"x","more":1},"capabilities":{}}`, ""},
		{MethodHello, `{"protocol":{"min":1,"max":1,"min":2}}`, "'protocol.min' stands twice"},
		{MethodRemove, `{"name":"a","expectfingerprint":"f"}`, "it is written 'expectFingerprint'"},
		{MethodRemove, `{"name":"a","expectFingerprints":"f"}`, "there is no 'expectFingerprints'"},
		{MethodAdd, `{"name":"a","entry":{"a":1,"a":2}}`, ""}, // the store refuses that
		{MethodUpdate, `{"name":"a","set":{"a":1,"a":2}}`, "'a' stands twice"},
		{MethodUpdate, `{"name":"a","set":{"a":1,"b":{"c":1,"c":1}}}`, ""},
		{MethodUpdate, `{"name":"a","set":[]}`, "an object is wanted"},
		{MethodCallTool, `{"server":"a","arguments":{"a":1,"a":2}}`, ""},
		{MethodGetPrompt, `{"server":"a","arguments":{"a":"1","a":"2"}}`, "'arguments.a' stands twice"},
		{MethodGetPrompt, `{"server":"a","arguments":{"a":"1","A":"2"}}`, ""},
		{"mcp.other", `{"session":"a","x":1}`, ""},
	} {
		m, _ := MethodNamed(tt.method)
		of := m.Params
		if of == nil {
			of = reflect.TypeFor[InSession]()
		}
		got := ""
		if err := (Request{Method: tt.method, Params: json.RawMessage(tt.params)}).Decode(reflect.New(of).Interface()); err != nil {
			got = err.Error()
			if FromError(err).Word != Usage {
				t.Errorf("%s %s: %v", tt.method, tt.params, err)
			}
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.params, got, tt.want)
		}
	}
}

// TestEnvelopeTwice: a message that says two things, or is no request of JSON-RPC 2.0
// as it is written, is not carried out, also by methods that read no parameters; the connection lives on.
func TestEnvelopeTwice(t *testing.T) {
	a, b := net.Pipe()
	handled := make(chan string, 10)
	server := NewConn(context.Background(), b, handlerOf(func(ctx context.Context, r Request) {
		handled <- r.Method
		r.Reply(ctx, r.Method, nil)
	}))
	defer server.Close()
	_ = a.SetDeadline(time.Now().Add(time.Minute))
	answers := json.NewDecoder(a)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{},"params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1,"x":1}}`,
		`{"jsonrpc":"2.0","id":1,"Method":"a"}`,
		`{"jsonrpc":"2.0","ID":1,"method":"a"}`,
		`{"JSONRPC":"2.0","id":1,"method":"a"}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","Params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"a","params":"x"}`,
		`{"id":1,"method":"a"}`,
		`{"jsonrpc":"1.0","id":1,"method":"a"}`,
		`{"jsonrpc":2.0,"id":1,"method":"a"}`,
	} {
		go a.Write([]byte(line + "\n"))
		var m struct {
			ID    int
			Error *struct{ Data Error } `json:"error"`
		}
		if err := answers.Decode(&m); err != nil || m.ID != 1 || m.Error == nil || m.Error.Data.Word != Usage {
			t.Errorf("%s: %+v, %v", line, m, err)
		}
	}
	go a.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"c","params":{"x":{"y":1,"y":1}},"more":1}` + "\n"))
	var m struct{ Result string }
	if err := answers.Decode(&m); err != nil || m.Result != "c" {
		t.Errorf("%+v, %v", m, err)
	}
	if len(handled) != 1 {
		t.Errorf("%d requests were handled", len(handled))
	}
}

func TestUnknownMethodHasACode(t *testing.T) {
	c := pair(t, handlerOf(func(ctx context.Context, r Request) { r.UnknownMethod(ctx) }))
	err := c.Call(context.Background(), "mcp.login", nil, nil)
	var e *Error
	if !errors.As(err, &e) || e.Word != SupervisorProtocol || !strings.Contains(e.Text, "mcp.login") {
		t.Errorf("%v", err)
	}
}

func TestFieldsKeepTheirOrder(t *testing.T) {
	const text = `{"z":1,"a.b":{"y": [1,2],"x":null},"m":"<&>"}`
	var f Fields
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	if len(f) != 3 || f[0].Path != "z" || f[1].Path != "a.b" || string(f[1].Value) != `{"y": [1,2],"x":null}` || f[2].Path != "m" {
		t.Errorf("%q", f)
	}
	again, err := json.Marshal(f)
	var back Fields
	if err != nil || json.Unmarshal(again, &back) != nil || len(back) != 3 || back[2].Path != "m" {
		t.Errorf("%s, %v", again, err)
	}
}

// FuzzMembers compares with encoding/json, which takes the last of a key.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{`{}`, ` { "a" : 1 , "b" : [ { "c" : "}\"]" } , 2 ] , "d\\" : null } `, `{"a":{"a":{}},"\u0061":-1.5e+3}`, `[1]`, `"x"`, `{"":""}`, `{"a":"\\"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil {
			want = nil
		}
		got := map[string]json.RawMessage{}
		for key, value := range members(data) {
			if !json.Valid(value) {
				t.Fatalf("%q: the value of %q is %q", data, key, value)
			}
			got[key] = value
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d members, want %d", data, len(got), len(want))
		}
		for key, value := range want {
			if string(got[key]) != string(value) {
				t.Fatalf("%q: %q is %q, want %q", data, key, got[key], value)
			}
		}
	})
}
