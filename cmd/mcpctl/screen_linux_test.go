package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// screen is what a person sees of what was sent to a terminal: enough of one to know
// where text ends up. It fails on anything it does not know.
type screen struct {
	width    int
	rows     [][]rune
	row, col int
}

// seen plays text to a terminal of this width and returns its rows, without blanks at
// their ends and without empty ones below.
func seen(t *testing.T, text string, width int) []string {
	t.Helper()
	s := &screen{width: width, rows: [][]rune{nil}}
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		text = text[n:]
		switch {
		case r == '\r':
			s.col = 0
		case r == '\n':
			s.down()
		case r == 0x1b:
			text = s.control(t, text)
		default:
			s.put(r)
		}
	}
	var out []string
	for _, row := range s.rows {
		out = append(out, strings.TrimRight(string(row), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func (s *screen) down() {
	s.row++
	for len(s.rows) <= s.row {
		s.rows = append(s.rows, nil)
	}
}

func (s *screen) put(r rune) {
	if s.col == s.width {
		s.col = 0
		s.down()
	}
	for len(s.rows[s.row]) <= s.col {
		s.rows[s.row] = append(s.rows[s.row], ' ')
	}
	s.rows[s.row][s.col] = r
	s.col++
}

// control obeys one sequence and returns the text behind it. One that is not whole
// yet ends the text.
func (s *screen) control(t *testing.T, text string) string {
	t.Helper()
	end := strings.IndexFunc(text, func(r rune) bool { return r >= '@' && r <= '~' && r != '[' })
	if end < 0 {
		return ""
	}
	n := 1
	_, _ = fmt.Sscanf(text, "[%d", &n)
	switch text[end] {
	case 'A':
		s.row = max(0, s.row-n)
	case 'K':
		s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
	case 'J':
		s.rows = s.rows[:s.row+1]
		s.rows[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))]
	case 'm':
	default:
		t.Fatalf("the sequence %q was sent", text[:end+1])
	}
	return text[end+1:]
}

// size gives the terminal a size, as a window manager does.
func (c *terminal) size(columns, rows uint16) {
	c.t.Helper()
	conn, err := c.ctrl.SyscallConn()
	if err != nil {
		c.t.Fatal(err)
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
	})
	if err != nil || failed != nil {
		c.t.Fatal(err, failed)
	}
}

// untilSeen reads until what is on a terminal of this width is as it should be.
func (c *terminal) untilSeen(width int, ok func(rows []string) bool) []string {
	c.t.Helper()
	buf := make([]byte, 64<<10)
	for {
		rows := seen(c.t, c.shown.String(), width)
		if ok(rows) {
			return rows
		}
		n, err := c.ctrl.Read(buf)
		c.shown.Write(buf[:n])
		if err != nil {
			c.t.Fatalf("never seen (%v):\n%s\n---\n%q", err, strings.Join(rows, "\n"), c.shown.String())
		}
	}
}

// stands tells whether the rows are exactly these, each one given by how it begins.
func stands(rows []string, starts ...string) bool {
	if len(rows) != len(starts) {
		return false
	}
	for i, row := range rows {
		if !strings.HasPrefix(strings.Join(strings.Fields(row), " "), starts[i]) {
			return false
		}
	}
	return true
}

