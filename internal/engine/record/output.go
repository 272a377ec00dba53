package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"time"
	"unicode/utf8"
)

const (
	// outputsName is the directory of the outputs below the state directory.
	outputsName = "outputs"
	// outputEnd follows the id in the name of an output's file.
	outputEnd = ".json"
	// outputsLimit and outputsAge are how much of the outputs is kept, and for how long (design section 12).
	outputsLimit = 200 << 20
	outputsAge   = 7 * 24 * time.Hour
	// maxArguments is the longest the arguments of a call are kept: they say which call it was, the result is what is kept
	// for its own sake; and a result of the longest a server may send still fits into one message on the socket with them.
	maxArguments = 32 << 10
	outputSchema = 1
)

// Output is one recorded tool call. Its file, or its line, holds it as JSON, the result last and byte for byte as the server
// sent it.
// Source: design section 12.
type Output struct {
	ID        string
	Time      time.Time
	Workspace string
	Server    string
	Tool      string
	Arguments json.RawMessage // masked by the caller of Save; over 32 KiB its beginning, as one JSON string
	Result    json.RawMessage
}

// ValidOutputID reports whether id is spelt as the id of an output is: 16 to 64 of [A-Za-z0-9]. Nothing else is ever made
// part of a path. Source: design section 12.
func ValidOutputID(id string) bool { return outputID.MatchString(id) }

var outputID = regexp.MustCompile(`^[A-Za-z0-9]{16,64}$`)

// OutputIDError says that a text is not spelt as an id.
type OutputIDError struct{ ID string }

// Error names the text.
func (e *OutputIDError) Error() string {
	return fmt.Sprintf("'%s' is not the id of an output: 16 or more letters and digits", e.ID)
}

// Code returns the code word of design section 8.3.
func (e *OutputIDError) Code() string { return "USAGE" }

// Hint says where ids are to be found.
func (e *OutputIDError) Hint() string { return "see: mcpctl output --list --all" }

// OutputGoneError says that there is no output of an id: removed, too old, or never there. These cannot be told apart,
// since no list is kept of those that are gone. Source: design section 12.
type OutputGoneError struct{ ID string }

// Error names the id.
func (e *OutputGoneError) Error() string {
	return "the output '" + e.ID + "' is gone, or was never there"
}

// Code returns the code word of design section 8.3.
func (e *OutputGoneError) Code() string { return "OUTPUT_EXPIRED" }

// Hint says how long outputs are kept.
func (e *OutputGoneError) Hint() string {
	return "outputs are kept for 7 days and up to 200 MiB, the oldest go first; see: mcpctl output --list --all"
}

// OutputTooLargeError says that one output alone is more than may be kept. Source: design section 12.
type OutputTooLargeError struct{ Size, Limit int64 }

// Error names both sizes.
func (e *OutputTooLargeError) Error() string {
	return fmt.Sprintf("the output has %d bytes, more than the %d that are kept of all", e.Size, e.Limit)
}

// Code returns the code word of design section 8.3.
func (e *OutputTooLargeError) Code() string { return "MCP_IO" }

// outputHead is an output's file up to the result. What a list needs stands before the arguments, which may be long.
type outputHead struct {
	Schema    int             `json:"schema"`
	ID        string          `json:"id"`
	Time      time.Time       `json:"time"`
	Workspace string          `json:"workspace"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

const (
	beforeResult = `,"result":`
	afterResult  = "}\n"
)

// head returns the file's bytes before the result.
func (o Output) head() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(outputHead{outputSchema, o.ID, o.Time, o.Workspace, o.Server, o.Tool, shortArguments(o.Arguments)})
	if err != nil {
		return nil, err
	}
	return append(bytes.TrimSuffix(b.Bytes(), []byte(afterResult)), beforeResult...), nil
}

// WriteTo writes the output as it stands in its file: the document of wire.Output. Source: design section 12.
func (o Output) WriteTo(w io.Writer) (int64, error) {
	head, err := o.head()
	if err != nil {
		return 0, err
	}
	var total int64
	for _, part := range [][]byte{head, o.Result, []byte(afterResult)} {
		n, err := w.Write(part)
		if total += int64(n); err != nil {
			return total, err
		}
	}
	return total, nil
}

// shortArguments bounds the arguments; what is cut is a JSON string that says so.
func shortArguments(raw json.RawMessage) json.RawMessage {
	switch {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case len(raw) <= maxArguments:
		return raw
	}
	end := maxArguments / 8 // as a string of a string it may become longer
	for end > 0 && !utf8.RuneStart(raw[end]) {
		end--
	}
	short, _ := json.Marshal(fmt.Sprintf("%s… [%d bytes cut]", raw[:end], len(raw)-end)) // text always is
	return short
}

// parseOutput reads an output's file. false: the file is not whole, as after a power cut, or not that of this id.
func parseOutput(id string, data []byte) (Output, bool) {
	o, at, ok := parseMembers(bytes.NewReader(data), id, "result")
	if !ok || !bytes.HasPrefix(data[at:], []byte(":")) || !bytes.HasSuffix(data, []byte(afterResult)) {
		return Output{}, false
	}
	o.Result = json.RawMessage(bytes.TrimSuffix(data[at+1:], []byte(afterResult)))
	return o, json.Valid(o.Result)
}

// parseMembers reads the members in front of the member called until, and returns where that one's name ends.
func parseMembers(r io.Reader, id, until string) (o Output, at int64, ok bool) {
	dec := json.NewDecoder(r)
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return o, 0, false
	}
	schema := 0
	into := map[string]any{"schema": &schema, "id": &o.ID, "time": &o.Time, "workspace": &o.Workspace, "server": &o.Server, "tool": &o.Tool, "arguments": &o.Arguments}
	for {
		t, err := dec.Token()
		name, isName := t.(string)
		if err != nil || !isName {
			return o, 0, false
		}
		if name == until {
			return o, dec.InputOffset(), o.ID == id && schema == outputSchema
		}
		value := into[name]
		if value == nil {
			value = new(json.RawMessage) // of a later version
		}
		if dec.Decode(value) != nil {
			return o, 0, false
		}
	}
}
