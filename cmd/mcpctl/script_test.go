package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/testdata/servers/crash"
	"github.com/mcpctl/mcpctl/testdata/servers/echo"
	httpserver "github.com/mcpctl/mcpctl/testdata/servers/http"
	"github.com/mcpctl/mcpctl/testdata/servers/noisy"
	"github.com/mcpctl/mcpctl/testdata/servers/oauth"
	"github.com/mcpctl/mcpctl/testdata/servers/rude"
	"github.com/mcpctl/mcpctl/testdata/servers/slow"
	"github.com/mcpctl/mcpctl/testdata/servers/stub"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcpctl":       main,
		"echo-server":  echo.Main,
		"stub-server":  stub.Main,
		"slow-server":  slow.Main,
		"crash-server": crash.Main,
		"noisy-server": noisy.Main,
		"http-server":  httpserver.Main,
		"oauth-server": oauth.Main,
		"fakebrowser":  oauth.Browse,
		"sign-in":      signIn,
		"sign-out":     signOut,
		"rude-server":  rude.Main,
		"unprivileged": unprivileged,
		"knock":        knock,

		"other-supervisor": otherSupervisor,
		"own-calls":        ownCalls,
	})
}

// patience is how long a script waits for something that happens elsewhere. It
// is a bound for a broken build, not a timing.
const patience = time.Minute

func TestScripts(t *testing.T) {
	t.Parallel()
	npm, err := filepath.Abs("../../testdata/npm/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup:               func(env *testscript.Env) error { return setup(env, npm) },
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "npm":
				_, err := os.Stat(npm)
				return err == nil, nil
			case "strace":
				_, err := exec.LookPath("strace")
				return err == nil, nil
			case "mount":
				return mayMount(), nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json":        cmdJSON,
			"one-block":   cmdOneBlock,
			"wait-state":  cmdWaitState,
			"wait-file":   cmdWaitFile,
			"wait-socket": cmdWaitSocket,
			"fingerprint": cmdFingerprint,
			"gone":        cmdGone,
			"lines":       cmdLines,
			"exits":       cmdExits,
			"sub":         cmdSub,
			"octal":       cmdOctal,
			"memory":      cmdMemory,
			"tty":         cmdTTY,
			"golden":      cmdGolden,
			"port":        cmdPort,
			"zip":         cmdZip,
			"sarif":       cmdSarif,
			"junit":       cmdJUnit,
		},
	})
}

// setup gives each script a home, a project and a runtime directory of its own,
// and ends and looks for what it left running.
func setup(env *testscript.Env, npm string) error {
	// A socket's path must be short, and $WORK is not.
	run, err := os.MkdirTemp("/tmp", "m")
	if err != nil {
		return err
	}
	home := filepath.Join(env.WorkDir, "home")
	for _, dir := range []string{home, filepath.Join(env.WorkDir, "repo"), filepath.Join(env.WorkDir, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "tmp"))
	env.Setenv("XDG_RUNTIME_DIR", run)
	env.Setenv("XDG_CONFIG_HOME", "")
	env.Setenv("XDG_STATE_HOME", "")
	env.Setenv("MCPCTL_CREDENTIALS", "file") // not the keyring of who runs the tests
	env.Setenv("NPM", npm)
	env.Setenv("U", filepath.Join(home, ".config/mcp/mcp.json"))
	env.Setenv("C", filepath.Join(home, ".config/mcpctl/config.json"))
	env.Setenv("STATE", filepath.Join(home, ".local/state/mcpctl"))
	env.Setenv("GORACE", "atexit_sleep_ms=0") // else each process lingers for a second
	env.Defer(func() {
		stop := exec.Command("mcpctl", "supervisor", "stop")
		stop.Env, stop.Dir = env.Vars, env.WorkDir
		out, err := stop.CombinedOutput()
		if err != nil {
			env.T().Log("supervisor stop:", err, string(out))
		}
		var left []int
		_ = until(func() error { // one that is on its way out is not left running
			if left = leftovers(env.WorkDir); len(left) > 0 {
				return errors.New("processes are left")
			}
			return nil
		})
		if len(left) > 0 {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			env.T().Log("the script left processes running:", left)
			env.T().FailNow()
		}
		_ = os.RemoveAll(run)
	})
	return nil
}

