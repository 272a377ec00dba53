package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON returns the document with Text applied to each string, keys included, with the strings and numbers under
// credential-named keys hidden, and with lists of arguments masked as Args does. What is not hidden stays byte by byte;
// the result is valid JSON. What is not JSON comes back as one JSON string of its masked text; nothing stays nothing.
// The literals of `env` and `headers` objects are not known to be secrets here: pass those through Values.
// Source: design section 14.
func (m *Mask) JSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return quoted(m.Text(string(raw)))
	}
	d := document{mask: m, raw: raw}
	d.out.Grow(len(raw))
	d.value(place{})
	d.blanks()
	return d.out.Bytes()
}

// JSON is Mask.JSON without known values. Source: design section 14.
func JSON(raw json.RawMessage) json.RawMessage {
	var m *Mask
	return m.JSON(raw)
}

// document copies a valid JSON document and masks on the way.
type document struct {
	mask *Mask
	raw  []byte
	at   int
	out  bytes.Buffer
}

// place says where a value stands.
type place struct {
	secret bool         // under a credential-named key
	line   *commandLine // what stands to its left in a list, which may be one of arguments; nil outside of lists
}

// value copies the value at d.at and returns it if it is a string.
func (d *document) value(at place) string {
	d.blanks()
	switch d.raw[d.at] {
	case '{':
		d.members()
	case '[':
		d.elements(at.secret)
	case '"':
		return d.text(at)
	default:
		d.literal(at.secret)
	}
	return ""
}

// members copies an object. One under a credential-named key ("auth": {…}) has keys of its own, which tell more.
func (d *document) members() {
	d.copy(1)
	for d.blanks(); d.raw[d.at] != '}'; d.blanks() {
		if d.raw[d.at] == ',' {
			d.copy(1)
			d.blanks()
		}
		name := d.text(place{})
		d.blanks()
		d.copy(1) // the colon
		d.value(place{secret: Credential(name)})
	}
	d.copy(1)
}

func (d *document) elements(secret bool) {
	d.copy(1)
	var line commandLine
	for d.blanks(); d.raw[d.at] != ']'; d.blanks() {
		if d.raw[d.at] == ',' {
			d.copy(1)
		}
		line.see(d.value(place{secret: secret, line: &line}))
	}
	d.copy(1)
}

// text copies a string, masked, and returns it as it was.
func (d *document) text(at place) string {
	end := d.at + 1
	for ; d.raw[end] != '"'; end++ {
		if d.raw[end] == '\\' {
			end++
		}
	}
	token := d.raw[d.at : end+1]
	d.at = end + 1
	var s string
	_ = json.Unmarshal(token, &s) // the document is valid, so this cannot fail
	var masked string
	switch {
	case at.secret:
		masked = hideCredential(s)
	case at.line != nil:
		masked = d.mask.arg(at.line, s)
	default:
		masked = d.mask.Text(s)
	}
	if masked == s {
		d.out.Write(token)
	} else {
		d.out.Write(quoted(masked))
	}
	return s
}

// literal copies a number, true, false or null. A number may be a secret too, a known one or one under such a key.
func (d *document) literal(secret bool) {
	end := d.at
	for end < len(d.raw) && strings.IndexByte(" \t\r\n,]}", d.raw[end]) < 0 {
		end++
	}
	token := string(d.raw[d.at:end])
	d.at = end
	number := !isAlpha(token[0])
	if number && (secret || d.mask.hideKnown(token) != token) {
		d.out.Write(quoted(Hidden))
		return
	}
	d.out.WriteString(token)
}

func (d *document) blanks() {
	for d.at < len(d.raw) && strings.IndexByte(" \t\r\n", d.raw[d.at]) >= 0 {
		d.copy(1)
	}
}

func (d *document) copy(n int) {
	d.out.Write(d.raw[d.at : d.at+n])
	d.at += n
}

// quoted returns s as a JSON string, readable: without escapes for `<`, `>` and `&`.
func quoted(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
