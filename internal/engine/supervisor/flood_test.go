package supervisor

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/record"
)

// TestFloods: a server writes a burst whole, then its share; it is heard again when
// it has been quiet, and how much was left out is told.
func TestFloods(t *testing.T) {
	var f floods
	now := time.Date(2026, 9, 30, 12, 0, 0, 0, time.UTC)
	const size = 1000
	burst := floodBurst / (size + lineCost)
	for i := range burst {
		if v := f.judge("loud", size, now); !v.write || v.before != "" {
			t.Fatalf("record %d of the burst: %+v", i, v)
		}
	}
	if v := f.judge("loud", size, now); v.write || !strings.Contains(v.before, "left out from here") {
		t.Errorf("the first too much: %+v", v)
	}
	for range 9 {
		if v := f.judge("loud", size, now); v != (verdict{}) {
			t.Errorf("a further one: %+v", v)
		}
	}
	if v := f.judge("quiet", size, now); !v.write {
		t.Errorf("another server: %+v", v)
	}
	now = now.Add(floodAgain / floodRate * time.Second / 2)
	if v := f.judge("loud", size, now); v != (verdict{}) {
		t.Errorf("too early: %+v", v)
	}
	now = now.Add(floodAgain / floodRate * time.Second)
	if v := f.judge("loud", size, now); !v.write || v.before != "11 records with 11000 bytes were left out before this" {
		t.Errorf("heard again: %+v", v)
	}
	written := 0
	for range 1000 { // a minute of it, sixteen times a second
		now = now.Add(time.Minute / 1000)
		if v := f.judge("loud", size, now); v.write {
			written += size + lineCost
		}
	}
	if most := 60*floodRate + floodAgain + size + lineCost; written > most {
		t.Errorf("%d bytes in a minute, at most %d", written, most)
	}
	if left := f.end(); len(left) != 1 || left["loud"] == "" {
		t.Errorf("at the end: %q", left)
	}
}

// TestFloodsForget: names that come and go take no memory for ever.
func TestFloodsForget(t *testing.T) {
	var f floods
	now := time.Now()
	for i := range 10_000 {
		now = now.Add(time.Second)
		f.judge(fmt.Sprint(i), 100, now)
	}
	if n := len(f.servers); n > 2000 {
		t.Errorf("%d names are kept", n)
	}
}

// TestF5LogStorm: ten servers that log without end leave in the log what another one
// said, and what is said of them; the log keeps its size (F11, B141).
func TestF5LogStorm(t *testing.T) {
	dir := t.TempDir()
	to, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	l := newLogger(to)
	l.Log("quiet", "info", "stderr", "hello", nil)
	line := strings.Repeat("x", 100_000)
	for i := range 10 {
		server := fmt.Sprint("loud", i)
		for range 300 { // 30 MB each
			l.Log(server, "info", "stderr", line, nil)
		}
		if i == 4 {
			l.Log(server, "error", engine.OwnLogger, "exited with status 3", nil)
		}
	}
	l.end()
	for server, want := range map[string]string{"quiet": "hello", "loud4": "exited with status 3"} {
		records, err := record.Read(dir, record.Filter{Server: server})
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]bool{}
		for _, r := range records {
			texts[r.Text] = true
		}
		if !texts[want] {
			t.Errorf("%s: %q is not in the log any more", server, want)
		}
		if left := records[len(records)-1]; server == "loud4" && (!strings.Contains(left.Text, "records with") || left.Level != "warning") {
			t.Errorf("what was left out is not told: %v", left)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "mcp.log*"))
	if len(files) == 0 || len(files) > 2 {
		t.Errorf("files: %q", files)
	}
}
