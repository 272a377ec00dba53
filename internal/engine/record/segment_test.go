package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// line is an output that becomes a line of a segment.
var line = Output{Workspace: "/w", Server: "docs", Tool: "search", Arguments: json.RawMessage(`{"q":"x"}`),
	Result: json.RawMessage(` { "content": [], "n": 1.50 }`)}

// segmentsOf returns the paths of the segments.
func segmentsOf(t *testing.T, state string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(state, outputsName, "*"+segmentEnd))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// theSegment is the only one there is.
func theSegment(t *testing.T, state string) string {
	t.Helper()
	paths := segmentsOf(t, state)
	if len(paths) != 1 {
		t.Fatalf("there are %d segments", len(paths))
	}
	return paths[0]
}

// TestSegment: small outputs share a private file, a line each, and are read back byte for byte.
func TestSegment(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	other := line
	other.Workspace, other.Tool = "/v", "x\ny"
	ids := []string{save(t, s, line), save(t, s, other), save(t, s, line)}
	path := theSegment(t, state)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte("\n")) != len(ids) {
		t.Fatalf("%v: %q", err, text)
	}
	var again bytes.Buffer
	for i, id := range ids {
		got, err := ReadOutput(state, id)
		want := []Output{line, other, line}[i]
		want.ID, want.Time = id, got.Time
		if diff := cmp.Diff(want, got); err != nil || diff != "" || !ValidOutputID(id) {
			t.Errorf("%s: %v, -want +got:\n%s", id, err, diff)
		}
		if _, err := got.WriteTo(&again); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(again.Bytes(), text) {
		t.Errorf("got\n%s\nwant\n%s", again.Bytes(), text)
	}
	slices.Reverse(ids)
	if got := idsOf(t, state); !slices.Equal(got, ids) {
		t.Errorf("listed %q, want %q", got, ids)
	}
	rows, err := ListOutputs(state, "/w", 1)
	if err != nil || len(rows) != 1 || rows[0].ID != ids[0] || rows[0].Size != int64(len(text)-bytes.LastIndexByte(text[:len(text)-1], '\n')-1) {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestSegmentAndFiles: a large output has a file of its own, and all stand in one list.
func TestSegmentAndFiles(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s, foreign := outputsIn(t, state), outputsIn(t, state)
	at := time.Now().Add(-time.Hour)
	s.now = func() time.Time { at = at.Add(time.Minute); return at }
	foreign.now = s.now
	large := line
	large.Result = json.RawMessage(`"` + strings.Repeat("x", 64<<10) + `"`)
	var want []string
	for i := range 8 {
		from, o := s, line
		if i%3 == 0 {
			from = foreign
		}
		if i%4 == 1 {
			o = large
		}
		id := save(t, from, o)
		if _, err := os.Stat(fileOf(state, id)); (err == nil) != (i%4 == 1) {
			t.Errorf("output %d: %v", i, err)
		}
		want = append(want, id)
	}
	slices.Reverse(want)
	for last := range 9 {
		rows, err := ListOutputs(state, "", last)
		var got []string
		for _, r := range rows {
			got = append(got, r.ID)
		}
		if most := (last + 7) % 8; err != nil || !slices.Equal(got, want[:most+1]) {
			t.Errorf("%d: %v, %q\nwant %q", last, err, got, want[:most+1])
		}
	}
}

// TestSegmentGone: whoever removes the file or moves the directory away loses what is in it and nothing that comes later.
func TestSegmentGone(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(dir string) error{
		"file removed":      func(dir string) error { return os.RemoveAll(segmentsOf(t, filepath.Dir(dir))[0]) },
		"directory removed": os.RemoveAll,
		"directory moved":   func(dir string) error { return os.Rename(dir, dir+".old") },
		"another directory": func(dir string) error { return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700)) },
	} {
		state := t.TempDir()
		s := outputsIn(t, state)
		lost := save(t, s, line)
		if err := remove(filepath.Join(state, outputsName)); err != nil {
			t.Fatal(err)
		}
		id := save(t, s, line)
		if _, err := ReadOutput(state, id); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantGone(t, state, lost)
	}
	state, elsewhere := t.TempDir(), t.TempDir()
	s := outputsIn(t, state)
	save(t, s, line)
	dir := filepath.Join(state, outputsName)
	if err := errors.Join(os.RemoveAll(dir), os.Symlink(elsewhere, dir)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Save(line)
	if unsafe := new(UnsafeError); !errors.As(err, &unsafe) {
		t.Errorf("through a link: %v", err)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("written through a link: %v, %v", left, err)
	}
}

// TestSegmentCutShort: of a segment that is not whole everything is there that is.
func TestSegmentCutShort(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	first, second := save(t, s, line), save(t, s, line)
	path := theSegment(t, state)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := len(whole) / 2; n < len(whole); n++ {
		for _, text := range [][]byte{whole[:n], append(bytes.Clone(whole[:n]), make([]byte, len(whole)-n)...)} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			wantGone(t, state, second)
			if _, err := ReadOutput(state, first); err != nil {
				t.Fatal(err)
			}
			if got := idsOf(t, state); !slices.Equal(got, []string{first}) {
				t.Fatalf("cut at %d: %q", n, got)
			}
		}
	}
}

