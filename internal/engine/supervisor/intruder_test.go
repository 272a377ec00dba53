package supervisor

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
)

// intrude tries to be answered at a socket and prints what happened. With
// forkAgain a child does it, after its parent, this process, has ended.
func intrude() {
	if os.Getenv(forkAgain) != "" {
		cmd := exec.Command(ownFile())
		cmd.Env = append(os.Environ(), forkAgain+"=", "MCPCTL_TEST_PARENT="+fmt.Sprint(os.Getpid()))
		cmd.Stdout = os.Stdout
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			fmt.Println("no fork:", err)
		}
		syscall.Exit(0)
	}
	for parent := os.Getenv("MCPCTL_TEST_PARENT"); parent == fmt.Sprint(os.Getppid()); {
		time.Sleep(time.Millisecond)
	}
	fmt.Println(greetRaw(os.Getenv(asIntruder)))
	syscall.Exit(0)
}

// greetRaw says hello without any of the client's checks.
func greetRaw(socket string) string {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return "no connection: " + err.Error()
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(testTimeout))
	_, writeErr := io.WriteString(c, `{"jsonrpc":"2.0","id":1,"method":"supervisor.hello","params":{"protocol":{"min":1,"max":1}}}`+"\n")
	b := make([]byte, 1<<10)
	n, err := c.Read(b)
	if n > 0 {
		return "answered: " + string(b[:n])
	}
	return fmt.Sprintf("closed: %v %v", writeErr, err)
}

func spawnIntruder(places store.Places, out string) {
	_, socket, err := SocketPath(places)
	f, fileErr := os.Create(out)
	if err != nil || fileErr != nil {
		return
	}
	cmd := exec.Command(ownFile())
	cmd.Env = append(os.Environ(), asIntruder+"="+socket, runIntruder+"=")
	cmd.Stdout = f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}

func ownFile() string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exe
}
