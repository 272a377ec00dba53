package record

import (
	"encoding/json"
	"testing"
)

// BenchmarkSave is what recording adds to a call with a short answer.
func BenchmarkSave(b *testing.B) {
	s := NewOutputs(b.TempDir())
	defer s.Close()
	o := Output{Workspace: "/w", Server: "e", Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`),
		Result: json.RawMessage(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"text":"x"}}`)}
	for b.Loop() {
		if _, err := s.Save(o); err != nil {
			b.Fatal(err)
		}
	}
}
