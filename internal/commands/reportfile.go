package commands

import (
	"bytes"
	"errors"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// reportFile is a file that the results of a command go to as well, as with --junit. A
// nil one is not wanted.
type reportFile struct {
	f     *os.File
	began time.Time
}

// openReport opens the file before the work begins: afterwards its results would be
// lost. "" is none. An error is MCP_IO.
func openReport(path string) (*reportFile, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot write '"+path+"': "+reason(err), "")
	}
	return &reportFile{f, time.Now()}, nil
}

// write writes what is made; began is when the file was opened.
func (r *reportFile) write(make func(w *bytes.Buffer, began time.Time) error) error {
	if r == nil {
		return nil
	}
	var out bytes.Buffer
	err := make(&out, r.began)
	if err == nil {
		_, err = r.f.Write(out.Bytes())
	}
	if err = errors.Join(err, r.f.Close()); err != nil {
		return wire.NewError(wire.IO, "cannot write '"+r.f.Name()+"': "+reason(err), "")
	}
	return nil
}

func (r *reportFile) close() {
	if r != nil {
		_ = r.f.Close() // write has done so and told of an error
	}
}
