package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// The tests of this file do the same thing over and over. MCPCTL_STRESS=1 has them
// do it as often as the promise says; otherwise a few rounds have to do.

// rounds is how often a test repeats: some for every run, all with MCPCTL_STRESS.
func rounds(some, all int) int {
	if os.Getenv("MCPCTL_STRESS") != "" {
		return all
	}
	return some
}

// info is the supervisor as `supervisor start` or status describes it.
func (p *place) info(verb string) wire.Info {
	p.t.Helper()
	var info wire.Info
	p.decode(p.exits([]int{0}, "supervisor", verb, "--json").out, &info)
	return info
}

// kill ends a process the hard way and waits until it is gone.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

func gone(t *testing.T, pid int) {
	t.Helper()
	if err := until(func() error {
		if syscall.Kill(pid, 0) == nil && !zombie(pid) {
			return fmt.Errorf("process %d lives", pid)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// descriptorsOf counts what a process has open. A process that is closed to others
// shows it to root only.
func descriptorsOf(t *testing.T, pid int) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Skip("the descriptors of another process are not to be seen: ", err)
	}
	return len(entries)
}

// names lists a directory.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// killedServers is a user's file of ten servers: plain ones, some with children, in
// their own session or daemons that nobody is the parent of, and one that ignores
// all that is polite.
func (p *place) killedServers() {
	p.t.Helper()
	args := [][]string{{}, {}, {}, {"-child", p.work + "/pid0"}, {"-child", p.work + "/pid1"}, {"-child-setsid", p.work + "/pid2"}, {"-child-setsid", p.work + "/pid3"},
		{"-child-forked", p.work + "/pid4"}, {"-child-forked", p.work + "/pid5"}, {"-ignore-eof", "-ignore-term"}}
	entries := map[string]any{}
	for i, a := range args {
		entries[fmt.Sprintf("s%d", i)] = map[string]any{"command": "stub-server", "args": a}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(p.userFile(), string(text))
}

// connected waits until n servers are.
func (p *place) connected(n int) {
	p.t.Helper()
	var doc wire.Tools
	p.decode(p.exits([]int{0}, "tools", "--json").out, &doc)
	if len(doc.Servers) != n {
		p.t.Fatalf("%d servers, want %d", len(doc.Servers), n)
	}
	for _, s := range doc.Servers {
		if s.State != wire.Connected || len(s.Tools) == 0 {
			p.t.Fatalf("%s is %s (%v)", s.Name, s.State, s.Error)
		}
	}
}

// describe is what a process is, as far as the system tells.
func describe(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	marker := regexp.MustCompile("MCPCTL_SERVER=[^\x00]*").Find(environ)
	return fmt.Sprintf("%q %s %s", line, stat, marker)
}

// TestKilledSupervisorsLeaveNothing (S1): a supervisor that is killed leaves no
// process, socket, descriptor or file behind once the next one runs, and the servers
// are back; whatever they started and however far that went away from them.
func TestKilledSupervisorsLeaveNothing(t *testing.T) {
	n := rounds(4, 200)
	p := newPlace(t)
	p.killedServers()
	const processes = 1 + 10 + 6 // the supervisor, its servers, their descendants
	var files []string
	var descriptors int
	var back []time.Duration
	for round := range n {
		began := time.Now()
		pid := p.info("start").PID
		p.connected(10)
		back = append(back, time.Since(began))
		// One that was left would stand beside its successor.
		if err := until(func() error {
			if left := leftovers(p.work); len(left) != processes {
				return fmt.Errorf("round %d: %d processes, want %d", round, len(left), processes)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		now := append(filesIn(t, filepath.Join(p.run, "mcpctl")), filesIn(t, filepath.Join(p.work, "tmp"))...)
		if round == 0 {
			files, descriptors = now, descriptorsOf(t, pid)
		}
		if !slices.Equal(now, files) {
			t.Fatalf("round %d: the files are %v, and were %v", round, now, files)
		}
		if err := until(func() error { // a connection may just be ending
			if open := descriptorsOf(t, pid); open > descriptors+2 {
				return fmt.Errorf("round %d: %d descriptors, %d at first", round, open, descriptors)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		kill(t, pid)
	}
	p.info("start")
	p.exits([]int{0}, "supervisor", "stop")
	for _, pid := range leftovers(p.work) {
		t.Errorf("after stop there is still %s", describe(pid))
	}
	if now := filesIn(t, filepath.Join(p.run, "mcpctl")); slices.Contains(now, "supervisor-1.sock") || len(now) != 2 {
		t.Errorf("after stop there are %v", now)
	}
	slices.Sort(back)
	t.Logf("%d rounds; ten servers back in %s (median), %s (95 of 100)", n, back[len(back)/2].Round(time.Millisecond), back[len(back)*95/100].Round(time.Millisecond))
}

// TestD4ManyStartsAtOnce: any number of commands that start the supervisor at the
// same time make one, and none fails; half of the rounds over what a killed one left.
func TestD4ManyStartsAtOnce(t *testing.T) {
	n, starters := rounds(2, 20), rounds(25, 100)
	p := newPlace(t)
	var slowest time.Duration
	for round := range n {
		answers := make([]answer, starters)
		began := time.Now()
		var wg sync.WaitGroup
		for i := range starters {
			wg.Go(func() { answers[i] = p.mcpctl("supervisor", "start", "--json") })
		}
		wg.Wait()
		slowest = max(slowest, time.Since(began))
		pids := map[int]bool{}
		for i, a := range answers {
			var info wire.Info
			if a.exit != 0 || json.Unmarshal([]byte(a.out), &info) != nil {
				t.Fatalf("round %d: start %d: exit status %d\n%s%s", round, i, a.exit, a.out, a.err)
			}
			pids[info.PID] = true
		}
		if left := leftovers(p.work); len(pids) != 1 || len(left) != 1 {
			t.Fatalf("round %d: the supervisors %v answered, and %v run", round, pids, left)
		}
		for pid := range pids {
			if round%2 == 0 {
				kill(t, pid)
			} else {
				p.exits([]int{0}, "supervisor", "stop")
			}
		}
	}
	t.Logf("%d rounds of %d starts; the slowest took %s in all", n, starters, slowest.Round(time.Millisecond))
}

// ownCalls is the command `own-calls SERVER N WHO`: N calls in flight at once over
// one connection, each with words of its own, which have to come back to it.
func ownCalls() {
	if err := runOwnCalls(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "own-calls:", err)
		os.Exit(1)
	}
}

func runOwnCalls(server, calls, who string) error {
	n, err := strconv.Atoi(calls)
	if err != nil {
		return err
	}
	env := store.NewEnviron(os.Environ())
	s, err := store.Open(env, ".", "")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 6*patience)
	defer cancel()
	c, err := supervisor.Dial(ctx, supervisor.DialOptions{Places: s.Places, Version: "test"})
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SendOpen(ctx, wire.SessionOpen{ID: wire.DefaultSession, Workspace: s.Workspace.Dir, Client: s.Client.Name, Env: env.List()}); err != nil {
		return err
	}
	errs := make(chan error, n)
	for i := range n {
		go func() { // ends with the call
			own := fmt.Sprintf(`{"own":"%s-%d"}`, who, i)
			result, err := c.CallTool(ctx, wire.CallTool{Session: wire.DefaultSession, Server: server, Tool: "echo", Arguments: json.RawMessage(own), TimeoutMS: (6 * patience).Milliseconds()})
			var answer struct{ Content []struct{ Text string } }
			if err == nil {
				err = json.Unmarshal(result.Result, &answer)
			}
			if err == nil && (len(answer.Content) != 1 || answer.Content[0].Text != own) {
				err = fmt.Errorf("asked with %s, and %s came", own, result.Result)
			}
			errs <- err
		}()
	}
	for range n {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// TestD10EveryCallerGetsItsOwn: many processes have many calls in flight at one
// server, which answers when the last has come, late and in no order.
func TestD10EveryCallerGetsItsOwn(t *testing.T) {
	callers, calls := rounds(20, 100), 10
	p := newPlace(t)
	p.write(p.userFile(), fmt.Sprintf(`{"mcpServers":{"s":{"command":"stub-server","args":["-gather","%d","-pause","2ms"],"timeout":"120s"}}}`, callers*calls))
	pid := p.info("start").PID
	p.connected(1)
	before := descriptorsOf(t, pid)
	ctx, cancel := context.WithTimeout(t.Context(), 6*patience)
	defer cancel()
	began := time.Now()
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			cmd := exec.CommandContext(ctx, "own-calls", "s", strconv.Itoa(calls), fmt.Sprintf("caller%d", i))
			cmd.Dir, cmd.Env = p.repo, p.command(ctx).Env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("caller %d: %v\n%s", i, err, out)
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls in flight from %d processes: %s", callers*calls, callers, time.Since(began).Round(time.Millisecond))
	if err := until(func() error {
		if now := descriptorsOf(t, pid); now > before+1 { // the file of outputs is open from the first on
			return fmt.Errorf("%d descriptors, and %d before", now, before)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestC10OnlyThreeDescriptors: however many servers start at the same time, while
// others come and go, each gets its three streams and nothing of the supervisor's.
func TestC10OnlyThreeDescriptors(t *testing.T) {
	servers, again := rounds(20, 50), rounds(2, 20)
	p := newPlace(t)
	note := filepath.Join(p.work, "open")
	// A shell has none of its own but the one it reads the folder with, which is
	// closed again when it looks closer.
	script := `for f in /proc/$$/fd/*; do [ -L "$f" ] && l="$l ${f##*/}"; done; echo $l >>'` + note + `'; exec stub-server`
	entries := map[string]any{}
	for i := range servers {
		entries[fmt.Sprintf("s%d", i)] = map[string]any{"command": "sh", "args": []string{"-c", strings.ReplaceAll(script, "$", "$$")}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	p.write(p.userFile(), string(text))
	for range again {
		var wg sync.WaitGroup
		for i := range 4 { // edits and questions meanwhile
			wg.Go(func() { p.mcpctl("add", fmt.Sprintf("t%d", i), "--disabled", "--", "sh") })
			wg.Go(func() { p.mcpctl("tools", "s0") })
		}
		p.exits([]int{0}, "tools", "--json")
		wg.Wait()
		p.exits([]int{0}, "supervisor", "stop")
	}
	data, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < servers*again {
		t.Errorf("only %d servers have started", len(lines))
	}
	for _, line := range lines {
		if line != "0 1 2" {
			t.Errorf("a server got other descriptors than its streams: %s", line)
		}
	}
	t.Logf("%d starts", len(lines))
}
