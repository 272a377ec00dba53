package store

import (
	"strings"
	"testing"
)

// TestLockKeysThatFold: a key that encoding/json takes for another would bring in a
// record that no reader of the file, and no check of ours, has looked at (A4).
func TestLockKeysThatFold(t *testing.T) {
	const hash = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	whole := func(tool string) string {
		return `{"lockfileVersion":1,"servers":{"a":{"fingerprint":"` + hash + `","protocolVersion":"1","server":{"name":"n","version":"1"},"tools":{` + tool + `}}}}`
	}
	good := `"t":{"hash":"` + string(EntryFingerprint("t", []byte(`{"name":"t"}`))) + `","definition":{"name":"t"}}`
	if _, err := parseLock("/mcp.lock.json", []byte(whole(good))); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		strings.Replace(whole(good), `"tools":{`, `"Tools":{"t":{"hash":"`+hash+`","definition":{"name":"evil"}}},"tools":{`, 1),
		strings.Replace(whole(good), `"tools":{`, `"tool\u017f":{"t":{"hash":"`+hash+`"}},"tools":{`, 1),
		strings.Replace(whole(good), `"protocolVersion"`, `"Fingerprint":"`+hash+`","protocolVersion"`, 1),
		strings.Replace(whole(good), `"definition"`, `"HASH":"`+hash+`","definition"`, 1),
		strings.Replace(whole(good), `"definition"`, `"Definition":{},"definition"`, 1),
		strings.Replace(whole(good), `"version":"1"`, `"version":"1","Version":"2"`, 1),
		strings.Replace(whole(good), `{"name":"n"`, `{"name":"n","name":"m"`, 1),
		strings.Replace(whole(good), `"servers"`, `"Servers":{},"servers"`, 1),
	} {
		if l, err := parseLock("/mcp.lock.json", []byte(bad)); err == nil || !strings.Contains(err.Error(), `the key "`) {
			t.Errorf("%s: %+v, %v", bad, l, err)
		}
	}
}
