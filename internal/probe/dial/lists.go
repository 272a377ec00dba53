package dial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The bounds of a list (design §9.2).
const (
	maxPages     = 1000
	maxListBytes = 64 << 20 // of all pages together
	maxItems     = 100_000
	listTimes    = 10 // a whole list may take so many times what one page may
)

// page is one answer to a list method, in the server's bytes.
type page struct {
	items []json.RawMessage
	next  string // "" at the end
	bytes int
}

// pages follows the cursors of a list to its end and gives every page to take. A
// cursor that comes again, more than 1000 pages, or more than ten times the entry's
// timeout for all of them, is an error (design §9.2).
// what is as in "tools".
func (c *Conn) pages(ctx context.Context, what string, get func(ctx context.Context, cursor string) (page, error), take func(page)) error {
	cursor, seen := "", map[string]bool{}
	bytes, items := 0, 0
	limit := listTimes * c.launch.Timeout
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for range maxPages {
		seen[cursor] = true
		p, err := get(bounded, cursor)
		if err != nil && bounded.Err() != nil && ctx.Err() == nil {
			return c.voice.fail(CodeTimeout, "the server's list of "+what+" did not come to its end within "+span(limit), timeoutHint)
		}
		if err != nil {
			return err
		}
		bytes += p.bytes
		items += len(p.items)
		if bytes > maxListBytes || items > maxItems {
			return c.voice.fail(CodeConnectFailed, "the server's list of "+what+" is endless", "")
		}
		take(p)
		if p.next == "" {
			return nil
		}
		if seen[p.next] {
			return c.voice.fail(CodeConnectFailed, "the server's list of "+what+" repeats the page '"+cut(c.voice.quote(p.next), 80)+"'", "")
		}
		cursor = p.next
	}
	return c.voice.fail(CodeConnectFailed, fmt.Sprintf("the server's list of %s has more than %d pages", what, maxPages), "")
}

// page asks for one page of a list whose items stand under key.
func (c *Conn) page(ctx context.Context, method, key, what string, send func(context.Context) error) (page, error) {
	a := c.asking(method, json.RawMessage(`{"`+key+`":[]}`), c.launch.Timeout)
	a.send = func(ctx context.Context, _ string) error { return send(ctx) }
	o, err := c.do(ctx, a)
	if err != nil {
		return page{}, err
	}
	if o.failure != nil {
		return page{}, c.refusedList(method, o)
	}
	return c.readPage(o.result, key, what)
}

// readPage reads an answer whose items stand under key.
func (c *Conn) readPage(raw json.RawMessage, key, what string) (page, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return page{}, c.voice.fail(CodeConnectFailed, "the server's list of "+what+" makes no sense", "")
	}
	p := page{bytes: len(raw)}
	err := json.Unmarshal(orNull(members[key]), &p.items)
	if err == nil {
		p.next, err = cursorIn(members["nextCursor"])
	} else {
		err = errors.New("'" + key + "' is no list")
	}
	if err != nil {
		return page{}, c.voice.fail(CodeConnectFailed, "the server's list of "+what+" makes no sense: "+err.Error(), "")
	}
	return p, nil
}

// cursorIn reads the cursor of the next page; "" and null end the list (B163).
func cursorIn(raw json.RawMessage) (string, error) {
	var next *string
	if err := json.Unmarshal(orNull(raw), &next); err != nil {
		return "", errors.New("nextCursor is no string")
	}
	if next == nil {
		return "", nil
	}
	return *next, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// refusedList is the error for a list method that the server refused.
func (c *Conn) refusedList(method string, o outcome) *Error {
	err := c.voice.fail(CodeConnectFailed, "the server refused "+method+": "+c.voice.quote(o.failure.Message), "")
	return c.voice.answered(err, o)
}
