package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOAuthFaults(t *testing.T) {
	for name, tt := range map[string]struct{ oauth, want string }{
		"list":               {`[]`, "'oauth' is an object, found array"},
		"client-id":          {`{"clientId":7}`, "'oauth.clientId' is a string, found number"},
		"empty-client-id":    {`{"clientId":" "}`, "'oauth.clientId' is empty"},
		"empty-account":      {`{"account":""}`, "'oauth.account' is empty"},
		"secret":             {`{"clientSecret":null}`, "'oauth.clientSecret' is a string, found null"},
		"port-text":          {`{"callbackPort":"80"}`, "'oauth.callbackPort' is not a port"},
		"port-zero":          {`{"callbackPort":0}`, "'oauth.callbackPort' is not a port"},
		"port-large":         {`{"callbackPort":65536}`, "'oauth.callbackPort' is not a port"},
		"port-huge":          {`{"callbackPort":1e400}`, "'oauth.callbackPort' is not a port"},
		"port-broken":        {`{"callbackPort":80.5}`, "'oauth.callbackPort' is not a port"},
		"callback-elsewhere": {`{"callbackUrl":"http://evil.example/cb"}`, "'oauth.callbackUrl' is not an http URL of this machine"},
		"callback-query":     {`{"callbackUrl":"http://localhost/cb?x=1"}`, "'oauth.callbackUrl' is not an http URL of this machine"},
		"callback-user":      {`{"callbackUrl":"http://a@localhost/cb"}`, "'oauth.callbackUrl' is not an http URL of this machine"},
		"callback-ports":     {`{"callbackUrl":"http://localhost:81/cb","callbackPort":80}`, "'oauth.callbackPort' is not the port of 'oauth.callbackUrl'"},
		"metadata-http":      {`{"clientMetadataUrl":"http://localhost/c.json"}`, "'oauth.clientMetadataUrl' is not an https URL"},
		"as-http":            {`{"authServerMetadataUrl":"http://as.example/"}`, "'oauth.authServerMetadataUrl' is not an https URL"},
		"registration":       {`{"clientRegistration":"none"}`, `unknown oauth.clientRegistration "none"`},
		"cimd-with-id":       {`{"clientRegistration":"cimd","clientId":"x"}`, "exclude each other"},
		"grant":              {`{"grant":"password"}`, `unknown oauth.grant "password"`},
		"private":            {`{"allowPrivate":"yes"}`, "'oauth.allowPrivate' is true or false"},
		"twice":              {`{"scope":"a","scope":"b"}`, `the key "oauth.scope" stands twice`},
		"case":               {`{"clientid":"a"}`, `the key "oauth.clientid" differs from 'oauth.clientId' only by case`},
		"long-s":             {"{\"\u017fcope\":\"a\"}", "differs from 'oauth.scope' only by case"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.user(`{"mcpServers":{"bad":{"url":"https://h/","oauth":` + tt.oauth + `}}}`)
			c := w.open().Load()
			if got := strings.Join(faults(c, "bad"), "; "); !strings.Contains(got, tt.want) {
				t.Errorf("faults are %q, want %q", got, tt.want)
			}
			if _, err := c.Admit("bad"); code(err) != CodeInvalid {
				t.Errorf("Admit(bad): %v", err)
			}
		})
	}
}

func TestOAuthRead(t *testing.T) {
	const text = `{"mcpServers":{"o":{"url":"https://h/","oauth":{"clientId":"id","clientSecret":"${SECRET}","clientName":"me",
	  "callbackPort":8.1e3,"callbackUrl":"http://127.0.0.1:8100/cb","scope":"a b","clientRegistration":"dcr",
	  "clientMetadataUrl":"https://h/c.json","authServerMetadataUrl":"http://[::1]:9/as","account":"work",
	  "grant":"client_credentials","allowPrivate":true,"x-more":[1]}}}}`
	want := &OAuth{
		ClientID: "id", ClientSecret: "${SECRET}", ClientName: "me", CallbackPort: 8100, CallbackURL: "http://127.0.0.1:8100/cb",
		Scope: "a b", ClientRegistration: RegisterDCR, ClientMetadataURL: "https://h/c.json", AuthServerMetadataURL: "http://[::1]:9/as",
		Account: "work", Grant: GrantClient, AllowPrivate: true,
	}
	w := newWorld(t)
	w.user(text)
	if diff := cmp.Diff(want, w.open().Load().Rows[0].Entry.Definition.OAuth); diff != "" {
		t.Error(diff)
	}
	masked := string(w.open().Load().Rows[0].Entry.Masked())
	if !strings.Contains(masked, `"${SECRET}"`) {
		t.Errorf("the reference is not shown: %s", masked)
	}

	// A repository cannot lift the guard of discovery, nor run a command for a secret.
	w = newWorld(t)
	w.project(text)
	row := w.open().Load().Rows[0]
	if row.Entry.Definition.OAuth.AllowPrivate || len(row.Entry.Problems) != 1 || !strings.Contains(row.Entry.Problems[0].Message, "not honoured") {
		t.Errorf("allowPrivate of a project file: %+v", row.Entry.Problems)
	}
	w.project(`{"mcpServers":{"o":{"url":"https://h/","oauth":{"clientSecret":"!pass show x"}}}}`)
	if got := strings.Join(faults(w.open().Load(), "o"), ""); !strings.Contains(got, "'!command' value in 'oauth.clientSecret'") {
		t.Error(got)
	}
	w.user(`{"mcpServers":{"o":{"url":"https://h/","oauth":{"clientSecret":"literal-value-1"}}}}`)
	w.project(`{}`)
	if masked := string(w.open().Load().Rows[0].Entry.Masked()); strings.Contains(masked, "literal-value-1") {
		t.Errorf("the secret is shown: %s", masked)
	}
}
