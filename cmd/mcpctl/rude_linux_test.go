package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/testdata/servers/rude"
)

// What a rude server may cost, whatever it does (design §9.2, §12).
const (
	mostMemory = 256 << 10 // KiB the supervisor ever holds
	mostLog    = 5<<20 + 256<<10
	// mostStop is a bound on `supervisor stop`: two seconds for stdin, three for
	// SIGTERM and one to sweep, and as much again for a machine that is busy.
	mostStop = 12 * time.Second
)

// A rudeCase is what a user does with a rude server, and gets.
type rudeCase struct {
	args []string // of the command; "bad" is the server
	exit int
	also []int  // other exit statuses that may come
	says string // matches what is said, on either stream
	// lasting: the misbehaviour goes on after the command, so it is waited for.
	lasting bool
}

var (
	callBad = []string{"call", "bad", "go", "--timeout", "1s"}
	listBad = []string{"tools", "bad", "--timeout", "10s"}
	testBad = []string{"test", "bad", "--timeout", "1s"}
)

var rudeCases = map[string]rudeCase{
	"silent":      {args: testBad, exit: 33, says: `no answer to initialize within 1s`},
	"silent-list": {args: testBad, exit: 33, says: `no answer to tools/list within 1s`},
	"silent-call": {args: callBad, exit: 33, says: `the tool 'go' gave no answer within 1s`, lasting: true},
	"stopped":     {args: callBad, exit: 33, says: `the tool 'go' gave no answer within 1s`},
	"deaf":        {args: append(slices.Clone(callBad), "--args", "@big.json"), exit: 33, says: `'go' gave no answer within 1s`, lasting: true},

	"answer-1gb":    {args: []string{"call", "bad", "go"}, exit: 41, says: `it may have run: a message is longer than 16 MiB`},
	"list-1gb":      {args: listBad, exit: 32, says: `a message is longer than 16 MiB`},
	"hello-1gb":     {args: listBad, exit: 32, says: `a message is longer than 16 MiB`},
	"answer-pieces": {args: []string{"call", "bad", "go"}, says: `x{1000}`},
	"answer-16mb":   {args: []string{"call", "bad", "go"}, says: `x{1000}`},
	"answer-broken": {args: callBad, exit: 33, says: `the tool 'go' gave no answer within 1s`},
	"answer-deep":   {args: callBad, exit: 32, says: `'go' is nested more than 900 levels deep`},
	"tool-deep":     {args: listBad, says: `bad +go +mcp__bad__go`},
	"tools-million": {args: listBad, exit: 32, says: `the server's list of tools is endless`},
	"pages-endless": {args: listBad, exit: 32, says: `more than 1000 pages`},
	"one-tool-10mb": {args: listBad, says: `bad +go +mcp__bad__go`},

	"stdout-endless":   {args: listBad, exit: 32, says: `a message is longer than 16 MiB`},
	"stdout-newlines":  {args: callBad, says: `done`, lasting: true},
	"stdout-noise":     {args: callBad, says: `done`, lasting: true},
	"stdout-binary":    {args: callBad, says: `done`, lasting: true},
	"stderr-lines":     {args: callBad, says: `done`, lasting: true},
	"stderr-endless":   {args: callBad, says: `done`, lasting: true},
	"stderr-binary":    {args: callBad, says: `done`, lasting: true},
	"notify-changed":   {args: callBad, says: `done`, lasting: true},
	"notify-log":       {args: callBad, says: `done`, lasting: true},
	"progress-forever": {args: []string{"call", "bad", "go", "--timeout", "100ms"}, exit: 33, says: `gave no answer within 100ms`, lasting: true},
	"asks-sampling":    {args: callBad, says: `"error":\{"code":-3\d+`},
	"asks-forever":     {args: callBad, says: `done`, lasting: true},

	"answers-twice": {args: callBad, says: `done`},
	"answers-early": {args: callBad, says: `done`},
	// Who answers before it is asked may hit what is asked next: then its own list.
	"answers-ahead":   {args: callBad, also: []int{14}, says: `done|has no tool 'go'`},
	"answers-others":  {args: callBad, says: `done`},
	"answers-string":  {args: callBad, exit: 33, says: `gave no answer within 1s`},
	"answers-both":    {args: callBad, exit: 40, says: `the server refused the call of 'go': both`},
	"answers-neither": {args: callBad, exit: 32, says: `the server answered the call of 'go' without a result`},

	"stays":          {args: callBad, says: `done`},
	"closes-stdout":  {args: callBad, exit: 41, says: `it may have run: the server closed its output`, lasting: true},
	"closes-stdin":   {args: callBad, says: `done`, lasting: true},
	"leaves":         {args: listBad, exit: 32, says: `left with status 3 before it answered`},
	"leaves-at-once": {args: listBad, exit: 32, says: `status 8`},
	"leaves-later":   {args: callBad, exit: 32, also: []int{41}, says: `exited with status 4`},
	"leaves-in-call": {args: callBad, exit: 41, says: `it may have run: exited with status 5`},
	"daemon":         {args: callBad, says: `done`, lasting: true},
	"daemon-leaves":  {args: listBad, exit: 32, says: `left with status 6 before it answered`, lasting: true},
	"children":       {args: callBad, says: `done`, lasting: true},
	"children-stay":  {args: callBad, says: `done`, lasting: true},
	"zombies":        {args: callBad, says: `done`, lasting: true},
}

