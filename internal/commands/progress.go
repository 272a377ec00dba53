package commands

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// progressLine is one line of a terminal that is drawn over. A nil one shows nothing.
type progressLine struct {
	out   io.Writer
	width func() int
	drawn time.Time // zero: nothing is shown
}

// drawAgain bounds how often the line is drawn: a server may report a thousand times
// a second, and an eye cannot follow.
const drawAgain = 50 * time.Millisecond

// progressLine is that of stderr; nil where progress is not to be shown: on a pipe,
// with -q or --json, on a terminal that cannot clear a line.
func (a *app) progressLine() *progressLine {
	f, ok := a.streams.Err.(*os.File)
	if a.quiet || a.json != "" || !ok || !terminal(f) || a.env["TERM"] == "dumb" {
		return nil
	}
	return &progressLine{out: f, width: func() int {
		const usual = 80
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
		return usual
	}}
}

// clearLine goes to the line's start and clears it (ECMA-48, EL).
const clearLine = "\r\x1b[K"

func (l *progressLine) show(p wire.Progress) {
	if l == nil || time.Since(l.drawn) < drawAgain {
		return
	}
	l.drawn = time.Now()
	fmt.Fprint(l.out, clearLine+columns(progressText(p), l.width()-1))
}

func (l *progressLine) clear() {
	if l != nil && !l.drawn.IsZero() {
		fmt.Fprint(l.out, clearLine)
		l.drawn = time.Time{}
	}
}

// progressText words one report: how far of how much, and what the server says.
func progressText(p wire.Progress) string {
	text := strconv.FormatFloat(p.Progress, 'f', -1, 64)
	if p.Total != nil && *p.Total > 0 {
		text += "/" + strconv.FormatFloat(*p.Total, 'f', -1, 64)
		if share := p.Progress / *p.Total * 100; share >= 0 && share <= 100 {
			text += fmt.Sprintf(" (%.0f%%)", share)
		}
	}
	if p.Message != "" {
		text += " " + strings.TrimSpace(p.Message)
	}
	return redact.Line(strings.ReplaceAll(redact.Text(p.Server+": "+text), "\t", " "))
}

// columns cuts a text to the columns of a line, so that drawing over it reaches all
// of it. Anything but Latin, Greek and Cyrillic letters may take two.
func columns(text string, width int) string {
	const narrow = 0x1100
	used := 0
	for i, r := range text {
		used++
		if r >= narrow {
			used++
		}
		if used > width {
			return text[:i]
		}
	}
	return text
}
