package report

import (
	"io"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Table writes rows under a header, left-aligned, without borders, never wrapped
// or cut to the terminal's width: columns separated by two blanks. Cells are
// made harmless and put on one line.
func Table(w io.Writer, header []string, rows [][]string) error {
	none := tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off}
	lines := tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.Off, ShowFooterLine: tw.Off}
	between := tw.Separators{ShowHeader: tw.Off, ShowFooter: tw.Off, BetweenRows: tw.Off, BetweenColumns: tw.Off}
	plain := tw.CellConfig{
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft},
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: tw.Padding{Left: "", Right: "  "}},
	}
	t := tablewriter.NewTable(&trimmed{w: w},
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Borders: none, Settings: tw.Settings{Lines: lines, Separators: between}})),
		tablewriter.WithConfig(tablewriter.Config{Header: plain, Row: plain}))
	t.Header(header)
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = redact.Line(Brief(cell))
		}
		if err := t.Append(safe); err != nil {
			return err
		}
	}
	return t.Render()
}

// trimmed drops the blanks at the end of each line that padding leaves there.
type trimmed struct {
	w    io.Writer
	gaps []byte
}

func (t *trimmed) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(p))
	for _, c := range p {
		switch c {
		case ' ':
			t.gaps = append(t.gaps, c)
			continue
		case '\n':
		default:
			out = append(out, t.gaps...)
		}
		t.gaps = t.gaps[:0]
		out = append(out, c)
	}
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