// TestRudeServers: F1, F4, F5, F9, F11 and the fault matrix of servers. Whatever
// one server does, the user is told what it is; the server beside it is listed and
// called; the supervisor and its log stay small; and a stop leaves nothing.
func TestRudeServers(t *testing.T) {
	t.Parallel()
	for _, name := range rude.Modes() {
		c, ok := rudeCases[name]
		if !ok {
			t.Errorf("no case for the mode %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of them only wait
			rudeServer(t, name, c)
		})
	}
}

func rudeServer(t *testing.T, name string, c rudeCase) {
	p := newPlace(t)
	witness := filepath.Join(p.work, "witness")
	p.write("big.json", `{"a":"`+strings.Repeat("x", 8<<20)+`"}`)
	p.write(p.userFile(), fmt.Sprintf(`{"mcpServers":{"good":{"command":"echo-server"},
		"bad":{"command":"rude-server","args":["-mode",%q,"-witness",%q]}}}`, name, witness))
	p.exits([]int{0}, "call", "good", "echo", "text=before")
	pid := p.supervisor()

	a := p.exits(append(c.also, c.exit), c.args...)
	if !regexp.MustCompile(c.says).MatchString(a.out + a.err) {
		t.Errorf("mcpctl %q says\n%.2000s%.2000s\nwant %s", c.args, a.out, a.err, c.says)
	}
	if len(a.err) > 8<<10 {
		t.Errorf("%d bytes of errors", len(a.err))
	}
	if c.lasting {
		if err := until(func() error { _, err := os.Stat(witness); return err }); err != nil {
			t.Error(err)
		}
	}
	if a := p.exits([]int{0}, "call", "good", "echo", "text=beside"); a.out != "beside\n" {
		t.Errorf("the server beside it answered %q", a.out)
	}
	if a := p.exits([]int{0}, "tools", "good"); !strings.Contains(a.out, "mcp__good__echo") {
		t.Errorf("the tools of the server beside it:\n%s", a.out)
	}
	if a := p.exits([]int{0}, "list", "--json"); !strings.Contains(a.out, `"name":"bad"`) {
		t.Errorf("list:\n%s", a.out)
	}

	if most := highWater(t, pid); most > mostMemory {
		t.Errorf("the supervisor held %d MiB", most>>10)
	}
	began := time.Now()
	p.exits([]int{0}, "supervisor", "stop")
	if took := time.Since(began); took > mostStop {
		t.Errorf("stop took %s", took)
	}
	if left := leftovers(p.work); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	p.logIsBounded()
}

// logIsBounded wants a log, and of both its files the size they may have.
func (p *place) logIsBounded() {
	p.t.Helper()
	for file, must := range map[string]bool{"mcp.log": true, "mcp.log.1": false} {
		info, err := os.Stat(filepath.Join(p.home, ".local/state/mcpctl", file))
		if err != nil && must || err == nil && info.Size() > mostLog {
			p.t.Errorf("%s: %v, %+v", file, err, info)
		}
	}
}

// supervisor is the process id of the one that runs.
func (p *place) supervisor() int {
	p.t.Helper()
	var doc struct{ PID int }
	p.decode(p.exits([]int{0}, "supervisor", "status", "--json").out, &doc)
	return doc.PID
}

// highWater is the most memory a process ever held, in KiB.
func highWater(t *testing.T, pid int) int {
	t.Helper()
	for line := range strings.Lines(read(t, fmt.Sprintf("/proc/%d/status", pid))) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal(errors.New("the system does not tell the memory"))
	return 0
}

