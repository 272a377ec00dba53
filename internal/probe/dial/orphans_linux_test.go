package dial

import (
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// TestDeadOwnsNothing: a supervisor that was killed and is not reaped yet does not
// keep the processes it left from being ended; one that lives keeps them.
func TestDeadOwnsNothing(t *testing.T) {
	owner, left := exec.Command("sleep", "600"), exec.Command("sleep", "600")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	pid := owner.Process.Pid
	left.Env = []string{markerName + "=0123." + strconv.Itoa(pid) + "." + startTime(pid)}
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the process
		defer close(ended)
		_ = left.Wait()
	}()
	SweepOrphans()
	if err := syscall.Kill(left.Process.Pid, 0); err != nil {
		t.Fatal("the servers of one that lives were ended")
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it waits to be reaped", func() bool { return statField(pid, 3) == "Z" })
	SweepOrphans() // or the one of another test, which is as good
	defer owner.Wait()
	defer left.Process.Kill()
	eventually(t, "what it left has ended", func() bool { return within(ended, 0) })
}
