package dial

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watch closes exited when the leader has ended, without reaping it: until then
// its number, and so its group's, cannot be given to another process. It waits
// in the poller, not in a thread of its own per server.
func (p *process) watch() {
	defer close(p.exited)
	pid := p.cmd.Process.Pid
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		ended(unix.P_PID, pid, 0)
		return
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close()
	raw, err := file.SyscallConn()
	if err == nil {
		err = raw.Read(func(fd uintptr) bool { return ended(unix.P_PIDFD, int(fd), unix.WNOHANG) })
	}
	if err != nil {
		ended(unix.P_PID, pid, 0)
	}
}

// ended asks for the end of a process without reaping it.
func ended(idType, id, options int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(idType, id, &info, unix.WEXITED|unix.WNOWAIT|options, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		// Any other error, EAGAIN of a pidfd apart, means there is nothing to wait for.
		return err == nil && info.Signo != 0 || err != nil && !errors.Is(err, unix.EAGAIN)
	}
}

// signalRest signals the group of a leader that has ended; it is not reaped yet.
func (p *process) signalRest(s syscall.Signal) { p.signal(s) }

const (
	sweepRounds = 5                     // a process that forks while it is looked for is found in the next round
	sweepPause  = 20 * time.Millisecond // what killed processes need to be gone
)

// sweep kills every process of this user that carries the marker: what left the
// process group, as with setsid (design §9.2).
func sweep(marker string) {
	sweepWhere(func(found string) bool { return found == marker })
}

// SweepOrphans kills the processes of servers whose mcpctl is gone, killed
// before it could stop them, and returns how many there were (design §9.2). It
// leaves the servers of every mcpctl that lives. Linux only; elsewhere it finds
// none.
func SweepOrphans() int {
	return sweepWhere(func(marker string) bool {
		_, owner, ok := strings.Cut(marker, ".")
		pid, start, split := strings.Cut(owner, ".")
		n, err := strconv.Atoi(pid)
		return ok && split && err == nil && !lives(n, start)
	})
}

// SweepOwn kills the processes of every server that this process has started and
// that still runs, and returns how many there were: for a supervisor that cannot
// end them in order any more. Linux only; elsewhere it finds none.
func SweepOwn() int {
	own := ownerID()
	return sweepWhere(func(marker string) bool {
		_, owner, ok := strings.Cut(marker, ".")
		return ok && owner == own
	})
}

func sweepWhere(match func(marker string) bool) (killed int) {
	for round := range sweepRounds {
		if round > 0 {
			within(nil, sweepPause)
		}
		n := 0
		for _, pid := range processes() {
			if killMarked(pid, match) {
				n++
			}
		}
		if n == 0 {
			break
		}
		killed = max(killed, n)
	}
	return killed
}

func processes() (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // what was read before an error still counts
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killMarked kills the process if its environment has a marker that matches. It
// holds the process by a descriptor meanwhile, where the kernel has that, so that
// the number cannot change hands between the look and the kill.
func killMarked(pid int, match func(string) bool) bool {
	dir := fmt.Sprintf("/proc/%d", pid)
	info, err := os.Stat(dir)
	if err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid() {
		return false
	}
	kill := func() error { return unix.Kill(pid, unix.SIGKILL) }
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		defer unix.Close(fd)
		kill = func() error { return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) }
	} else if !errors.Is(err, unix.ENOSYS) {
		return false
	}
	environ, err := os.ReadFile(dir + "/environ")
	if err != nil {
		return false
	}
	marker, ok := markerIn(environ)
	// A container's processes are seen here, but the numbers in their markers are not ours to read.
	if !ok || !match(marker) || namespace(dir) != namespace("/proc/self") {
		return false
	}
	return kill() == nil
}

func markerIn(environ []byte) (string, bool) {
	const want = markerName + "="
	for kv := range bytes.SplitSeq(environ, []byte{0}) {
		if v, ok := bytes.CutPrefix(kv, []byte(want)); ok {
			return string(v), true
		}
	}
	return "", false
}

func namespace(dir string) string {
	ns, _ := os.Readlink(dir + "/ns/pid") // unreadable on both sides is equal, and the marker decides
	return ns
}

// ownerID names this process for as long as the machine runs: its number and
// when it started.
func ownerID() string {
	return strconv.Itoa(os.Getpid()) + "." + startTime(os.Getpid())
}

// lives tells whether the process with this number and start still runs. One that
// waits to be reaped, or is just ending, has let go of its servers and its locks:
// where nobody reaps, as in some containers, it would own them for ever.
func lives(pid int, start string) bool {
	const exiting = 0x4 // PF_EXITING of the flags in field 9; the kernel's sched.h
	flags, err := strconv.ParseUint(statField(pid, 9), 10, 64)
	return err == nil && startTime(pid) == start && statField(pid, 3) != "Z" && flags&exiting == 0
}

// startTime is field 22 of /proc/PID/stat (proc(5)), "" for a process that does
// not exist.
func startTime(pid int) string { return statField(pid, 22) }

// groupLives tells whether a group has a member that is not only waiting to be
// reaped. The init of many containers is slow at that, or never does it.
func groupLives(group int) bool {
	for _, pid := range processes() {
		if statField(pid, 5) == strconv.Itoa(group) && statField(pid, 3) != "Z" {
			return true
		}
	}
	return false
}

// statField reads field n, from 3 on, of /proc/PID/stat (proc(5)).
func statField(pid, n int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name, field 2, may hold blanks and parentheses; it ends with the last one.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= n-3 {
		return ""
	}
	return fields[n-3]
}
