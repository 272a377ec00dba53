package supervisor

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

const oddForm = `{"type":"object","properties":{"name":{"type":"string","minLength":2,"maxLength":4},"n":{"type":"integer","minimum":1,"maximum":9,"default":3},
	"ok":{"type":"boolean"},"e":{"type":"string","enum":["a","b"]},"o":{"oneOf":[{"const":"x","title":"X"}]},"mail":{"type":"string","format":"email"},
	"day":{"type":"string","format":"date"},"at":{"type":"string","format":"date-time"},"u":{"type":"string","format":"uri"},
	"many":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"p"},{"const":"q"}]}},"odd":7,"free":{"type":["string","null"]}},"required":["name","n"]}`

func TestFits(t *testing.T) {
	for content, why := range map[string]string{
		`{"name":"Bob"}`:                     "",
		`{"name":"ÄÖÜß","n":9,"ok":false}`:   "",
		`{"name":"Bob","more":[1]}`:          "",
		`{"name":"Bob","odd":1,"free":null}`: "",
		`{"name":"Bob","e":"a","o":"x","mail":"a@b.example","day":"2026-07-28","at":"2026-07-28T12:00:00Z","u":"https://x.example","many":["p","q"]}`: "",
		``:                              "'name' of the reply is needed",
		`{}`:                            "'name' of the reply is needed",
		`{"name":7}`:                    "is no string",
		`{"name":null}`:                 "is no string",
		`{"name":"B"}`:                  "too short",
		`{"name":"Bobby"}`:              "too long",
		`{"name":"Bob","n":1.5}`:        "is no integer",
		`{"name":"Bob","n":10}`:         "out of its range",
		`{"name":"Bob","n":1e300}`:      "",
		`{"name":"Bob","ok":"yes"}`:     "is no boolean",
		`{"name":"Bob","e":"c"}`:        "none of the choices",
		`{"name":"Bob","o":{}}`:         "none of the choices",
		`{"name":"Bob","mail":"x"}`:     "is no email",
		`{"name":"Bob","day":"today"}`:  "is no date",
		`{"name":"Bob","at":"noon"}`:    "is no date-time",
		`{"name":"Bob","u":"example"}`:  "is no uri",
		`{"name":"Bob","many":[]}`:      "too few",
		`{"name":"Bob","many":["z"]}`:   "holds a value that is none",
		`{"name":"Bob","many":[["z"]]}`: "holds a value that is none",
	} {
		err := fits(json.RawMessage(oddForm), json.RawMessage(content))
		switch {
		case content == `{"name":"Bob","n":1e300}`:
			wantCode(t, err, wire.Usage)
		case why == "" && err != nil:
			t.Errorf("%s: %v", content, err)
		case why != "":
			if e := wantCode(t, err, wire.Usage); !strings.Contains(e.Text, why) {
				t.Errorf("%s: %s", content, e.Text)
			}
		}
	}
	if err := fits(json.RawMessage(`{"properties":[]}`), nil); err != nil {
		t.Errorf("a schema that makes no sense: %v", err)
	}
}

// TestWrongReplyLeavesTheQuestionOpen for a better one.
func TestWrongReplyLeavesTheQuestionOpen(t *testing.T) {
	p := newPlace(t)
	c := p.session(t, map[string][]string{"s": {"-elicit", "form"}})
	c.OnElicit(func(_ context.Context, q wire.Elicitation) wire.ElicitReply {
		for _, wrong := range []string{`{}`, `{"name":1}`} {
			_, err := asks[struct{}](t, c, wire.MethodElicitReply, wire.ElicitReply{ID: q.ID, Action: "accept", Content: json.RawMessage(wrong)})
			wantCode(t, err, wire.Usage)
		}
		return wire.ElicitReply{Action: "accept", Content: json.RawMessage(`{"name":"right"}`)}
	})
	got, err := c.CallTool(t.Context(), wire.CallTool{Session: inDefault, Server: "s", Tool: "echo", Elicit: true})
	if err != nil || !strings.Contains(string(got.Result), "right") {
		t.Errorf("%s %v", got.Result, err)
	}
}
