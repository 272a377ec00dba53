package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// bodyTimeout is for a message to be here after its head: nobody who is on this machine
// needs longer, and what never ends would hold its session open.
const bodyTimeout = 30 * time.Second

// readMessage reads the body of a request and puts it back for who comes next. False: it
// was refused.
func readMessage(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(bodyTimeout)) // tests have none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		w.Header().Set("Connection", "close") // and the deadline stays: the server reads on to the body's end before it answers
	} else {
		_ = conn.SetReadDeadline(time.Time{})
	}
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		refuse(w, http.StatusRequestEntityTooLarge, "the message is too long")
		return nil, false
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, http.StatusRequestTimeout, "the message did not come to its end in time")
		return nil, false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the message did not come to its end")
		return nil, false
	}
	if id := oddID(body); id != nil {
		answerBad(w, id, jsonrpc.CodeInvalidRequest, idIsOdd)
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true
}

// idIsOdd is what a request is answered whose id the SDK would change: its sender would
// wait for an answer that another request gets.
const idIsOdd = "the id of a request is a text or a whole number within ±9007199254740991"

const maxID = 1<<53 - 1 // every number up to it can be told from its neighbours as a float64

// oddID is the id under which a request is refused that has an odd one, or a list with such
// a request; nil for all other messages.
func oddID(message []byte) json.RawMessage {
	if text := bytes.TrimLeft(message, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		var list []json.RawMessage
		_ = json.Unmarshal(text, &list) // what is none is refused by who reads it
		for _, m := range list {
			if oddID(m) != nil {
				return json.RawMessage("null")
			}
		}
		return nil
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method == nil || len(m.ID) == 0 || m.ID[0] == '"' {
		return nil
	}
	if m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		return json.RawMessage("null") // no type that an id may have
	}
	var n float64
	if json.Unmarshal(m.ID, &n) == nil && n == math.Trunc(n) && math.Abs(n) <= maxID {
		return nil
	}
	return m.ID
}
