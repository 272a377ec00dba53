// Package mark notes in a file that a test server has started or ended, so
// that a test can count processes and look at how they were run.
package mark

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// The two ends that a server can still write down; any other end leaves no line.
const (
	EOF  = "eof"  // standard input was closed
	Term = "term" // SIGTERM arrived
)

// termStatus is what a shell reports for a process that SIGTERM ended.
const termStatus = 128 + int(syscall.SIGTERM)

// Leave ends a test server at once: in a race build os.Exit would rest for a second first.
func Leave(status int) { syscall.Exit(status) }

type started struct {
	PID  int      `json:"pid"`
	PPID int      `json:"ppid"`
	Args []string `json:"args"`
	Cwd  string   `json:"cwd"`
}

type ended struct {
	PID int    `json:"pid"`
	End string `json:"end"`
}

// Start appends this process, its parent, arguments and working directory to
// the file. An empty path notes nothing.
func Start(path string) error {
	if path == "" {
		return nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	return Append(path, started{PID: os.Getpid(), PPID: os.Getppid(), Args: os.Args[1:], Cwd: cwd})
}

// End appends this process and the reason why it ends to the file. An empty
// path notes nothing.
func End(path, reason string) error {
	if path == "" {
		return nil
	}
	return Append(path, ended{PID: os.Getpid(), End: reason})
}

// OnTerm lets SIGTERM be noted in the file before it ends the process. With an
// empty path the signal keeps its usual effect.
func OnTerm(path string) {
	if path == "" {
		return
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGTERM)
	go func() { // ends with the process
		<-arrived
		End(path, Term)
		Leave(termStatus)
	}()
}

// Append adds the value to the file as one line of JSON. The line goes out in
// one write in append mode: servers that share a file do not tear each other's
// lines.
func Append(path string, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}
