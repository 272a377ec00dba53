// Package record keeps the server log and the outputs of tool calls, bounded, and reads them back.
//
// The log is text for people that programs can read too: one head line per record, and further lines of its text indented
// by four spaces, so that no text, whatever a server writes, can pass for a record of somebody else.
// Source: design section 12.
package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const (
	// timeLayout has a fixed width: heads line up, and compare as text.
	timeLayout = "2006-01-02T15:04:05.000Z"
	// indent begins every line of a text but the first.
	indent = "    "
	// maxRecord is the longest a record may be on disk, its line ends included. A server that writes more in one piece is not
	// logging, and one such record must not push the others out of the file.
	maxRecord = 64 << 10
	// maxName is the longest server or logger name that is written, in bytes.
	maxName = 256
	// noteLen is room for the words that say how much was cut.
	noteLen = len("… [18446744073709551615 bytes cut]")
)

// Record is one entry of the log. Its JSON form has the time as RFC 3339 in UTC with milliseconds.
// Source: design section 12.
type Record struct {
	Time   time.Time `json:"time"`
	Server string    `json:"server"` // exactly as configured, any text; "" is the supervisor itself
	Level  string    `json:"level"`  // one of the eight words of Level
	Logger string    `json:"logger"` // what the server calls the part of it that logs; may be ""
	Text   string    `json:"text"`   // one or more lines
}

// levels from the least to the most severe: MCP's, which are syslog's.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// LevelWords names the levels, for a message.
const LevelWords = "debug, info, notice, warning, error, critical, alert, emergency"

// Level returns the level that word means, in any case and with the usual other spellings (warn, err, fatal, trace), and
// whether it means one. Source: design section 12.
func Level(word string) (level string, ok bool) {
	word = strings.ToLower(word)
	switch word {
	case "trace":
		return "debug", true
	case "warn":
		return "warning", true
	case "err":
		return "error", true
	case "fatal", "crit", "panic":
		return "critical", true
	case "emerg":
		return "emergency", true
	}
	return word, severity(word) >= 0
}

// severity returns the place of level in levels, -1 for what is none.
func severity(level string) int {
	for i, l := range levels {
		if l == level {
			return i
		}
	}
	return -1
}

// clean returns r as it is written and read back: time in milliseconds, a known level (info for any other), names not too
// long, and a text that is harmless, ends without a line end and fits. mask is applied first and to the whole text; nil
// hides shapes only.
func (r Record) clean(mask *redact.Mask) Record {
	r.Logger = mask.Text(r.Logger)
	r.Text = mask.Text(r.Text)
	return r.harmless()
}

// harmless is clean without hiding anything.
func (r Record) harmless() Record {
	r.Time = r.Time.UTC().Truncate(time.Millisecond)
	level, ok := Level(r.Level)
	if !ok {
		level = "info"
	}
	r.Level = level
	r.Server = shortName(r.Server)
	r.Logger = shortName(r.Logger)
	text := strings.TrimRight(strings.ReplaceAll(r.Text, "\r\n", "\n"), "\n")
	r.Text = ""
	r.Text = cut(redact.Visible(text), maxRecord-len(r.head())-len(" \n"))
	return r
}

func shortName(name string) string { return name[:min(len(name), maxName)] }

// cut shortens text to size bytes on disk, at a character boundary, and says by how much.
func cut(text string, size int) string {
	if len(text)+strings.Count(text, "\n")*len(indent) <= size {
		return text
	}
	end := 0
	for size -= noteLen; ; end++ {
		if size--; text[end] == '\n' {
			size -= len(indent)
		}
		if size < 0 {
			break
		}
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… [%d bytes cut]", text[:end], len(text)-end)
}

// String returns the record as it stands in the log, safe for a terminal, without a line end behind it. It hides nothing:
// what Append wrote has its secrets hidden already. Source: design section 12.
func (r Record) String() string {
	r = r.harmless()
	return r.head() + strings.ReplaceAll(r.Text, "\n", "\n"+indent)
}

// head returns everything before the text. A text that would read as `logger: text` where there is no logger is set off by
// a second blank.
func (r Record) head() string {
	server := "-"
	if r.Server != "" {
		server = escapeName(r.Server, ']')
		if server == "-" {
			server = `\x2d`
		}
	}
	head := r.Time.Format(timeLayout) + " [" + server + "] " + r.Level + " "
	if r.Logger != "" {
		return head + escapeName(r.Logger, ' ') + ": "
	}
	first, _, _ := strings.Cut(r.Text, "\n")
	word, _, _ := strings.Cut(first, " ")
	if strings.HasSuffix(word, ":") || strings.HasPrefix(first, " ") {
		head += " "
	}
	return head
}

// Parse reads one record, as String gives it. It fails if text is not exactly one. Source: design section 12.
func Parse(text string) (Record, error) {
	var found []Record
	a := assembler{emit: func(r Record) error {
		found = append(found, r)
		return nil
	}}
	for i, line := range strings.Split(text, "\n") {
		if ok, _ := a.line(line); !ok || (i > 0) != strings.HasPrefix(line, indent) {
			return Record{}, fmt.Errorf("line %d is not part of a log record", i+1)
		}
	}
	_ = a.flush() // its emit does not fail
	return found[0], nil
}

// parseHead reads a head line.
func parseHead(line string) (Record, bool) {
	if len(line) <= len(timeLayout) {
		return Record{}, false
	}
	at, err := time.Parse(timeLayout, line[:len(timeLayout)])
	rest, ok := strings.CutPrefix(line[len(timeLayout):], " [")
	server, rest, closed := strings.Cut(rest, "] ")
	level, rest, blank := strings.Cut(rest, " ")
	if err != nil || !ok || !closed || !blank || severity(level) < 0 {
		return Record{}, false
	}
	r := Record{Time: at, Level: level}
	if server != "-" {
		r.Server = unescapeName(server)
	}
	if text, plain := strings.CutPrefix(rest, " "); plain {
		r.Text = text
	} else if logger, text, found := strings.Cut(rest, " "); found && len(logger) > 1 && strings.HasSuffix(logger, ":") {
		r.Logger, r.Text = unescapeName(strings.TrimSuffix(logger, ":")), text
	} else {
		r.Text = rest
	}
	return r, true
}

// MarshalJSON gives {"time","server","level","logger","text"}, the time with exactly three decimals.
// Source: design section 12.
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Time   string `json:"time"`
		Server string `json:"server"`
		Level  string `json:"level"`
		Logger string `json:"logger"`
		Text   string `json:"text"`
	}{r.Time.UTC().Format(timeLayout), r.Server, r.Level, r.Logger, r.Text})
}
