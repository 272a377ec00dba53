package commands

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestEntriesTopic: every field that the schema of files knows is explained.
func TestEntriesTopic(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties map[string]any
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(mcpSchema), &schema); err != nil {
		t.Fatal(err)
	}
	fields := schema.Defs["server"].Properties
	if len(fields) < 15 {
		t.Fatalf("the schema has only %d fields", len(fields))
	}
	for field := range fields {
		if !strings.Contains(entriesTopic, "\n  "+field+" ") && field != "disabled" {
			t.Errorf("the topic does not explain %s", field)
		}
	}
	for _, line := range strings.Split(entriesTopic, "\n") {
		if len(line) > 96 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}
