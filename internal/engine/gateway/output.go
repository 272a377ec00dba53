package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// The whole of a result that was cut, for a client that has no shell: a resource that it
// reads in pages, each as long as a text that is not cut. Its URI names the next one.

// outputPrefix begins the URI of an output; its id follows.
const outputPrefix = "mcpctl://output/"

// outputURI is that of an output's text from a byte on.
func outputURI(id string, from int) string {
	if from == 0 {
		return outputPrefix + id
	}
	return outputPrefix + id + "?from=" + strconv.Itoa(from)
}

// splitOutputURI undoes outputURI, as far as the id; query is what stands behind it.
func splitOutputURI(uri string) (id, query string, ok bool) {
	rest, ok := strings.CutPrefix(uri, outputPrefix)
	id, query, _ = strings.Cut(rest, "?")
	return id, query, ok
}

// maxOutputs bounds the outputs that one client can read.
const maxOutputs = 1000

// outputs are the ids of those that one client was given, the newest of them: what other
// clients called is not its business.
type outputs struct {
	mu    sync.Mutex
	given map[string]bool
	order []string
}

func (s *outputs) note(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given = map[string]bool{}
	}
	s.given[id] = true
	s.order = append(s.order, id)
	if len(s.order) > maxOutputs {
		delete(s.given, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *outputs) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given[id]
}

// isOutput tells whether a URI is of an output that this client was given. Any other may
// be of a server, such as a gateway behind this one.
func (o *offer) isOutput(uri string) bool {
	id, _, ok := splitOutputURI(uri)
	return ok && o.outputs.has(id)
}

// readOutput answers with one page of the text of an output.
func (o *offer) readOutput(ctx context.Context, r request, uri string) (mcp.Result, error) {
	id, query, _ := splitOutputURI(uri)
	from, ok := fromOf(query)
	if !ok {
		return nil, invalid("behind the id of an output stands nothing, or ?from= and a number")
	}
	found, err := call[wire.Output](ctx, o.up, wire.MethodReadOutput, func(string) any { return wire.ReadOutput{ID: id} })
	if err != nil {
		return nil, failure(err)
	}
	var a answer
	if err := json.Unmarshal(found.Result, &a); err != nil {
		return nil, failure(err)
	}
	texts, size := a.texts(true)
	if from > size {
		return nil, invalid(fmt.Sprintf("from is at most %d: the text ends there", size))
	}
	return r.result(page(uri, id, strings.Join(texts, ""), from), nil)
}

// fromOf is the place that a query names, in bytes.
func fromOf(query string) (int, bool) {
	if query == "" {
		return 0, true
	}
	values, err := url.ParseQuery(query)
	if err != nil || len(values) != 1 || len(values["from"]) != 1 {
		return 0, false
	}
	from, err := strconv.ParseUint(values["from"][0], 10, 31)
	return int(from), err == nil
}

// page is the result with the text from a byte on; where more follows a second piece tells
// what to read next.
func page(uri, id, text string, from int) json.RawMessage {
	from = before(text, from)
	to := len(text)
	if to-from > record.ShownText {
		to = before(text, from+record.ShownText)
	}
	contents := []mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: text[from:to]}}
	if to < len(text) {
		next := outputURI(id, to)
		contents = append(contents, mcp.ResourceContents{URI: next, MIMEType: "text/plain",
			Text: fmt.Sprintf("[... %d characters follow: read the resource %s]", utf8.RuneCountInString(text[to:]), next)})
	}
	return encoded(map[string]any{"contents": contents})
}

// before is where the character begins that a byte belongs to.
func before(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
