// Package oauth is a test server: an MCP server that asks for a sign-in, and the
// authorization server it sends to, on one port. Every fault of theirs is a flag,
// listed in parse; with none they do what the specifications say.
package oauth

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// Main listens and serves until SIGTERM, SIGINT or, with -until-eof, until standard
// input is closed, then exits.
func Main() {
	err := run(os.Args[1:])
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		mark.Leave(0)
	default:
		fmt.Fprintf(os.Stderr, "oauth-server: %v\n", err)
		mark.Leave(2)
	}
}

func run(args []string) error {
	o, err := Parse(args...)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return err
	}
	if o.log != "" {
		f, err := os.OpenFile(o.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		o.Log = f
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
	s := &http.Server{Handler: New(*o)}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return s.Close() // not Shutdown: that waits for hanging requests
	}
}

// announce tells the port, in a file that comes into being whole, or the URL on stdout.
func (o *Options) announce(a *net.TCPAddr) error {
	if o.portfile == "" {
		_, err := fmt.Printf("http://%s%s\n", a, o.Path)
		return err
	}
	tmp := filepath.Join(filepath.Dir(o.portfile), "."+filepath.Base(o.portfile)+".tmp")
	if err := os.WriteFile(tmp, []byte(strconv.Itoa(a.Port)), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, o.portfile)
}
