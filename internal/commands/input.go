package commands

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// awaited does what may block for as long as somebody likes, such as a read of a
// pipe or a terminal, and gives up on it when the context ends: such a read cannot
// be called off, so it goes on in a goroutine that ends with the process, and what
// it brings is dropped.
func awaited[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	got := make(chan result, 1)
	go func() {
		value, err := do()
		got <- result{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-got:
		return r.value, r.err
	}
}

// readStdin reads stdin to its end, or to the limit; what names it in the error,
// which is MCP_IO, or that of the context.
func (a *app) readStdin(ctx context.Context, what string, limit int64) ([]byte, error) {
	data, err := awaited(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(a.streams.In, limit)) })
	if err != nil && !errors.Is(err, context.Canceled) {
		err = wire.NewError(wire.IO, "cannot read "+what+" from stdin: "+err.Error(), "")
	}
	return data, err
}

// readLine reads a line of stdin, which is a terminal.
func (a *app) readLine(ctx context.Context) (string, error) {
	return awaited(ctx, func() (string, error) { return bufio.NewReader(a.streams.In).ReadString('\n') })
}

// readFile reads a file that an argument names, to its end or to the limit. It may
// be a pipe that nobody writes to.
func readFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	data, err := awaited(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, limit))
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		err = wire.NewError(wire.IO, "cannot read '"+path+"': "+reason(err), "")
	}
	return data, err
}

// reason drops the path that errors of the system repeat.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
