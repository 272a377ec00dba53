package record

import (
	"bytes"
	"encoding/json"
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
)

// answer has a line end in its result: it gets a file of its own.
var answer = Output{Workspace: "/w", Server: "docs", Tool: "search", Arguments: json.RawMessage(`{"q":"x"}`),
	Result: json.RawMessage(" {\n \"content\": [], \"n\": 1.50 }")}

// outputsIn returns outputs that end with the test.
func outputsIn(t *testing.T, state string) *Outputs {
	s := NewOutputs(state)
	t.Cleanup(s.Close)
	return s
}

func save(t *testing.T, s *Outputs, o Output) string {
	t.Helper()
	id, err := s.Save(o)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func fileOf(state, id string) string { return filepath.Join(state, outputsName, id+outputEnd) }

// idsOf returns the ids that are there, newest first.
func idsOf(t *testing.T, state string) []string {
	t.Helper()
	rows, err := ListOutputs(state, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

// backdate makes an output older, so that the order does not depend on the clock.
func backdate(t *testing.T, state, id string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(fileOf(state, id), at, at); err != nil {
		t.Fatal(err)
	}
}

// TestSaveAndRead: what is saved is there when Save returns, the result byte for byte, in one file (OU-08).
func TestSaveAndRead(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "a", "b")
	if rows, err := ListOutputs(state, "", 0); err != nil || rows != nil {
		t.Errorf("%v, %v", rows, err)
	}
	s := outputsIn(t, state)
	id := save(t, s, answer)
	got, err := ReadOutput(state, id)
	want := answer
	want.ID, want.Time = id, got.Time
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if !ValidOutputID(id) || time.Since(got.Time) > time.Hour || got.Time.Location() != time.UTC {
		t.Errorf("id %q, time %s", id, got.Time)
	}
	file, err := os.ReadFile(fileOf(state, id))
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if n, err := got.WriteTo(&again); err != nil || n != int64(len(file)) || !bytes.Equal(again.Bytes(), file) {
		t.Errorf("%d bytes, %v:\n%s\nthe file has\n%s", n, err, again.Bytes(), file)
	}
	if n := bytes.Count(file, []byte("1.50")); n != 1 {
		t.Errorf("the result stands there %d times", n)
	}
	other := answer
	other.Workspace = "/v"
	backdate(t, state, id, time.Minute)
	second := save(t, s, other)
	if got := idsOf(t, state); !slices.Equal(got, []string{second, id}) {
		t.Errorf("listed: %q", got)
	}
	rows, err := ListOutputs(state, "/w", 1)
	if err != nil || len(rows) != 1 || rows[0].ID != id || rows[0].Tool != "search" || rows[0].Size != int64(len(file)) || rows[0].Result != nil {
		t.Errorf("of the workspace: %+v, %v", rows, err)
	}
	names, err := os.ReadDir(filepath.Join(state, outputsName))
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v: not one file each", names, err)
	}
}

// TestOutputModes (OU-01) is not parallel: the umask is the process's.
func TestOutputModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	state := t.TempDir()
	if err := os.Mkdir(filepath.Join(state, outputsName), 0o755); err != nil {
		t.Fatal(err)
	}
	id := save(t, outputsIn(t, state), answer)
	for path, want := range map[string]fs.FileMode{fileOf(state, id): 0o600, filepath.Join(state, outputsName): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestLongArguments are cut, and the document stays one.
func TestLongArguments(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	for _, n := range []int{maxArguments - len(`{"a":""}`), maxArguments, 16 << 20} {
		o := answer
		o.Arguments = json.RawMessage(`{"a":"` + strings.Repeat("é", n/2) + strings.Repeat("x", n%2) + `"}`)
		got, err := ReadOutput(state, save(t, s, o))
		if err != nil || len(got.Arguments) > maxArguments+100 || !json.Valid(got.Arguments) {
			t.Fatalf("%d bytes of arguments, %v", len(got.Arguments), err)
		}
		if whole := n+len(`{"a":""}`) <= maxArguments; whole != bytes.Equal(got.Arguments, o.Arguments) {
			t.Errorf("of %d bytes %d are kept", n, len(got.Arguments))
		} else if !whole && (!strings.Contains(string(got.Arguments), " bytes cut]") || got.Arguments[0] != '"') {
			t.Errorf("does not say that it was cut: %.60s", got.Arguments)
		}
	}
	o := answer
	o.Arguments = nil
	if got, err := ReadOutput(state, save(t, s, o)); err != nil || string(got.Arguments) != "{}" {
		t.Errorf("%s, %v", got.Arguments, err)
	}
}

// TestOutputQuota: the oldest go first, also those of another process; the newest stays.
func TestOutputQuota(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s, other := outputsIn(t, state), outputsIn(t, state)
	s.limit, other.limit = 5*4096, 5*4096
	var want []string
	for i := range 20 {
		from := s
		if i%3 == 0 {
			from = other
		}
		id := save(t, from, answer)
		backdate(t, state, id, time.Hour-time.Duration(i)*time.Minute)
		want = append(want, id)
	}
	slices.Reverse(want)
	if got := idsOf(t, state); !slices.Equal(got, want[:5]) {
		t.Errorf("kept %q\nwant %q", got, want[:5])
	}
	big := answer
	big.Result = json.RawMessage(`"` + strings.Repeat("x", 4*4096) + `"`)
	id := save(t, s, big)
	if got := idsOf(t, state); !slices.Equal(got, []string{id}) {
		t.Errorf("kept %q, want %q", got, id)
	}
}

// TestOutputTooLarge is not kept, says so, and costs no other its place.
func TestOutputTooLarge(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	s.limit = 10_000
	id := save(t, s, answer)
	big := answer
	big.Result = json.RawMessage(`"` + strings.Repeat("x", 10_000) + `"`)
	_, err := s.Save(big)
	var large *OutputTooLargeError
	if !errors.As(err, &large) || large.Limit != 10_000 || large.Size < 10_000 || !strings.Contains(err.Error(), "10000") {
		t.Errorf("got %v", err)
	}
	if got := idsOf(t, state); !slices.Equal(got, []string{id}) {
		t.Errorf("kept %q", got)
	}
}

// TestOutputAge: what is older than a week is gone at once, and removed when the next is saved.
func TestOutputAge(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	old, young := save(t, s, answer), save(t, s, answer)
	backdate(t, state, old, outputsAge+time.Minute)
	backdate(t, state, young, outputsAge-time.Minute)
	wantGone(t, state, old)
	if got := idsOf(t, state); !slices.Equal(got, []string{young}) {
		t.Errorf("listed: %q", got)
	}
	if _, err := os.Stat(fileOf(state, old)); err != nil {
		t.Errorf("a look removed it: %v", err)
	}
	abandonedFile := filepath.Join(state, outputsName, strings.Repeat("a", 26)+unfinishedEnd)
	long := time.Now().Add(-abandoned - time.Minute)
	underWay := filepath.Join(state, outputsName, strings.Repeat("b", 26)+unfinishedEnd) // another process is writing it
	if err := errors.Join(os.WriteFile(abandonedFile, nil, 0o600), os.Chtimes(abandonedFile, long, long), os.WriteFile(underWay, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	save(t, outputsIn(t, state), answer)
	for _, path := range []string{fileOf(state, old), abandonedFile} {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	if _, err := os.Stat(underWay); err != nil {
		t.Errorf("what is being written: %v", err)
	}
	if _, err := ReadOutput(state, young); err != nil {
		t.Error(err)
	}
}

func wantGone(t *testing.T, state, id string) {
	t.Helper()
	o, err := ReadOutput(state, id)
	var gone *OutputGoneError
	if !errors.As(err, &gone) || gone.Code() != "OUTPUT_EXPIRED" || o.Result != nil {
		t.Errorf("%s: %v with %q, want it gone", id, err, o.Result)
	}
}

// TestB5OnlyIDs: nothing but an id is looked for, and what is there under an id is served only if it is an output.
func TestB5OnlyIDs(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	id := save(t, s, answer)
	for _, bad := range []string{"", "x", "../../etc/passwd", "/etc/passwd", "../outputs/" + id, id + "/", id + ".json", id + "\x00", id + "\n", "ÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀÀ",
		strings.Repeat("a", 15), strings.Repeat("a", 65), strings.Repeat(".", 16), "aaaaaaaaaaaaaaa-"} {
		_, err := ReadOutput(state, bad)
		var wrong *OutputIDError
		if !errors.As(err, &wrong) || wrong.Code() != "USAGE" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	wantGone(t, state, strings.ToUpper(id)+"x")
	wantGone(t, t.TempDir(), id)
	// A file that is another's output, or none, is not served.
	file, err := os.ReadFile(fileOf(state, id))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("b", 26)
	for _, text := range []string{string(file), "root:x:0:0:root:/root:/bin/sh\n", "", "{}", "}\n", `{"schema":2,"id":"` + other + `","arguments":{},"result":{}}` + "\n", `{"schema":1,"id":"` + other + `","result":{}}x}` + "\n"} {
		if err := os.WriteFile(fileOf(state, other), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		wantGone(t, state, other)
	}
}

// TestB168OutputsUnsafe: nothing is read or written through a link, a pipe does not block, and the victim is left alone.
func TestB168OutputsUnsafe(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	s := outputsIn(t, state)
	id, keep := save(t, s, answer), save(t, s, answer)
	for name, put := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink(victim, path) },
		"own link":  func(path string) error { return os.Symlink(fileOf(state, keep), path) },
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		if err := errors.Join(os.Remove(fileOf(state, id)), put(fileOf(state, id))); err != nil {
			t.Fatal(err)
		}
		o, err := ReadOutput(state, id)
		var unsafe *UnsafeError
		if !errors.As(err, &unsafe) || unsafe.Path != fileOf(state, id) || o.Result != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := idsOf(t, state); !slices.Equal(got, []string{keep}) {
			t.Errorf("%s: listed %q", name, got)
		}
	}
	// The directory itself.
	elsewhere := t.TempDir()
	for name, put := range map[string]func(path string) error{
		"link": func(path string) error { return os.Symlink(elsewhere, path) },
		"file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		state := t.TempDir()
		if err := put(filepath.Join(state, outputsName)); err != nil {
			t.Fatal(err)
		}
		_, saveErr := outputsIn(t, state).Save(answer)
		_, readErr := ReadOutput(state, id)
		_, listErr := ListOutputs(state, "", 0)
		for _, err := range []error{saveErr, readErr, listErr} {
			if unsafe := new(UnsafeError); !errors.As(err, &unsafe) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("written through a link: %v, %v", left, err)
	}
	if raw, err := os.ReadFile(victim); err != nil || string(raw) != "mine\n" {
		t.Errorf("the victim has %q, %v", raw, err)
	}
}

// TestG7OutputLinkRace puts a link in the directory's place again and again while outputs are saved.
func TestG7OutputLinkRace(t *testing.T) {
	t.Parallel()
	state, elsewhere := t.TempDir(), t.TempDir()
	dir, aside := filepath.Join(state, outputsName), filepath.Join(state, "aside")
	s := outputsIn(t, state)
	save(t, s, answer)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			os.Rename(dir, aside)
			os.Symlink(elsewhere, dir)
			os.Remove(dir)
			os.Rename(aside, dir)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			_, _ = s.Save(answer) // refused or written, but never there
		}
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("written through a link: %v, %v", left, err)
	}
}

// TestOutputCutShort: a file that is not whole, as a power cut may leave it, is gone, wherever it ends.
func TestOutputCutShort(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s := outputsIn(t, state)
	id := save(t, s, answer)
	whole, err := os.ReadFile(fileOf(state, id))
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		for _, text := range [][]byte{whole[:n], append(bytes.Clone(whole[:n]), make([]byte, len(whole)-n)...)} {
			if err := os.WriteFile(fileOf(state, id), text, 0o600); err != nil {
				t.Fatal(err)
			}
			wantGone(t, state, id)
			if got := idsOf(t, state); len(got) > 0 {
				t.Fatalf("cut at %d it is listed", n)
			}
		}
	}
}

// TestOutputsTogether: several processes and many calls at once; every id that was given is there, or was the oldest.
func TestOutputsTogether(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	var mu sync.Mutex
	var ids []string
	var wg sync.WaitGroup
	for range 4 {
		s := outputsIn(t, state)
		for g := range 4 {
			wg.Go(func() {
				for i := range 25 {
					o := answer
					o.Result = json.RawMessage(fmt.Sprintf(`"%d %d"`, g, i))
					id, err := s.Save(o)
					if err != nil {
						t.Error(err)
						return
					}
					got, err := ReadOutput(state, id)
					if err != nil || !bytes.Equal(got.Result, o.Result) {
						t.Errorf("%s, %v", got.Result, err)
					}
					mu.Lock()
					ids = append(ids, id)
					mu.Unlock()
				}
			})
		}
	}
	wg.Wait()
	got := idsOf(t, state)
	slices.Sort(got)
	slices.Sort(ids)
	if !slices.Equal(got, ids) {
		t.Errorf("%d are there, %d were saved", len(got), len(ids))
	}
	s := outputsIn(t, state)
	s.limit = 10 * 4096
	save(t, s, answer)
	if n := len(idsOf(t, state)); n >= len(ids) || n == 0 {
		t.Errorf("%d are left of %d", n, len(ids))
	}
}

// TestOutputCannotBeSaved: what the system says comes back, with the path, and nothing is left behind.
func TestOutputCannotBeSaved(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := outputsIn(t, filepath.Join(state, "file")).Save(answer)
	var failed *OpenError
	if !errors.As(err, &failed) || failed.Code() != "MCP_IO" || !strings.Contains(failed.Error(), "cannot open the outputs") {
		t.Errorf("got %v", err)
	}
}