// TestWatchOnATerminal: the table stands in one place, whatever changes, is as wide
// as the terminal, also when that changes, and leaves the terminal as it was.
func TestWatchOnATerminal(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"TERM=xterm"}
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server"},"b":{"command":"stub-server","args":["-stderr-text","`+strings.Repeat("why ", 50)+`","-exit","3"]}}}`)
	c := p.onTerminal("status", "--watch")
	c.size(70, 20)
	rows := c.untilSeen(70, func(rows []string) bool {
		return stands(rows, "NAME STATE TOOLS SINCE DETAIL", "a connected 1", "b failed - ")
	})
	if got := utf8.RuneCountInString(rows[2]); got != 69 || !strings.HasSuffix(rows[2], "…") {
		t.Errorf("a row of %d columns: %s", got, rows[2])
	}
	if text := c.shown.String(); !strings.Contains(text, "\x1b[32mconnected\x1b[0m") || !strings.Contains(text, "\x1b[31mfailed\x1b[0m") {
		t.Errorf("without its colours:\n%q", text)
	}

	// More rows, fewer rows, and what is wrong with a file.
	good := read(t, p.userFile())
	p.write(p.userFile(), strings.Replace(good, `{"mcpServers":{`, `{"mcpServers":{"c":{"command":"stub-server","enabled":false},`, 1))
	c.untilSeen(70, func(rows []string) bool {
		return stands(rows, "NAME", "c disabled", "a connected 1", "b failed - ")
	})
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server"}}}`)
	c.untilSeen(70, func(rows []string) bool { return stands(rows, "NAME", "a connected 1") })
	p.write(p.userFile(), `{"mcpServers":`)
	c.untilSeen(70, func(rows []string) bool { return stands(rows, "NAME", "a connected 1", p.userFile()[:20]) })

	// Smaller: what the terminal wrapped is drawn over; what does not fit is counted.
	mark := c.shown.Len()
	c.size(20, 3)
	c.untilSeen(20, func([]string) bool { return strings.Contains(c.shown.String()[mark:], "and 2 more") })
	rows = seen(t, "\n\n"+c.shown.String()[mark:], 20)
	if !stands(rows[len(rows)-2:], "NAME STATE", "and 2 more") {
		t.Errorf("seen:\n%s", strings.Join(rows, "\n"))
	}
	c.size(70, 20)
	c.untilSeen(70, func(rows []string) bool {
		return len(rows) > 2 && stands(rows[len(rows)-3:], "NAME", "a connected 1", p.userFile()[:20])
	})

	c.enter("\x03")
	if shown, exit := c.end(); exit != 130 || !strings.HasSuffix(shown, "^C\r\x1b[Kmcpctl: interrupted\n") || strings.Contains(shown, "\x1b[?") {
		t.Errorf("exit status %d\n%q", exit, shown)
	}
}

// TestWatchWithoutColour: colours are left out where they are not wanted, and nothing
// is drawn where that does not work.
func TestWatchWithoutColour(t *testing.T) {
	for _, way := range []struct {
		env, arg string
		lines    bool
	}{{"NO_COLOR=1", "-q", false}, {"X=1", "--no-color", false}, {"TERM=dumb", "-q", true}, {"TERM=", "-q", true}} {
		p := newPlace(t)
		p.env = []string{"TERM=xterm", way.env}
		p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server"},"b":{"command":"stub-server"}}}`)
		c := p.onTerminal("status", "--watch", "a", way.arg)
		c.size(80, 20)
		c.until("connected")
		c.enter("\x03")
		shown, exit := c.end()
		if exit != 130 || strings.Contains(shown, "\x1b[3") || strings.Contains(shown, "\x1b") == way.lines || strings.Contains(shown, "\nb ") {
			t.Errorf("%+v: exit status %d\n%q", way, exit, shown)
		}
	}
}

// TestWatchOutlivesNothing: a terminal that is closed ends the watch.
func TestWatchOutlivesNothing(t *testing.T) {
	p := newPlace(t)
	p.env = []string{"TERM=xterm"}
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"stub-server"}}}`)
	c := p.onTerminal("status", "--watch")
	c.until("connected")
	if err := c.ctrl.Close(); err != nil {
		t.Fatal(err)
	}
	if exit := c.wait(); exit > 1 && exit != 129 {
		t.Errorf("exit status %d", exit)
	}
}

// TestApproveUnchanged: what is approved is not asked about again, and that is said.
func TestApproveUnchanged(t *testing.T) {
	p := newPlace(t)
	p.write(".mcp.json", `{"mcpServers":{"a":{"command":"x"}}}`)
	p.approve("a")
	before, err := os.ReadFile(p.home + "/.local/state/mcpctl/approvals.json")
	if err != nil {
		t.Fatal(err)
	}
	if shown, exit := p.onTerminal("approve", "a").end(); exit != 0 || shown != "unchanged: 'a' is approved\n" {
		t.Errorf("exit status %d\n%s", exit, shown)
	}
	if after := read(t, p.home+"/.local/state/mcpctl/approvals.json"); after != string(before) {
		t.Error("something was written")
	}
}
