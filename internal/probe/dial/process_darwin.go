package dial

import (
	"os"
	"strconv"
	"syscall"
)

// watch closes exited when the leader has ended. It reaps it: this system has
// no way through the standard library to wait without.
func (p *process) watch() {
	p.reap()
	close(p.exited)
}

// signalRest signals the group of a leader that has ended, when some of it is
// still there; the number stays the group's while it has members.
func (p *process) signalRest(s syscall.Signal) {
	if p.signal(0) == nil {
		p.signal(s)
	}
}

// groupLives cannot tell the living from those that wait to be reaped here.
func groupLives(int) bool { return true }

// sweep finds nothing: this system does not show the environment of a process.
func sweep(string) {}

// SweepOrphans finds nothing on this system; see the Linux version.
func SweepOrphans() int { return 0 }

// SweepOwn finds nothing on this system; see the Linux version.
func SweepOwn() int { return 0 }

// ownerID names this process.
func ownerID() string { return strconv.Itoa(os.Getpid()) }
