package rude

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT) }

// spawn starts n processes that sleep and hold this one's streams: each in a session
// of its own, and behind a parent that is gone, if asked for.
func spawn(n int, ownSession, orphan bool) {
	for range n {
		cmd := exec.Command("sleep", "600")
		if orphan {
			cmd = exec.Command("sh", "-c", "(sleep 600; :) & exit 0")
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: ownSession}
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "rude-server:", err)
			return
		}
		if orphan {
			_ = cmd.Wait()
		}
	}
}

// zombies starts n processes that end at once and waits for none of them.
func zombies(n int) {
	for range n {
		if err := exec.Command("true").Start(); err != nil {
			fmt.Fprintln(os.Stderr, "rude-server:", err)
			return
		}
	}
}
