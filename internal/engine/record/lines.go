package record

import (
	"bytes"
	"strings"
)

// lineReader cuts what comes in pieces into lines. A line that has not ended is kept until it does, and one that is longer
// than any of ours is passed over.
type lineReader struct {
	partial []byte
	tooLong bool
}

// feed passes on each line that ends in chunk, without its line end.
func (l *lineReader) feed(chunk []byte, emit func(line string) error) error {
	for {
		n := bytes.IndexByte(chunk, '\n')
		if n < 0 {
			break
		}
		line, whole := string(l.partial)+string(chunk[:n]), !l.tooLong
		l.partial, l.tooLong = l.partial[:0], false
		chunk = chunk[n+1:]
		if whole {
			if err := emit(line); err != nil {
				return err
			}
		}
	}
	if l.tooLong = l.tooLong || len(l.partial)+len(chunk) > maxRecord; l.tooLong {
		l.partial = l.partial[:0]
		return nil
	}
	l.partial = append(l.partial, chunk...)
	return nil
}

// assembler makes records of lines. Lines that are part of none are passed over: the rest of one that was being written
// when the disk was full or the machine stopped.
type assembler struct {
	emit func(Record) error
	open bool // a head was read, and further lines may come
	head Record
	text strings.Builder
}

// line takes one line and reports whether it is part of a record.
func (a *assembler) line(line string) (bool, error) {
	if more, ok := strings.CutPrefix(line, indent); ok {
		if a.open && a.text.Len() < 2*maxRecord { // nobody but us is to write here, but nothing keeps the user from it
			a.text.WriteByte('\n')
			a.text.WriteString(more)
		}
		return a.open, nil
	}
	err := a.flush()
	a.head, a.open = parseHead(line)
	a.text.WriteString(a.head.Text)
	return a.open, err
}

// flush passes on the record whose lines have all come.
func (a *assembler) flush() error {
	r, open := a.head, a.open
	r.Text = a.text.String()
	a.open = false
	a.text.Reset()
	if !open {
		return nil
	}
	return a.emit(r)
}
