package commands

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// Streams are the three standard streams of one invocation.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// terminal tells whether a stream is one a person sits at.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
