package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// outputKey is where a cut result says under which id the whole is kept.
const outputKey = "mcpctl/outputId"

// cutResult cuts the middle out of a text that is too long for a model to be given whole
// (design §12). All text becomes the first piece of content that was text; what is no
// text, and what is short, stays as it is. One that was not recorded is not cut.
func cutResult(in wire.CallResult) json.RawMessage {
	if in.OutputID == nil || len(in.Result) <= record.ShownText {
		return in.Result
	}
	var result map[string]json.RawMessage
	var content []json.RawMessage
	if json.Unmarshal(in.Result, &result) != nil || json.Unmarshal(result["content"], &content) != nil {
		return in.Result
	}
	var texts []string
	first, size := -1, 0
	kept := []json.RawMessage{}
	for _, raw := range content {
		var c struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &c) != nil || c.Type != "text" {
			kept = append(kept, raw)
			continue
		}
		if first < 0 {
			first = len(kept)
			kept = append(kept, raw)
		} else {
			texts = append(texts, "\n")
		}
		texts = append(texts, c.Text)
		size += len(c.Text) + 1
	}
	if size-1 <= record.ShownText {
		return in.Result
	}
	cut := record.CutMiddle(texts, func(missing int) string {
		return fmt.Sprintf("[... %d characters are left out here; the whole text: mcpctl output %s]", missing, *in.OutputID)
	})
	kept[first] = put(kept[first], "text", quoted(strings.Join(cut, "")))
	out := put(in.Result, "content", array(kept))
	meta := result["_meta"]
	if membersOf(meta) == nil {
		meta = json.RawMessage("{}")
	}
	return put(out, "_meta", put(meta, outputKey, quoted(*in.OutputID)))
}
