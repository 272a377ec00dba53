package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// openLog opens a log that rotates at limit bytes.
func openLog(t *testing.T, dir string, limit int64) *Log {
	t.Helper()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.limit = limit
	t.Cleanup(func() { l.Close() })
	return l
}

func say(t *testing.T, l *Log, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := l.Append(Record{Time: noon, Server: "docs", Level: "info", Text: text}, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// textsOf returns what is in the log.
func textsOf(t *testing.T, dir string, f Filter) []string {
	t.Helper()
	records, err := Read(dir, f)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range records {
		texts = append(texts, r.Text)
	}
	return texts
}

func TestAppendRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openLog(t, dir, logLimit)
	want := []Record{
		{noon, "docs", "info", "", "one"},
		{noon.Add(time.Second), "", "error", "", "two\n2026-09-21T12:00:00.007Z [docs] error forged"},
		{noon.Add(2 * time.Second), "docs.x", "debug", "db", "three"},
		{noon.Add(3 * time.Second), "docs", "warning", "", "four"},
	}
	for _, r := range want {
		if err := l.Append(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		filter Filter
		want   []Record
	}{
		"all":           {Filter{}, want},
		"exact server":  {Filter{Server: "docs"}, []Record{want[0], want[3]}},
		"supervisor":    {Filter{Own: true, Server: "docs"}, want[1:2]},
		"since":         {Filter{Since: noon.Add(2*time.Second + 400)}, want[2:]},
		"level":         {Filter{Level: "warn"}, []Record{want[1], want[3]}},
		"unknown level": {Filter{Level: "loud"}, want},
		"last":          {Filter{Last: 3}, want[1:]},
		"last of one":   {Filter{Server: "docs", Last: 1}, want[3:]},
		"more than all": {Filter{Last: 30}, want},
		"none":          {Filter{Last: -1}, nil},
		"nobody":        {Filter{Server: "doc"}, nil},
	}
	for name, tt := range tests {
		got, err := Read(dir, tt.filter)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", name, err, diff)
		}
	}
}

func TestAppendHides(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openLog(t, dir, logLimit)
	m := redact.NewMask("pass phrase")
	r := Record{Time: noon, Server: "s", Level: "info", Logger: "pass phrase", Text: "bad key pass phrase, tok_EXAMPLE_1234567890\x1b[0m"}
	if err := l.Append(r, m); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(l.path())
	if want := "2026-09-21T12:00:00.007Z [s] info ***: bad key ***, ***\\x1b[0m\n"; err != nil || string(raw) != want {
		t.Errorf("got %q, %v", raw, err)
	}
}

func TestAppendWithoutTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := time.Now().Truncate(time.Millisecond)
	if err := openLog(t, dir, logLimit).Append(Record{Text: "x"}, nil); err != nil {
		t.Fatal(err)
	}
	records, err := Read(dir, Filter{})
	if err != nil || len(records) != 1 || records[0].Time.Before(before) || records[0].Level != "info" {
		t.Errorf("got %v, %v", records, err)
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openLog(t, dir, 300)
	var want []string
	for i := range 20 {
		text := fmt.Sprintf("record %d\nsecond line", i)
		want = append(want, text)
		say(t, l, text)
		for _, name := range []string{logName, oldName} {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Size() > 300 {
				t.Fatalf("%s has %d bytes", name, info.Size())
			}
		}
	}
	got := textsOf(t, dir, Filter{})
	if len(got) < 4 || !slices.Equal(got, want[len(want)-len(got):]) {
		t.Errorf("got %q", got)
	}
}

func TestRotateTogether(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 60
	dir := t.TempDir()
	size := int64(len(Record{noon, "docs", "info", "", "writer 0 record 00"}.String()) + 1)
	var wg sync.WaitGroup
	for w := range writers {
		l := openLog(t, dir, size*writers*each*2/3) // one rotation: nothing may be lost
		wg.Go(func() {
			for i := range each {
				text := fmt.Sprintf("writer %d record %02d", w, i)
				if err := l.Append(Record{Time: noon, Server: "docs", Level: "info", Text: text}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := textsOf(t, dir, Filter{})
	slices.Sort(got)
	if len(slices.Compact(got)) != writers*each {
		t.Errorf("%d of %d records are there", len(got), writers*each)
	}
	if _, err := os.Stat(filepath.Join(dir, oldName)); err != nil {
		t.Error(err)
	}
}

func TestAppendAfterOthersMoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	l := openLog(t, dir, logLimit)
	say(t, l, "one")
	if err := os.Rename(l.path(), filepath.Join(dir, oldName)); err != nil {
		t.Fatal(err)
	}
	say(t, l, "two")
	if got := textsOf(t, dir, Filter{}); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("after a move: %q", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	say(t, l, "three")
	if got := textsOf(t, dir, Filter{}); !slices.Equal(got, []string{"three"}) {
		t.Errorf("after a removal: %q", got)
	}
}

func TestTornLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openLog(t, dir, logLimit)
	say(t, l, "one\nmore", "two")
	l.Close()
	raw, err := os.ReadFile(l.path())
	if err != nil {
		t.Fatal(err)
	}
	for n := range raw { // the machine stopped after n bytes
		if err := os.WriteFile(l.path(), raw[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		before := textsOf(t, dir, Filter{})
		say(t, openLog(t, dir, logLimit), "three")
		after := textsOf(t, dir, Filter{})
		if len(after) <= len(before) || after[len(after)-1] != "three" {
			t.Fatalf("cut at %d: %q, then %q", n, before, after)
		}
		if whole := max(len(before)-1, 0); !slices.Equal(after[:whole], before[:whole]) { // the last may have been cut
			t.Fatalf("cut at %d: %q, then %q", n, before, after)
		}
	}
}

func TestReadOddFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := textsOf(t, filepath.Join(dir, "missing"), Filter{}); got != nil {
		t.Errorf("no directory: %q", got)
	}
	good := Record{noon, "docs", "info", "", "good"}.String() + "\n"
	raw := "    lost\nnonsense\n" + good + "nonsense\n    lost\n" + strings.Repeat("x", 3*maxRecord) + "\n" + good + "\n\n"
	if err := os.WriteFile(filepath.Join(dir, oldName), []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := textsOf(t, dir, Filter{}); !slices.Equal(got, []string{"good", "good"}) {
		t.Errorf("got %q", got)
	}
}

func TestUnsafe(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	makers := map[string]func(path string) error{
		"link":          func(path string) error { return os.Symlink(victim, path) },
		"dangling link": func(path string) error { return os.Symlink(victim+"2", path) },
		"pipe":          func(path string) error { return syscall.Mkfifo(path, 0o600) },
	}
	for name, make := range makers {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := openLog(t, dir, logLimit)
			if err := errors.Join(os.Remove(l.path()), make(l.path())); err != nil {
				t.Fatal(err)
			}
			_, openErr := Open(dir)
			_, readErr := Read(dir, Filter{})
			appendErr := l.Append(Record{Time: noon, Text: "x"}, nil)
			followErr := Follow(t.Context(), dir, Filter{}, func(Record) error { return nil })
			for _, err := range []error{openErr, readErr, appendErr, followErr} {
				var unsafe *UnsafeError
				if !errors.As(err, &unsafe) || unsafe.Code() != "MCP_PATH_UNSAFE" || unsafe.Path != l.path() {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	if raw, err := os.ReadFile(victim); err != nil || string(raw) != "mine\n" {
		t.Errorf("the victim has %q, %v", raw, err)
	}
	if _, err := os.Lstat(victim + "2"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was made through a dangling link")
	}
}

// TestLinkRace puts a link in the log's place again and again while records are written and the log rotates.
func TestLinkRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, dir, 200)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			os.Remove(l.path())
			os.Symlink(victim, l.path())
		}
		os.Remove(l.path())
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			_ = l.Append(Record{Time: noon, Text: "x"}, nil) // refused or written, but never there
		}
	}
	if raw, err := os.ReadFile(victim); err != nil || string(raw) != "mine\n" {
		t.Errorf("the victim has %q, %v", raw, err)
	}
	say(t, l, "one")
	os.Remove(filepath.Join(dir, oldName)) // it may be one of the links
	if got := textsOf(t, dir, Filter{Last: 1}); !slices.Equal(got, []string{"one"}) {
		t.Errorf("got %q", got)
	}
}

func TestRotateOverLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("mine\n"), 0o600), os.Symlink(victim, filepath.Join(dir, oldName))); err != nil {
		t.Fatal(err)
	}
	l := openLog(t, dir, 50)
	say(t, l, "one", "two")
	if raw, err := os.ReadFile(victim); err != nil || string(raw) != "mine\n" {
		t.Errorf("the victim has %q, %v", raw, err)
	}
	if got := textsOf(t, dir, Filter{}); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q", got)
	}
}

// TestModes is not parallel: the umask is the process's.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := openLog(t, dir, 50)
	say(t, l, "one", "two")
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(dir): 0o700, dir: 0o700, l.path(): 0o600, filepath.Join(dir, oldName): 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := os.Chmod(l.path(), 0o644); err != nil {
		t.Fatal(err)
	}
	again := openLog(t, dir, logLimit)
	if info, err := os.Stat(again.path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a log others may read stays so: %v, %v", info.Mode(), err)
	}
}

func TestAppendAfterClose(t *testing.T) {
	t.Parallel()
	l := openLog(t, t.TempDir(), logLimit)
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if err := l.Append(Record{Text: "x"}, nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
