package supervisor

import (
	"errors"
	"maps"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// harden keeps this process's memory, which holds tokens, out of core files and
// out of reach of other processes of the same user, the servers among them: they
// may neither trace it nor read its memory. A server's own exec makes
// it traceable again; its soft limit on core files stays 0 and it may raise it.
//
// It also makes this process the parent of every orphan below it, so that a
// server that forks twice cannot leave the line of descent that admit looks at.
// The orphans are buried until release is called.
func harden() (release func(), err error) {
	err = errors.Join(noCore(),
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0),
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	return buryOrphans(), err
}

// buryOrphans reaps adopted processes as they die: a dead one would keep its
// process group alive, and whoever stops a server waits for the group to go.
func buryOrphans() (release func()) {
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	again := time.NewTicker(guardEvery)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		g := gravedigger{}
		for {
			select {
			case <-died:
			case <-again.C:
			case <-stop:
				return
			}
			g.look(time.Now())
		}
	}()
	return func() {
		signal.Stop(died)
		again.Stop()
		close(stop)
		<-stopped
	}
}

// gravedigger remembers when it first saw a dead child that may be somebody's.
type gravedigger map[grave]time.Time

type grave struct {
	pid     int
	started uint64
}

// look reaps the dead children that nobody else waits for, and takes no exit
// status from the goroutine that started a child. Those it starts lead a process
// group or are in ours: a dead child in any other group was adopted. An adopted
// one may lead a group, too; it is told from the others by time, because they are
// waited for within seconds of their death.
func (g gravedigger) look(now time.Time) {
	before := maps.Clone(g)
	clear(g)
	if !anyDeadChild() {
		return
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		p, err := readProcess(pid)
		if err != nil || !p.zombie || p.parent != os.Getpid() {
			continue
		}
		since, seen := before[grave{pid, p.started}]
		if !seen {
			since = now
		}
		if (p.group != pid && p.group != unix.Getpgrp()) || now.Sub(since) >= guardEvery {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
			continue
		}
		g[grave{pid, p.started}] = since
	}
}

// anyDeadChild asks without taking: one system call, so that the common case
// does not read all of /proc.
func anyDeadChild() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}