// TestSegmentIDs: an id that leads into a segment serves a line that is the output of this id, and nothing else.
func TestSegmentIDs(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	o := line
	o.Result = json.RawMessage(`{"schema":1,"id":"x","result":{}}`)
	id := save(t, s, o)
	name := id[:segmentName]
	for at := range int64(1000) {
		if forged := idAt(name, at); forged != id {
			wantGone(t, state, forged)
		}
	}
	for _, forged := range []string{name, name + "zzzzzz", name + "vvvvvv", strings.ToUpper(id), id + "0"} {
		wantGone(t, state, forged)
	}
	path := theSegment(t, state)
	for what, put := range map[string]func() error{
		"link": func() error { return os.Symlink("/etc/passwd", path) },
		"pipe": func() error { return syscall.Mkfifo(path, 0o600) },
	} {
		if err := errors.Join(os.Remove(path), put()); err != nil {
			t.Fatal(err)
		}
		_, err := ReadOutput(state, id)
		if unsafe := new(UnsafeError); !errors.As(err, &unsafe) {
			t.Errorf("%s: %v", what, err)
		}
		if got := idsOf(t, state); len(got) > 0 {
			t.Errorf("%s: listed %q", what, got)
		}
	}
}

// TestSegmentQuota: the oldest segments go first, the one that is added to stays, and all is bounded.
func TestSegmentQuota(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	s.limit = 4 << 20 // segments of 20 KiB, of outputs of 1 KiB
	o := line
	o.Result = json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)
	var ids []string
	for range 6000 {
		ids = append(ids, save(t, s, o))
	}
	if n := len(segmentsOf(t, state)); n < 150 || n > segmentShare {
		t.Errorf("%d segments", n)
	}
	slices.Reverse(ids)
	got := idsOf(t, state)
	if n := len(got); n < 3000 || !slices.Equal(got, ids[:n]) {
		t.Errorf("%d are left, and not the newest", n)
	}
	large := line
	large.Result = json.RawMessage(`"` + strings.Repeat("x", 4090<<10) + `"`) // no other file has room beside it
	id := save(t, s, large)
	small := save(t, s, line)
	for _, id := range []string{id, small, ids[0]} {
		if _, err := ReadOutput(state, id); err != nil {
			t.Error(err)
		}
	}
	if n := len(segmentsOf(t, state)); n != 1 {
		t.Errorf("%d segments beside a large file", n)
	}
}

// TestSegmentAge: an output is gone when it is too old, its segment when the youngest in it is; and no segment is added to
// for so long that this would make a difference.
func TestSegmentAge(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	at := time.Now().Add(-outputsAge - 30*time.Minute)
	s.now = func() time.Time { return at }
	old := save(t, s, line)
	at = at.Add(45 * time.Minute)
	young := save(t, s, line)
	path := theSegment(t, state)
	if err := os.Chtimes(path, at, at); err != nil { // as if it had been written then
		t.Fatal(err)
	}
	wantGone(t, state, old)
	if got := idsOf(t, state); !slices.Equal(got, []string{young}) {
		t.Errorf("listed %q", got)
	}
	at = at.Add(16 * time.Minute)
	save(t, s, line)
	if n := len(segmentsOf(t, state)); n != 2 {
		t.Errorf("%d segments after more than an hour", n)
	}
	at = at.Add(outputsAge)
	save(t, outputsIn(t, state), answer)
	if _, err := ReadOutput(state, young); err != nil {
		t.Error(err)
	}
	long := time.Now().Add(-outputsAge - time.Minute)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	save(t, outputsIn(t, state), line)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestSegmentCannotBeWritten: what the system says comes back; what a failed write left behind is nobody's output.
func TestSegmentCannotBeWritten(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	first := save(t, s, line)
	path := theSegment(t, state)
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd, s.segment.fd = s.segment.fd, fd
	id, err := s.Save(line)
	var failed *OpenError
	if !errors.As(err, &failed) || failed.Code() != "MCP_IO" || id != "" {
		t.Errorf("%q, %v", id, err)
	}
	fd, s.segment.fd = s.segment.fd, fd
	unix.Close(fd)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(strings.Repeat(`{"schema":1,`, 200)) // half a line
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	second := save(t, s, line)
	if got := idsOf(t, state); !slices.Equal(got, []string{second, first}) {
		t.Errorf("listed %q", got)
	}
	if _, err := ReadOutput(state, second); err != nil {
		t.Error(err)
	}
}

// TestSegmentKilled: each id that a process gave is there after it was killed in the middle of its work.
func TestSegmentKilled(t *testing.T) {
	t.Parallel()
	if state := os.Getenv("RECORD_UNTIL_KILLED"); state != "" {
		s := NewOutputs(state)
		for i := 0; ; i++ {
			o := line
			o.Result = json.RawMessage(`"` + strings.Repeat("x", i%5000) + `"`)
			fmt.Println(save(t, s, o))
		}
	}
	state := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSegmentKilled$")
	cmd.Env = append(os.Environ(), "RECORD_UNTIL_KILLED="+state)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if len(lines.Text()) == segmentName+placeLen {
			ids = append(ids, lines.Text())
		}
		if len(ids) == 1000 {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	for _, id := range ids {
		if _, err := ReadOutput(state, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if n := len(idsOf(t, state)); n < len(ids) || n > len(ids)+1 {
		t.Errorf("%d are listed, %d were given", n, len(ids))
	}
}