// leftovers finds processes whose home is the script's.
func leftovers(work string) []int {
	var pids []int
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte("HOME="+filepath.Join(work, "home"))) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && !zombie(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(data), ") Z ")
}

// until tries f until it succeeds or patience ends.
func until(f func() error) error {
	deadline := time.Now().Add(patience)
	for {
		err := f()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// exits N CMD ARGS... runs a command and wants exactly this exit status.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// memory MIB N CMD ARGS... is exits with a bound on what the process, not its
// children, ever held resident.
func cmdMemory(ts *testscript.TestScript, neg bool, args []string) {
	most, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	cmd := command(ts, args[2], args[3:]...)
	forgetPeak()
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit status %d, want %d:\n%s", got, want, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		ts.Fatalf("the system does not tell the memory")
	}
	used := usage.Maxrss >> 10 // KiB, on macOS bytes
	if runtime.GOOS == "darwin" {
		used >>= 10
	}
	if used > most {
		ts.Fatalf("it held %d MiB, at most %d are allowed", used, most)
	}
	ts.Logf("%s", out)
}

// json FILE PATH [WANT] looks into a JSON document: path steps are .key,
// .key[N] and [key=value]; "len" at the end is a list's length. Without WANT it
// wants the path to exist; with "!" it wants it absent, or different.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	var doc any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	ts.Check(dec.Decode(&doc))
	got, err := dig(doc, args[1])
	text := plain(got)
	switch {
	case err != nil && !neg:
		ts.Fatalf("%s: %v", args[1], err)
	case err == nil && neg && len(args) == 2:
		ts.Fatalf("%s is there: %s", args[1], text)
	case err == nil && len(args) > 2 && (text == args[2]) == neg:
		ts.Fatalf("%s is %s, want %s (neg=%v)", args[1], text, args[2], neg)
	}
}

func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSpace(b.String())
}

var step = regexp.MustCompile(`^\.?([^.\[\]]+)|^\[([^\]=]+)=([^\]]*)\]|^\[(\d+)\]`)

func dig(v any, path string) (any, error) {
	for path != "" && path != "." {
		m := step.FindStringSubmatch(path)
		if m == nil {
			return nil, fmt.Errorf("bad path at %q", path)
		}
		rest := path[len(m[0]):]
		list, isList := v.([]any)
		obj, isObject := v.(map[string]any)
		switch {
		case m[1] == "len" && isList:
			v = json.Number(strconv.Itoa(len(list)))
		case m[1] != "" && isObject:
			next, ok := obj[m[1]]
			if !ok {
				return nil, fmt.Errorf("no key %q", m[1])
			}
			v = next
		case m[2] != "" && isList:
			found := false
			for _, el := range list {
				if o, ok := el.(map[string]any); ok && plain(o[m[2]]) == m[3] {
					v, found = el, true
					break
				}
			}
			if !found {
				return nil, fmt.Errorf("no element with %s=%s", m[2], m[3])
			}
		case m[4] != "" && isList:
			i, _ := strconv.Atoi(m[4])
			if i >= len(list) {
				return nil, fmt.Errorf("only %d elements", len(list))
			}
			v = list[i]
		default:
			return nil, fmt.Errorf("%q does not lead on from %s", m[0], plain(v))
		}
		path = rest
	}
	return v, nil
}

// one-block OLD NEW wants NEW to be OLD with one block put in, and at most one
// comma in front of it: no other byte moved. With "!" the other way round: OLD
// with one block taken out.
func cmdOneBlock(ts *testscript.TestScript, neg bool, args []string) {
	before, after := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if neg {
		before, after = after, before
	}
	at, ok := oneBlock(before, after)
	if !ok && at < len(after) && after[at] == ',' {
		_, ok = oneBlock(before[:at]+","+before[at:], after)
	}
	if !ok || before == after {
		ts.Fatalf("not one block: the bytes differ from offset %d\n--- before\n%s\n--- after\n%s", at, before, after)
	}
}

func oneBlock(before, after string) (at int, ok bool) {
	for at < len(before) && at < len(after) && before[at] == after[at] {
		at++
	}
	end := 0
	for end < len(before)-at && end < len(after)-at && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return at, at+end == len(before)
}

