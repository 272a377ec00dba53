// Package stub is a test server that speaks JSON-RPC over stdio by hand, so
// that it can break the rules: every oddity is a flag, listed in parse.
//
// One goroutine reads, answers and writes, in the order of the requests. Only
// -exit-after and a noted SIGTERM end the process from beside it.
package stub

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/testdata/servers/mark"
)

// The statuses with which the server leaves; -exit gives others.
const (
	statusOK       = 0
	statusDiscover = 1 // -exit-on-discover
	statusUsage    = 2 // also for a file that cannot be written
	statusExitOn   = 7 // -exit-on
)

const (
	childLife = "600"     // seconds, longer than any test
	forever   = time.Hour // the same, where only a signal ends the wait
)

// Main runs the server with the arguments of the process and exits.
func Main() { mark.Leave(Run(os.Args[1:])) }

// Run serves on standard input and output until told to leave, and returns the
// exit status.
func Run(args []string) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return statusOK
	}
	if err == nil {
		err = o.prepare()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "stub-server: %v\n", err)
		return statusUsage
	}
	s := &server{options: o, in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout), listed: o.tools}
	if status, leave := s.begin(); leave {
		return status
	}
	return s.serve()
}

// prepare notes the start, decides about SIGTERM and starts the children.
func (o *options) prepare() error {
	if err := mark.Start(o.mark); err != nil {
		return err
	}
	if o.ignoreTerm {
		signal.Ignore(syscall.SIGTERM)
	} else {
		mark.OnTerm(o.markEnd)
	}
	if err := startChild(o.child, false); err != nil {
		return err
	}
	if err := startChild(o.childSetsid, true); err != nil {
		return err
	}
	return forkTwice(o.childForked)
}

// startChild starts a process that holds this one's standard streams for ten
// minutes, as the real server behind a package runner does.
func startChild(pidFile string, ownSession bool) error {
	if pidFile == "" {
		return nil
	}
	c := exec.Command("sleep", childLife)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: ownSession}
	if err := c.Start(); err != nil {
		return err
	}
	return os.WriteFile(pidFile, []byte(strconv.Itoa(c.Process.Pid)), 0o644)
}

// begin does all that comes before the first read. It reports whether the
// server is to leave already, and with which status.
func (s *server) begin() (status int, leave bool) {
	if s.stderrText != "" {
		fmt.Fprintln(os.Stderr, s.stderrText)
	}
	floodStderr(s.stderrBytes)
	if s.noise != nil {
		s.line(*s.noise)
	}
	if s.noiseJSON {
		s.line(`{"level":"info","msg":"starting"}`)
	}
	s.out.Flush()

	if s.killSelf {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(forever) // the signal is on its way
	}
	code := statusOK
	if s.exit != nil {
		code = *s.exit
	}
	if s.exitAfter > 0 {
		time.AfterFunc(s.exitAfter, func() { mark.Leave(code) })
	} else if s.exit != nil {
		return code, true
	}
	time.Sleep(s.sleep)
	return statusOK, false
}

// stderrLine is the length of the lines of -stderr-bytes.
const stderrLine = 4096

func floodStderr(n int) {
	w := bufio.NewWriter(os.Stderr)
	defer w.Flush()
	for ; n > 0; n -= stderrLine {
		fmt.Fprintln(w, strings.Repeat("e", min(n, stderrLine)-1))
	}
}

// serve answers line after line. It returns the status to leave with.
func (s *server) serve() int {
	for {
		line, err := s.in.ReadBytes('\n')
		if len(line) > 0 {
			if status, leave := s.take(line); leave {
				return status
			}
			s.out.Flush()
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) {
			fmt.Fprintf(os.Stderr, "stub-server: %v\n", err)
		}
		mark.End(s.markEnd, mark.EOF)
		for s.ignoreEOF {
			time.Sleep(forever)
		}
		return statusOK
	}
}

// line writes one line of text to standard output.
func (s *server) line(text string) {
	s.out.WriteString(text)
	s.endLine()
}

func (s *server) endLine() {
	if s.crlf {
		s.out.WriteByte('\r')
	}
	s.out.WriteByte('\n')
}
