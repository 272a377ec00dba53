package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// nobody has no rights on this machine but those of everybody.
const nobody = 65534

// unprivileged is the command `unprivileged CMD ARGS...`: CMD as a user without
// root's rights. For root it is run as nobody, who is given the script's home and
// project; anybody else has no more rights than that anyway.
func unprivileged() {
	err := errors.New("no command")
	if len(os.Args) > 1 {
		err = runUnprivileged(os.Args[1:])
	}
	fmt.Fprintln(os.Stderr, "unprivileged:", err)
	os.Exit(126)
}

func runUnprivileged(args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return syscall.Exec(path, args, os.Environ())
	}
	// The program's directory is root's alone: hold the file open and run that.
	program, err := os.Open(path)
	if err != nil {
		return err
	}
	work := os.Getenv("WORK")
	if err := os.Chmod(filepath.Dir(work), 0o711); err != nil {
		return err
	}
	for _, dir := range []string{"home", "repo", "tmp"} {
		if err := give(filepath.Join(work, dir)); err != nil {
			return err
		}
	}
	for _, drop := range []func() error{
		func() error { return syscall.Setgroups(nil) },
		func() error { return syscall.Setgid(nobody) },
		func() error { return syscall.Setuid(nobody) },
	} {
		if err := drop(); err != nil {
			return err
		}
	}
	return syscall.Exec(fmt.Sprintf("/proc/self/fd/%d", program.Fd()), args, os.Environ())
}

func give(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
}

// knock is the command `knock SOCKET`: it says hello to the supervisor there and
// writes what it hears, until the other side hangs up. 1 is for a closed door.
func knock() {
	conn, err := net.DialTimeout("unix", os.Args[1], patience)
	if err != nil {
		fmt.Fprintln(os.Stderr, "knock:", err)
		os.Exit(1)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintln(conn, `{"jsonrpc":"2.0","id":1,"method":"supervisor.hello","params":{"client":{"name":"knock","version":"0"},"protocol":{"min":1,"max":1}}}`)
	line, _ := bufio.NewReader(conn).ReadString('\n') // nothing is an answer, too
	fmt.Print(line)
}

// wait-socket PATH waits until something listens there, without connecting: the
// kernel's table of sockets tells.
func cmdWaitSocket(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(until(func() error {
		const listens = " 00010000 " // the flag __SO_ACCEPTCON of proc_net_unix(5)
		table, err := os.ReadFile("/proc/net/unix")
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(table)) {
			if strings.Contains(line, listens) && strings.HasSuffix(strings.TrimSpace(line), " "+args[0]) {
				return nil
			}
		}
		return fmt.Errorf("nothing listens at %s", args[0])
	}))
}

// port FILE VAR waits for the file in which a server tells its port, and puts the
// port into a variable.
func cmdPort(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(until(func() error {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(data)))
		ts.Setenv(args[1], strconv.Itoa(n))
		return err
	}))
}

// mayMount tells whether this process may mount file systems: not every root may,
// as in a container.
var mayMount = sync.OnceValue(func() bool {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return false
	}
	dir, err := os.MkdirTemp("", "mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return exec.Command("sh", "-c", `mount -t tmpfs -o size=16k tmpfs "$1" && umount "$1"`, "sh", dir).Run() == nil
})
