// Package bench measures mcpctl against floors, in the same run. It never fails
// for being slow: a number is for reading, not for passing.
//
//	go test -bench . -benchtime 2000x ./bench
package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// build compiles a program of this module into the benchmark's own folder.
func build(b *testing.B, pkg string) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-trimpath", "-o", bin, pkg)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return bin
}

// BenchmarkWarmCall is one `echo` call on a connection that is there: through the
// supervisor's socket, and with the protocol library in this process (W3). The two take
// turns, so that both have the same machine. x-direct is what the first takes of the
// second, medians of each; the rest is processor time in microseconds for one call: of
// the library, of the client of the socket, and of the supervisor.
//
//	go test -run xxx -bench WarmCall -benchtime 3000x ./bench
func BenchmarkWarmCall(b *testing.B) {
	h := newHouse(b, 1)
	h.connected()
	direct := h.direct()
	defer direct.Close()
	ways := []func() error{func() error { return echo(direct) }, func() error { return h.call("e0-0") }}
	const warm = 200 // until buffers and heaps have their size
	for range warm {
		for _, call := range ways {
			h.check(call())
		}
	}
	var took [2][]float64
	var busy [2]time.Duration
	before := h.ticks()
	for b.Loop() {
		for i, call := range ways {
			cpu, start := ownTime(), time.Now()
			h.check(call())
			took[i] = append(took[i], float64(time.Since(start)))
			busy[i] += ownTime() - cpu
		}
	}
	calls := float64(len(took[0]))
	b.ReportMetric(median(took[1])/median(took[0]), "x-direct")
	b.ReportMetric(median(took[1])/1e3, "p50-us")
	b.ReportMetric(float64(busy[0].Microseconds())/calls, "cpu-direct")
	b.ReportMetric(float64(busy[1].Microseconds())/calls, "cpu-client")
	b.ReportMetric(float64(h.ticks()-before)*1e4/calls, "cpu-supervisor")
}

func echo(s *mcp.ClientSession) error {
	_, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
	return err
}

// ownTime is the processor time of this process.
func ownTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
