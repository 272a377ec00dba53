package dial

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The rest of a server's processes are gone when Close returns, however they try
// to stay (B051, B052).
func TestCloseEndsAll(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"plain":                nil,
		"grandchild":           {"-child", "child"},
		"grandchild, no TERM":  {"-child", "child", "-ignore-term"},
		"grandchild, setsid":   {"-child-setsid", "child"},
		"ignores EOF":          {"-ignore-eof"},
		"ignores EOF and TERM": {"-ignore-eof", "-ignore-term", "-child", "child"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(name, "setsid") && runtime.GOOS != "linux" {
				t.Skip("only Linux shows who escaped")
			}
			f := newFixture(t, "stub")
			for i, flag := range flags {
				if flag == "child" {
					flags[i] = f.path("child")
				}
			}
			f.entry["args"] = append([]string{"stub"}, flags...)
			c := f.connect()
			pids := []int{c.PID()}
			if strings.Contains(strings.Join(flags, " "), "child") {
				pids = append(pids, pidIn(t, f.path("child")))
			}
			began := time.Now()
			c.Close()
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("closing took %s", took)
			}
			for _, pid := range pids {
				if alive(t, pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
			if c.Err() != nil {
				t.Errorf("after Close: %v", c.Err())
			}
		})
	}
}

func TestCloseIsGentle(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-mark-end")
	f.entry["args"] = append(f.entry["args"].([]string), f.path("end"))
	f.connect().Close()
	data, _ := os.ReadFile(f.path("end"))
	if !strings.Contains(string(data), `"eof"`) {
		t.Errorf("the server did not end by itself: %q", data)
	}
}

func TestCloseConcurrently(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub").connect()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { c.Close() })
	}
	all.Wait()
	if !within(c.Done(), 0) || alive(t, c.PID()) {
		t.Error("not closed")
	}
	_, err := c.CallTool(t.Context(), "echo", nil, time.Second)
	wantError(t, err, CodeConnectFailed, "closed")
}

// A server that ends by itself takes what it started with it, and says why.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-exit-on", "tools/call", "-stderr-text", "out of paper", "-child")
	f.entry["args"] = append(f.entry["args"].([]string), f.path("child"))
	c := f.connect()
	child := pidIn(t, f.path("child"))
	if c.Err() != nil || within(c.Done(), 0) {
		t.Fatal("ended at once")
	}
	_, err := c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeOutcomeUnknown, "may have run", "exited with status 7; its last words on stderr: out of paper")
	if !within(c.Done(), patience) {
		t.Fatal("not done")
	}
	wantError(t, c.Err(), CodeConnectFailed, "exited with status 7; its last words on stderr: out of paper")
	eventually(t, "the child ends without Close", func() bool { return !alive(t, child) })
	_, err = c.CallTool(t.Context(), "echo", nil, 0)
	wantError(t, err, CodeConnectFailed, "exited with status 7")
}

func TestServerIsKilled(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "stub").connect()
	syscall.Kill(c.PID(), syscall.SIGKILL)
	if !within(c.Done(), patience) {
		t.Fatal("not done")
	}
	wantError(t, c.Err(), CodeConnectFailed, "killed by signal 9 (killed)")
}

func TestServerClosesItsOutput(t *testing.T) {
	t.Parallel()
	c := newFixture(t, "odd", "closes-stdout").connect()
	if !within(c.Done(), patience) {
		t.Fatal("not done")
	}
	wantError(t, c.Err(), CodeConnectFailed, "the server closed its output")
}

func TestSweepOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows markers")
	}
	start := func(marker string) int {
		cmd := exec.Command("sleep", "600")
		cmd.Env = []string{markerName + "=" + marker}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd.Process.Pid
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	orphan := start("aaaa." + strconv.Itoa(gone.Process.Pid) + ".1")
	reused := start(fmt.Sprintf("bbbb.%d.1", os.Getpid())) // the number is ours, the start is not
	ours := start(newMarker())
	foreign := start("no such form")
	SweepOrphans() // how many is not known: a supervisor of another test may come first
	eventually(t, "the orphans end", func() bool { return !alive(t, orphan) && !alive(t, reused) })
	if !alive(t, ours) || !alive(t, foreign) {
		t.Error("a process that is no orphan was killed")
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9000)
	r := newLineReader(strings.NewReader("a\r\n\n"+long+"\nb"), 10_000)
	for _, want := range []string{"a", "", long, "b"} {
		line, whole, err := r.next()
		if string(line) != want || !whole || err != nil {
			t.Errorf("%.20q %v %v, want %.20q", line, whole, err, want)
		}
	}
	if _, _, err := r.next(); err != io.EOF {
		t.Error(err)
	}
	r = newLineReader(io.LimitReader(endless{}, 1<<30), 20_000)
	if line, whole, err := r.next(); whole || err != nil || len(line) > 30_000 {
		t.Error(len(line), whole, err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestTail(t *testing.T) {
	t.Parallel()
	var k tail
	for i := range 30 {
		k.add(fmt.Sprint("line ", i))
	}
	if got := k.behind(); !strings.HasPrefix(got, lastWords+"\nline 10\n") || !strings.HasSuffix(got, "line 29") {
		t.Errorf("%q", got)
	}
	k.add(strings.Repeat("y", 5000))
	if got := k.behind(); len(got) > tailBytes+len(lastWords)+10 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestStderrFlood(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "stub", "-stderr-bytes", "2000000")
	f.connect()
	eventually(t, "all of stderr is read", func() bool { return len(f.logged("stderr")) > 2_000_000 })
}
