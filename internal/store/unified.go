package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Shown is one side of a difference: a text, and the same as it may be shown, secrets hidden.
type Shown struct{ Text, Masked string }

// ShownWhole is a text in which there is nothing to hide.
func ShownWhole(text string) Shown { return Shown{text, text} }

// ShownFile is a file's text; see MaskFile.
func (s *Store) ShownFile(path string, data []byte) Shown {
	return Shown{string(data), s.MaskFile(path, data)}
}

// ShownEntry is an entry laid out by a function, such as on lines; nothing for none.
func ShownEntry(raw json.RawMessage, lay func(json.RawMessage) string) Shown {
	if raw == nil {
		return Shown{}
	}
	return Shown{lay(raw), lay(MaskEntry(raw))}
}

// Unified is the unified diff of two texts of one file, "" when they are equal. Only
// what may be shown is in it, and a line of which something hidden differs is there as
// removed and added. It is made harmless for a terminal.
func Unified(path string, before, after Shown) string {
	path = strings.TrimPrefix(path, "/")
	diff := udiff.Unified("a/"+path, "b/"+path, before.marked(), after.marked())
	return redact.Visible(unmarked(diff))
}

// UnifiedFile is Unified for a client's file.
func (s *Store) UnifiedFile(path string, before, after []byte) string {
	return Unified(path, s.ShownFile(path, before), s.ShownFile(path, after))
}

// Diff is what the change did or would do, secrets hidden.
func (c Change) Diff(s *Store) string { return s.UnifiedFile(c.Path, c.Before, c.After) }

// Diff is what sharing did or would do. The shared entry is shown as it is written:
// it has been found fit to be published.
func (d Shared) Diff(s *Store) string {
	c := d.Change
	return Unified(c.Path, s.ShownFile(c.Path, c.Before), Shown{string(c.After), s.MaskFileBut(c.Path, c.After, c.Name)})
}

// A mark at the end of every line tells apart lines that look the same although what is
// hidden in them differs. It takes part in the comparison and is never shown.
const markLength = sha256.Size * 2

var noMark = strings.Repeat("0", markLength)

// marked is the text to be shown with a mark on each line.
func (t Shown) marked() string {
	text, masked := splitLines(t.Text), splitLines(t.Masked)
	var b strings.Builder
	if len(text) == len(masked) {
		markLines(&b, text, masked)
		return b.String()
	}
	// A value on several lines has become one: the lines around it tell which those are.
	done := 0
	for _, e := range udiff.Lines(t.Text, t.Masked) {
		same := splitLines(t.Text[done:e.Start])
		markLines(&b, same, same)
		markLines(&b, splitLines(t.Text[e.Start:e.End]), splitLines(e.New))
		done = e.End
	}
	same := splitLines(t.Text[done:])
	markLines(&b, same, same)
	return b.String()
}

// markLines writes masked lines with what tells the text behind each from another.
func markLines(b *strings.Builder, text, masked []string) {
	for i, line := range masked {
		behind := 1
		if len(text)-behind < len(masked)-i-1 || i == len(masked)-1 {
			behind = len(text)
		} else if len(text) > len(masked)-i {
			behind = linesOf(text, masked[i+1])
		}
		mark := noMark
		if behind != 1 || strings.Contains(line, redact.Hidden) {
			sum := sha256.Sum256([]byte(strings.Join(text[:behind], "")))
			mark = hex.EncodeToString(sum[:])
		}
		text = text[behind:]
		bare := strings.TrimSuffix(line, "\n")
		b.WriteString(bare + mark + line[len(bare):])
	}
}

// linesOf is how many lines there are up to the one that begins as the next masked line does.
func linesOf(text []string, next string) int {
	start, _, _ := strings.Cut(next, redact.Hidden)
	start = strings.TrimRight(start, "\"'\n")
	for i, line := range text {
		if i > 0 && strings.HasPrefix(line, start) {
			return i
		}
	}
	return 1
}

// unmarked takes the marks out of a difference of marked texts.
func unmarked(diff string) string {
	var b strings.Builder
	for i, line := range splitLines(diff) {
		bare, end := strings.CutSuffix(line, "\n")
		if i > 1 && strings.ContainsAny(bare[:1], " +-") { // else a header
			bare = bare[:len(bare)-markLength]
		}
		b.WriteString(bare)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// splitLines are the lines with their ends; none for an empty text.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
