package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// home is a home directory with a user's file.
type home struct {
	b        *testing.B
	dir      string
	file     string
	programs map[string]string
}

func newHome(b *testing.B, servers, foreign int) *home {
	b.Helper()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &home{b: b, dir: dir, file: filepath.Join(dir, ".config", "mcp", "mcp.json"), programs: programs(b)}
	h.write(servers, foreign)
	return h
}

// programs builds what is run, once for all benchmarks of a run.
var programs = func() func(*testing.B) map[string]string {
	built := map[string]string{}
	return func(b *testing.B) map[string]string {
		for _, pkg := range []string{"./cmd/mcpctl", "./bench/hello", "./bench/copy"} {
			name := filepath.Base(pkg)
			if built[name] != "" {
				continue
			}
			bin := filepath.Join(os.TempDir(), fmt.Sprintf("bench-%s-%d", name, os.Getpid()))
			cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, pkg)
			cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			built[name] = bin
		}
		return built
	}
}()

// TestMain takes the programs away again.
func TestMain(m *testing.M) {
	code := m.Run()
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("bench-*-%d", os.Getpid())))
	for _, path := range left {
		_ = os.Remove(path)
	}
	os.Exit(code)
}

// write makes the file: servers, behind about foreign bytes of another program's.
func (h *home) write(servers, foreign int) {
	doc := map[string]any{}
	entries := map[string]any{}
	for i := range servers {
		entries[fmt.Sprintf("s%d", i)] = map[string]any{"command": "npx", "args": []string{"-y", fmt.Sprintf("server-%d", i)}, "env": map[string]string{"LEVEL": "info"}}
	}
	doc["mcpServers"] = entries
	history := []any{}
	for size := 0; size < foreign; size += 400 {
		history = append(history, map[string]any{"display": strings.Repeat("pasted “text” \"quoted\"\n", 12), "at": 1700000000 + size})
	}
	if foreign > 0 {
		doc["history"] = history
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(h.file), 0o700)
	}
	if err == nil {
		err = os.WriteFile(h.file, text, 0o600)
	}
	if err != nil {
		h.b.Fatal(err)
	}
}

// used is what one process took.
type used struct{ wall, cpu time.Duration }

func (h *home) run(program string, args ...string) used {
	cmd := exec.Command(h.programs[program], args...)
	cmd.Dir = h.dir
	cmd.Env = []string{"HOME=" + h.dir, "XDG_RUNTIME_DIR=" + h.dir, "TMPDIR=" + h.dir, "PATH=" + os.Getenv("PATH")}
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		h.b.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
	return used{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

// compare runs two programs in turn and reports the medians of the ratios.
func (h *home) compare(name string, run, floor func() used) {
	h.b.Run(name, func(b *testing.B) {
		var wall, cpu []float64
		run()
		floor()
		for b.Loop() {
			below, above := floor(), run()
			wall = append(wall, float64(above.wall)/float64(below.wall))
			cpu = append(cpu, float64(above.cpu)/float64(max(1, below.cpu)))
		}
		b.ReportMetric(median(wall), "x-wall")
		b.ReportMetric(median(cpu), "x-cpu")
	})
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// BenchmarkFiles divides what people do with files by floors: `hello` is a command
// line that does nothing, `read` reads the file, `copy` writes it back durably.
//
//	go test -run xxx -bench Files -benchtime 15x ./bench
func BenchmarkFiles(b *testing.B) {
	for _, size := range []struct {
		name             string
		servers, foreign int
	}{{"5", 5, 0}, {"1000", 1000, 0}, {"40MB", 5, 40 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			h := newHome(b, size.servers, size.foreign)
			h.b = b
			n := 0
			list := func() used { return h.run("mcpctl", "list", "--json") }
			h.compare("list/hello", list, func() used { return h.run("hello", "--version") })
			h.compare("list/read", list, func() used { return h.run("copy", h.file) })
			h.compare("lint/read", func() used { return h.run("mcpctl", "lint") }, func() used { return h.run("copy", h.file) })
			h.compare("complete/hello", func() used { return h.run("mcpctl", "__complete", "show", "s") },
				func() used { return h.run("hello", "--version") })
			h.compare("add/copy", func() used {
				n++
				return h.run("mcpctl", "add", fmt.Sprintf("new%d", n), "--", "/bin/true")
			}, func() used { return h.run("copy", h.file, "back") })
		})
	}
}

// BenchmarkStart is --version, which is what linking everything costs.
func BenchmarkStart(b *testing.B) {
	h := newHome(b, 5, 0)
	h.compare("version/hello", func() used { return h.run("mcpctl", "--version") }, func() used { return h.run("hello", "--version") })
}

// BenchmarkWriters lets 20 processes add 50 servers each to one file. None may be
// lost; that is the one thing that fails here.
func BenchmarkWriters(b *testing.B) {
	const writers, each = 20, 50
	for b.Loop() {
		h := newHome(b, 0, 0)
		start := time.Now()
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					h.run("mcpctl", "add", fmt.Sprintf("w%d-%d", w, i), "--", "/bin/true")
				}
			})
		}
		wg.Wait()
		b.ReportMetric(writers*each/time.Since(start).Seconds(), "edits/s")
		var doc struct{ McpServers map[string]any }
		data, err := os.ReadFile(h.file)
		if err == nil {
			err = json.Unmarshal(data, &doc)
		}
		if err != nil || len(doc.McpServers) != writers*each {
			b.Fatalf("%d servers, want %d: %v", len(doc.McpServers), writers*each, err)
		}
	}
}
