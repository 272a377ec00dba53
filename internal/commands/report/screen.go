package report

import (
	"bytes"
	"fmt"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Screen draws lines on a terminal again and again in the same place: the cursor
// goes up over what was drawn before, each line is cleared behind its end, and all
// below the last is cleared. Nothing of the terminal is changed that would have to be
// put back.
type Screen struct {
	drawn []int // the widths of the lines that stand there
}

// Draw writes the lines to out, cut to a terminal of width columns and height rows;
// what does not fit is counted in the last row. paint, which may be nil, colours a
// line after it was cut. The lines must be harmless already.
func (s *Screen) Draw(out *bytes.Buffer, lines []string, width, height int, paint func(string) string) {
	out.WriteByte('\r')
	if up := min(s.rows(width), height-1); up > 0 {
		fmt.Fprintf(out, "\x1b[%dA", up)
	}
	if most := max(height-1, 1); len(lines) > most {
		more := fmt.Sprintf("and %d more", len(lines)-most+1)
		lines = append(append([]string{}, lines[:most-1]...), more)
	}
	s.drawn = s.drawn[:0]
	for _, line := range lines {
		if most := max(width-1, 1); twwidth.Width(line) > most {
			line = twwidth.Truncate(line, most-1) + "…"
		}
		s.drawn = append(s.drawn, twwidth.Width(line))
		if paint != nil {
			line = paint(line)
		}
		out.WriteString(line + "\x1b[K\n")
	}
	out.WriteString("\x1b[J")
}

// End leaves what was drawn where it is, and takes away what the terminal showed of
// the key that ended it.
func (s *Screen) End(out *bytes.Buffer) { out.WriteString("\r\x1b[K") }

// rows is how many rows the drawn lines take now: a terminal that has become narrower
// has wrapped them.
func (s *Screen) rows(width int) int {
	n := 0
	for _, w := range s.drawn {
		n += max(1, (w+width-1)/max(width, 1))
	}
	return n
}
