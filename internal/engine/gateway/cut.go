package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// outputKey is where a cut result says under which id the whole is kept.
const outputKey = "mcpctl/outputId"

// cutting says how a result is cut.
type cutting struct {
	promised bool // the client was told an outputSchema, which a result without structuredContent does not fit
	readable bool // the client can read the output as a resource
}

// answer is a result of a tool, taken apart as far as cutting needs it.
type answer struct {
	IsError    bool              `json:"isError"`
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent"`
	Meta       json.RawMessage   `json:"_meta"`
}

// cutResult cuts the middle out of a text that is too long for a model to be given whole
// (design §12), and tells whether it did. All text becomes the first piece of content that
// was text; what is no text, and what is short, stays as it is. structuredContent cannot be
// cut and be what it was: one that is too long becomes text, unless its schema was promised.
// A result that was not recorded is not cut.
func cutResult(in wire.CallResult, how cutting) (json.RawMessage, bool) {
	if in.OutputID == nil || len(in.Result) <= record.ShownText {
		return in.Result, false
	}
	var a answer
	if json.Unmarshal(in.Result, &a) != nil {
		return in.Result, false
	}
	drops := len(a.Structured) > record.ShownText && (a.IsError || !how.promised)
	texts, size := a.texts(drops)
	if !drops && size <= record.ShownText {
		return in.Result, false
	}
	where := "mcpctl output " + *in.OutputID
	if drops && a.saysMore() {
		where += " --json" // which has more than the text
	}
	if how.readable {
		where += ", or the resource " + outputURI(*in.OutputID, 0)
	}
	cut := record.CutMiddle(texts, func(missing int) string {
		return fmt.Sprintf("[... %d characters are left out here; the whole text: %s]", missing, where)
	})
	out := in.Result
	if drops {
		out = without(out, "structuredContent")
	}
	out = put(out, "content", array(a.content(strings.Join(cut, ""))))
	if membersOf(a.Meta) == nil {
		a.Meta = json.RawMessage("{}")
	}
	return put(out, "_meta", put(a.Meta, outputKey, quoted(*in.OutputID))), true
}

// texts are the pieces of the text, with a line end between two, and how long they are. With
// structured the structuredContent is one of them, unless a text says the same.
func (a *answer) texts(structured bool) (texts []string, size int) {
	add := func(text string) {
		if len(texts) > 0 {
			texts = append(texts, "\n")
			size++
		}
		texts = append(texts, text)
		size += len(text)
	}
	said := false
	for _, raw := range a.Content {
		if text, ok := textIn(raw); ok {
			add(text)
			said = said || structured && says(text, a.Structured)
		}
	}
	if structured && len(a.Structured) > 0 && !said {
		add(string(a.Structured))
	}
	return texts, size
}

// saysMore tells whether there is text, and structuredContent says something else.
func (a *answer) saysMore() bool {
	texts, _ := a.texts(false)
	all, _ := a.texts(true)
	return len(texts) > 0 && len(all) > len(texts)
}

// content is the content with this text in the place of its first, and no other.
func (a *answer) content(text string) []json.RawMessage {
	kept := []json.RawMessage{}
	placed := false
	for _, raw := range a.Content {
		if _, ok := textIn(raw); !ok {
			kept = append(kept, raw)
		} else if !placed {
			placed = true
			kept = append(kept, put(raw, "text", quoted(text)))
		}
	}
	if !placed {
		kept = append(kept, put(json.RawMessage(`{"type":"text"}`), "text", quoted(text)))
	}
	return kept
}

// textIn is the text of a piece of content; false: it is none.
func textIn(raw json.RawMessage) (string, bool) {
	var c struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &c) != nil || c.Type != "text" {
		return "", false
	}
	return c.Text, true
}

// says tells whether a text is a value, as it is or as JSON. One that a library has wrapped
// in an object of one member to make an object of it counts as what it wraps.
func says(text string, value json.RawMessage) bool {
	want, ok := valueOf(value)
	if !ok {
		return false
	}
	wants := []any{want}
	if object, ok := want.(map[string]any); ok && len(object) == 1 {
		for _, inner := range object {
			wants = append(wants, inner)
		}
	}
	got, isJSON := valueOf([]byte(text))
	return slices.ContainsFunc(wants, func(want any) bool { return reflect.DeepEqual(want, text) || isJSON && reflect.DeepEqual(got, want) })
}

func valueOf(text []byte) (v any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil && !dec.More()
}
