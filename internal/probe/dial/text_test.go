package dial

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is no UTF-8 becomes it where it enters, on both ways, and is told of once.
func TestAnswersAreUTF8(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{jsonType, eventType} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				if m.Method != "tools/call" {
					return false
				}
				w.Header().Set("Content-Type", kind)
				format := "%s"
				if kind == eventType {
					format = "data: %s\n\n"
				}
				fmt.Fprintf(w, format, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"content":[{"type":"text","text":"a`+"\xff"+`b"}]}}`)
				return true
			})
			f := s.fixture(t)
			c := f.connect()
			for range 2 {
				got, err := c.CallTool(t.Context(), "echo", nil, 0)
				if err != nil || !utf8.Valid(got) || !json.Valid(got) || !strings.Contains(string(got), "a\ufffdb") {
					t.Errorf("%q %v", got, err)
				}
			}
		})
	}
}

func TestLinesAreUTF8(t *testing.T) {
	t.Parallel()
	var told []string
	p := newPipes(nil, nil, &voice{log: func(e Event) { told = append(told, e.Text) }})
	var got []string
	p.ledger.heard = nil
	go func() {
		defer close(p.closed)
		p.takeOne([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"x\":\"\xc0\"}}"))
		p.takeOne([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"b\",\"params\":{\"x\":\"\xc0\xc1\"}}"))
	}()
	for range 2 {
		m := <-p.incoming
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	<-p.closed
	if all := strings.Join(got, ""); !utf8.ValidString(all) || strings.Count(all, "\ufffd") != 2 {
		t.Errorf("%q", all)
	}
	if len(told) != 1 || !strings.Contains(told[0], "UTF-8") {
		t.Errorf("%q", told)
	}
}