// wait-state NAME STATE [TOOLS] waits until the status shows a server so. It
// keeps a watch open in between, so that the session is there.
func cmdWaitState(ts *testscript.TestScript, neg bool, args []string) {
	err := until(func() error {
		out, err := output(ts, "mcpctl", "status", "--json")
		if err != nil && len(out) == 0 {
			return err
		}
		var doc struct {
			Servers []struct {
				Name, State, Detail string
				Tools               *int
			}
		}
		if err := json.Unmarshal(out, &doc); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		for _, s := range doc.Servers {
			if s.Name != args[0] {
				continue
			}
			if s.State != args[1] || len(args) > 2 && (s.Tools == nil || strconv.Itoa(*s.Tools) != args[2]) {
				return fmt.Errorf("%s is %s (%s), not %s", s.Name, s.State, s.Detail, strings.Join(args[1:], " "))
			}
			return nil
		}
		return fmt.Errorf("no server %s in %s", args[0], out)
	})
	ts.Check(err)
}

func output(ts *testscript.TestScript, name string, args ...string) ([]byte, error) {
	return command(ts, name, args...).Output()
}

// command is one that runs as the script's own would.
func command(ts *testscript.TestScript, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR", "PATH", "GORACE", "MCPCTL_CREDENTIALS"} {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	return cmd
}

// wait-file FILE [PATTERN] waits until a file is there and matches.
func cmdWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(until(func() error {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil {
			return err
		}
		if len(args) > 1 && !regexp.MustCompile("(?m)"+args[1]).Match(data) {
			return fmt.Errorf("%s does not match %q:\n%s", args[0], args[1], data)
		}
		return nil
	}))
}

// fingerprint NAME VAR puts the fingerprint of the project's entry into a
// variable.
func cmdFingerprint(ts *testscript.TestScript, neg bool, args []string) {
	out, err := output(ts, "mcpctl", "approve", "--list", args[0], "--json")
	ts.Check(err)
	var doc any
	ts.Check(json.Unmarshal(out, &doc))
	fp, err := dig(doc, ".servers[0].fingerprint")
	ts.Check(err)
	ts.Setenv(args[1], plain(fp))
}

// gone FILE wants the process whose id the file holds to be gone, soon.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	if m := regexp.MustCompile(`"pid":\s*(\d+)`).FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	pid, err := strconv.Atoi(text)
	ts.Check(err)
	ts.Check(until(func() error {
		if alive := syscall.Kill(pid, 0) == nil && !zombie(pid); alive != neg {
			return fmt.Errorf("process %d: alive=%v", pid, alive)
		}
		return nil
	}))
}

// lines FILE N wants a file with exactly N lines; a missing one has none.
func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	if err != nil && !os.IsNotExist(err) {
		ts.Fatalf("%v", err)
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := bytes.Count(data, []byte("\n")); (got == want) == neg {
		ts.Fatalf("%s has %d lines, want %d (neg=%v):\n%s", args[0], got, want, neg, data)
	}
}

// sub FILE OLD NEW replaces text in a file, in place.
func cmdSub(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}

// octal FILE TEXT writes text with Go's escapes, such as \r and \xef, to a file.
func cmdOctal(ts *testscript.TestScript, neg bool, args []string) {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
}

// zip FILE NAME=SOURCE... packs files under the names given; NAME may end in !x for an
// executable one, and !l for a symbolic link to what the source holds.
func cmdZip(ts *testscript.TestScript, neg bool, args []string) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, arg := range args[1:] {
		name, source, _ := strings.Cut(arg, "=")
		h := &zip.FileHeader{Method: zip.Deflate}
		h.SetMode(0o644)
		if bare, ok := strings.CutSuffix(name, "!x"); ok {
			name = bare
			h.SetMode(0o755)
		}
		if bare, ok := strings.CutSuffix(name, "!l"); ok {
			name = bare
			h.SetMode(0o777 | fs.ModeSymlink)
		}
		h.Name = name
		w, err := z.CreateHeader(h)
		ts.Check(err)
		_, err = w.Write([]byte(ts.ReadFile(source)))
		ts.Check(err)
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}
