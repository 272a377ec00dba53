package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryStateIsReached: for each state of a server there is a script that waits for
// it or finds it in a document, so that none is only a word.
func TestEveryStateIsReached(t *testing.T) {
	source := read(t, "../../internal/engine/wire/status.go")
	states := regexp.MustCompile(`State\s*= "([a-z-]+)"`).FindAllStringSubmatch(source, -1)
	if len(states) < 14 {
		t.Fatalf("only %d states were found", len(states))
	}
	scripts, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, script := range scripts {
		data, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for _, state := range states {
		asserted := regexp.MustCompile(`(?m)^(wait-state \S+|json \S+ \.servers\[[^\]]*\]\.state) ` + state[1] + `( \d+)?$`)
		if !asserted.MatchString(all.String()) {
			t.Errorf("no script reaches the state %s", state[1])
		}
	}
}
