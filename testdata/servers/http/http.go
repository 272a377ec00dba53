// Package http is a test server that speaks Streamable HTTP by hand, so that it
// can break the rules: every oddity is a flag, listed in parse.
package http

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// Main listens and serves until SIGTERM, SIGINT or, with -until-eof, until
// standard input is closed, then exits.
func Main() {
	err := run(os.Args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		mark.Leave(0)
	default:
		fmt.Fprintf(os.Stderr, "http-server: %v\n", err)
		mark.Leave(2)
	}
}

func run(args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	if err := o.announce(listener.Addr().(*net.TCPAddr)); err != nil {
		return err
	}
	if o.untilEOF {
		go func() { // ends with the process
			io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	s := &nethttp.Server{Handler: newHandler(o)}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return s.Close() // not Shutdown: that waits for hanging requests
	}
}

// announce tells the port. A file for it comes into being whole, so a test may
// wait for it to exist; it holds the digits alone.
func (o *options) announce(a *net.TCPAddr) error {
	if o.portfile == "" {
		_, err := fmt.Printf("http://%s%s\n", a, o.path)
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(o.portfile), ".port-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.Itoa(a.Port))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), o.portfile)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
