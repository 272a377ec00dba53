package store

import (
	"slices"
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
		"legacy":             {`{"allowLegacy":1}`, "'oauth.allowLegacy' is true or false"},
		"algorithm":          {`{"signingAlgorithm":"none"}`, `unknown oauth.signingAlgorithm "none"`},
		"two-keys":           {`{"privateKey":"a","privateKeyFile":"b"}`, "exclude each other"},
		"empty-key-file":     {`{"privateKeyFile":""}`, "'oauth.privateKeyFile' is empty"},
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
	  "grant":"client_credentials","allowPrivate":true,"allowLegacy":true,"privateKey":"${KEY}","signingAlgorithm":"ES256","x-more":[1]}}}}`
	want := &OAuth{
		ClientID: "id", ClientSecret: "${SECRET}", ClientName: "me", CallbackPort: 8100, CallbackURL: "http://127.0.0.1:8100/cb",
		Scope: "a b", ClientRegistration: RegisterDCR, ClientMetadataURL: "https://h/c.json", AuthServerMetadataURL: "http://[::1]:9/as",
		Account: "work", Grant: GrantClient, AllowPrivate: true, AllowLegacy: true, PrivateKey: "${KEY}", SigningAlgorithm: "ES256",
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
	if row.Entry.Definition.OAuth.AllowPrivate || row.Entry.Definition.OAuth.AllowLegacy || len(row.Entry.Problems) != 2 || !strings.Contains(row.Entry.Problems[0].Message, "not honoured") {
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

// TestOAuthResolved: a Launch has the values of the sign-in, and masks them.
func TestOAuthResolved(t *testing.T) {
	w := newWorld(t)
	w.env["SECRET"], w.env["KEY"] = "s-value-1", "k-value-1"
	w.user(`{"mcpServers":{"o":{"url":"https://h/","auth":{"type":"oauth","credentialId":"c1"},
	  "oauth":{"clientSecret":"${SECRET}","privateKeyFile":"~/k.pem"}},"k":{"url":"https://h/","oauth":{"privateKey":"!show ${KEY}"}}}}`)
	c := w.open().Load()
	resolve := func(name string, run Runner) Launch {
		t.Helper()
		a, err := c.Admit(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := a.ResolveWith(c.Store.Env, run)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := resolve("o", nil)
	if l.OAuth.ClientSecret != "s-value-1" || l.CredentialID != "c1" || l.OAuth.PrivateKeyFile != c.Store.Places.Home+"/k.pem" ||
		!slices.Contains(l.Secrets, "s-value-1") {
		t.Errorf("%+v", l)
	}
	l = resolve("k", func(v CommandValue) (string, error) { return "k-value-2", nil })
	if l.OAuth.PrivateKey != "k-value-2" || l.Sends() || !slices.Contains(l.Secrets, "k-value-2") {
		t.Errorf("%+v", l)
	}
	w.user(`{"mcpServers":{"o":{"url":"https://h/","oauth":{"clientSecret":"${NOT_SET}"}}}}`)
	a, err := w.open().Load().Admit("o")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Resolve(c.Store.Env); code(err) != CodeInvalid || !strings.Contains(err.Error(), "NOT_SET is not set, used in oauth.clientSecret") {
		t.Error(err)
	}
}
