package dial

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Nothing is left behind, whatever the connection was and however it ended. It
// does not run beside other tests.
func TestNothingIsLeft(t *testing.T) {
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if r.Method != http.MethodGet {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(200)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	})
	old := oldServer(t, func(*web) string { return "/messages" }).fixture(t)
	old.entry["type"] = "sse"
	silent := newFixture(t, "stub", "-hang", "initialize")
	silent.options.StartTimeout = 100 * time.Millisecond
	hung := newWeb(t, func(_ http.ResponseWriter, r *http.Request, _ oddMessage) bool {
		<-r.Context().Done()
		return true
	}).fixture(t)
	hung.options.StartTimeout = 100 * time.Millisecond
	all := []*fixture{newFixture(t, "stub"), newFixture(t, "echo"), s.fixture(t), old, silent, hung, newFixture(t, "stub", "-exit", "1")}
	round := func() {
		for _, f := range all {
			f.options.ListChanged = func(string) {}
			c, err := f.open()
			if err != nil {
				continue
			}
			c.CallTool(t.Context(), "echo", nil, 0)
			c.Close()
		}
	}
	round() // what is made once, such as the poller, is there from now on
	goroutines, files := runtime.NumGoroutine(), descriptors()
	defer func() {
		if t.Failed() {
			buf := make([]byte, 1<<20)
			t.Logf("%s", buf[:runtime.Stack(buf, true)])
		}
	}()
	round()
	eventually(t, "goroutines and files are as before", func() bool {
		runtime.GC()
		return runtime.NumGoroutine() <= goroutines && descriptors() <= files
	})
}

// descriptors counts the open files of this process, sockets apart: the test's
// own servers have those.
func descriptors() (n int) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if target, _ := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); !strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}