// TestRudeServersTogether: ten of them in one session, of the kinds that go on, cost no
// more than one, and a stop does not wait for them one after the other.
func TestRudeServersTogether(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	modes := []string{"stays", "stays", "stays", "children-stay", "silent", "stdout-noise", "stderr-lines", "notify-changed", "answers-twice", "leaves"}
	servers := []string{`"good":{"command":"echo-server"}`}
	for i, mode := range modes {
		servers = append(servers, fmt.Sprintf(`"bad%d":{"command":"rude-server","args":["-mode",%q]}`, i, mode))
	}
	p.write(p.userFile(), `{"mcpServers":{`+strings.Join(servers, ",")+`}}`)
	for range 20 {
		if a := p.exits([]int{0}, "call", "good", "echo", "text=beside"); a.out != "beside\n" {
			t.Errorf("the server beside them answered %q", a.out)
		}
		p.exits([]int{0}, "list")
	}
	pid := p.supervisor()
	if most := highWater(t, pid); most > mostMemory {
		t.Errorf("the supervisor held %d MiB", most>>10)
	}
	began := time.Now()
	p.exits([]int{0}, "supervisor", "stop")
	if took := time.Since(began); took > mostStop {
		t.Errorf("stop took %s", took)
	}
	if left := leftovers(p.work); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// TestB141MemoryAndLog: a server that talks without end and a client that sends a line
// without end cost a bounded log and bounded memory; many commands leave no descriptor.
func TestB141MemoryAndLog(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"chat":{"command":"rude-server","args":["-mode","stderr-lines","-witness","`+p.work+`/witness"]},"good":{"command":"echo-server"}}}`)
	p.exits([]int{0}, "tools")
	pid := p.supervisor()
	descriptors := func() int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := descriptors()
	if err := until(func() error { _, err := os.Stat(filepath.Join(p.work, "witness")); return err }); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("unix", filepath.Join(p.run, "mcpctl/supervisor-1.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sent, piece := 0, []byte(strings.Repeat("x", 1<<20))
	for err == nil && sent < 300 {
		_, err = conn.Write(piece)
		sent++
	}
	if err == nil {
		t.Errorf("the rude client was heard for %d MiB", sent)
	}
	for range 30 {
		p.exits([]int{0}, "list", "--json")
	}
	if err := until(func() error {
		if now := descriptors(); now > before {
			return fmt.Errorf("%d descriptors, %d before", now, before)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if most := highWater(t, pid); most > 150<<10 {
		t.Errorf("the supervisor held %d MiB", most>>10)
	}
	p.logIsBounded()
}

// TestST10ServersKeepTheirGroup: a server is in a process group of its own, and so is
// not reached by what a person types at the terminal of a command.
func TestST10ServersKeepTheirGroup(t *testing.T) {
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"x":{"command":"sh","args":["-c","cut -d' ' -f1,5,6 /proc/$$$$/stat >`+p.work+`/ids; exec stub-server"]}}}`)
	for _, args := range [][]string{{"test", "x"}, {"tools", "x"}} {
		p.exits([]int{0}, args...)
		var pid, group, session int
		if _, err := fmt.Sscan(read(t, filepath.Join(p.work, "ids")), &pid, &group, &session); err != nil {
			t.Fatal(err)
		}
		if pid != group {
			t.Errorf("%v: process %d is in group %d", args, pid, group)
		}
		if args[0] == "tools" && session != p.supervisor() {
			t.Errorf("%v: process %d is in session %d", args, pid, session)
		}
	}
}

// TestRudeAnswersAtOnce: the memory is bounded also when several answers of the
// largest size come at the same time.
func TestRudeAnswersAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(p.userFile(), `{"mcpServers":{"a":{"command":"rude-server","args":["-mode","answer-16mb"]},"b":{"command":"rude-server","args":["-mode","answer-16mb"]}}}`)
	p.exits([]int{0}, "tools")
	pid := p.supervisor()
	var calls sync.WaitGroup
	for i := range 4 {
		calls.Go(func() { // four times 16 MiB take their time
			ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
			defer cancel()
			if err := p.command(ctx, "call", []string{"a", "b"}[i%2], "go").Run(); err != nil {
				t.Errorf("a call: %v", err)
			}
		})
	}
	calls.Wait()
	most := highWater(t, pid)
	t.Logf("the supervisor held %d MiB", most>>10)
	if most > mostMemory {
		t.Error("that is too much")
	}
}
