package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// The history keeps, for each file that mcpctl writes, the bytes from before its
// last 50 changes (design §6 step 7):
//
//	history/<hash of the file's real path>/00000007    a change that was made
//	history/…/00000008-interrupted                     one that perhaps was made
//	history/…/pending                                  one that is being made
//
// Each is one line of JSON, a Commit, and then the bytes from before, as they were.
// All of it is 0600 in directories 0700: it holds the secrets of the file.
//
// The order of a commit, under the lock of the file, is
//
//  1. write `pending` with the old bytes, durably;
//  2. replace the file, durably;
//  3. rename `pending` to the next number.
//
// so that at every moment the old bytes are in the file or in the history. A
// process that dies leaves `pending` behind, and whoever has the lock next, or
// reads, finds out what happened by comparing the file with the two revisions in
// the header: as before, then step 2 never came, and nothing is lost by forgetting
// it; as after, then only step 3 is missing. When it is neither, somebody else has
// written since, and only the bytes are certain: they are kept, marked as
// interrupted. Writing under the final name at once would leave a change in the
// history that was never made; writing after step 2 would lose the bytes.
//
// When step 1 fails, so does the edit, and the file stays: undo is promised.

const (
	historyVersion     = 1
	historyKept        = 50      // changes per file
	historyHeaderLimit = 1 << 20 // a header is ours, so a longer one means damaged
	pendingName        = "pending"
	interruptedMark    = "-interrupted"
)

// FileState tells what a file holds.
type FileState struct {
	Revision Fingerprint `json:"revision"`
	Size     int64       `json:"size"`
	Mode     fs.FileMode `json:"mode,omitempty"` // kept when the change removes the file
}

// stateOf describes bytes as they were read; nil for a file that is missing.
func stateOf(data []byte) *FileState {
	if data == nil {
		return nil
	}
	return &FileState{Revision: RevisionOf(data), Size: int64(len(data))}
}

// same tells whether two states are of the same bytes, or both of no file.
func (f *FileState) same(other *FileState) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.Revision == other.Revision
}

// Commit is one change that mcpctl made to a file. The fields with a JSON name
// are its header in the history.
type Commit struct {
	Version int        `json:"version"`
	Time    time.Time  `json:"time"`
	Path    string     `json:"path"`  // real path of the file
	Verb    string     `json:"verb"`  // add, update, remove, rename, enable, disable, edit, undo
	Names   []string   `json:"names"` // of the servers concerned; of rename old and new
	Before  *FileState `json:"before"`
	After   *FileState `json:"after"`           // nil, as in Before: there is no file
	Group   string     `json:"group,omitempty"` // shared by the changes of one command; "" for a command that makes one

	Scope       Scope `json:"-"`
	Number      int   `json:"-"` // counts the changes of one file
	Interrupted bool  `json:"-"` // the process died, so perhaps it was not made
	file        string
}

// ID names the change for people and scripts, such as user-7.
func (c *Commit) ID() string { return fmt.Sprintf("%s-%d", c.Scope, c.Number) }

// ParseCommitID reads what ID writes. A number alone is fine too; then the scope
// is "".
func ParseCommitID(text string) (scope Scope, number int, ok bool) {
	word, digits, found := strings.Cut(text, "-")
	if !found {
		word, digits = "", text
	}
	number, err := strconv.Atoi(digits)
	ok = err == nil && number > 0 && (!found || slices.Contains(scopes, Scope(word)))
	return Scope(word), number, ok
}

// history is the kept past of one file.
type history struct {
	dir   string
	real  string
	scope Scope
}

func (s *Store) historyOf(scope Scope, real string) history {
	sum := sha256.Sum256([]byte(real))
	return history{dir: filepath.Join(s.Places.State(), "history", hex.EncodeToString(sum[:])), real: real, scope: scope}
}

// realPath is where a scope's file is written: what a Target calls Real.
func (s *Store) realPath(scope Scope) string {
	path := s.Path(scope)
	if scope == Project || path == "" {
		return path // the workspace is a real path, and links below it are refused
	}
	return realest(path)
}

// History lists what mcpctl did to the file of a scope, newest first; nothing for
// a scope the workspace does not have. It takes no lock and writes nothing.
// Entries that are damaged are left out and told as problems. The error is MCP_IO.
func (s *Store) History(scope Scope) ([]*Commit, []Problem, error) {
	if s.Path(scope) == "" {
		return nil, nil, nil
	}
	return s.historyOf(scope, s.realPath(scope)).list(func() *FileState {
		data, err := s.readFile(&Source{Scope: scope, Path: s.Path(scope)}, s.projectFile())
		if err != nil {
			return &FileState{} // like no revision, so that a change on its way counts as interrupted
		}
		return stateOf(data)
	})
}

// listTries bounds how often a list starts again because a change came between.
const listTries = 100

// list reads the headers. A change that is being made meanwhile moves the pending
// entry under our hands, so the names are compared afterwards.
func (h history) list(current func() *FileState) (out []*Commit, problems []Problem, err error) {
	for range listTries {
		numbers, pending, err := h.names()
		if err != nil {
			return nil, nil, err
		}
		out, problems = h.headers(numbers)
		if pending {
			last := 0
			if len(numbers) > 0 {
				last, _ = numberOf(numbers[len(numbers)-1])
			}
			if c := h.underway(last+1, current); c != nil {
				out = append(out, c)
			}
		}
		again, stillPending, err := h.names()
		if err == nil && pending == stillPending && slices.Equal(numbers, again) {
			break
		}
	}
	slices.Reverse(out)
	return out, problems, nil
}

// headers reads the entries of these names; damaged ones are problems.
func (h history) headers(names []string) (out []*Commit, problems []Problem) {
	for _, name := range names {
		c, err := h.header(name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was the oldest, and a newer one took its place
		case err != nil:
			problems = append(problems, Problem{Code: CodeIO, Severity: SeverityWarning, Source: filepath.Join(h.dir, name),
				Message: "this entry of the history is left out: " + reason(err), Hint: "remove the file if you do not need it"})
		default:
			out = append(out, c)
		}
	}
	return out, problems
}

// underway returns the pending change, under the number it will have, if it was
// made or perhaps was; nil if it was not.
func (h history) underway(number int, current func() *FileState) *Commit {
	c, err := h.header(pendingName)
	if err != nil {
		return nil
	}
	c.Number = number
	made, certain := c.made(current())
	if c.Interrupted = !certain; made || !certain {
		return c
	}
	return nil
}

// numbered is the name of the file of a change.
func numbered(number int) string { return fmt.Sprintf("%08d", number) }

// made tells whether a pending change was made, judging by what the file holds,
// and whether that is certain.
func (c *Commit) made(current *FileState) (made, certain bool) {
	if c.After.same(current) {
		return true, true
	}
	return false, c.Before.same(current)
}

// names lists the files of the history, oldest first.
func (h history) names() (numbers []string, pending bool, err error) {
	entries, err := os.ReadDir(h.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, ioError("read the history", h.dir, err)
	}
	for _, e := range entries {
		if _, ok := numberOf(e.Name()); ok {
			numbers = append(numbers, e.Name())
		}
		pending = pending || e.Name() == pendingName
	}
	slices.SortFunc(numbers, func(a, b string) int {
		x, _ := numberOf(a)
		y, _ := numberOf(b)
		return x - y
	})
	return numbers, pending, nil
}

// numberOf reads the number in the name of a file of the history.
func numberOf(name string) (number int, ok bool) {
	digits := strings.TrimSuffix(name, interruptedMark)
	number, err := strconv.Atoi(digits)
	return number, err == nil && number > 0 && len(digits) >= 8
}

// header reads the first line of an entry, and checks that the rest is as long as
// it says.
func (h history) header(name string) (*Commit, error) {
	f, err := os.Open(filepath.Join(h.dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, historyHeaderLimit)).ReadBytes('\n')
	if err != nil {
		return nil, errors.New("it has no header")
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	c, err := h.decode(name, line)
	if err == nil && c.size() != info.Size()-int64(len(line)) {
		err = errors.New("its size is wrong")
	}
	return c, err
}

func (c *Commit) size() int64 {
	if c.Before == nil {
		return 0
	}
	return c.Before.Size
}

func (h history) decode(name string, line []byte) (*Commit, error) {
	c := &Commit{Scope: h.scope, file: name, Interrupted: strings.HasSuffix(name, interruptedMark)}
	c.Number, _ = numberOf(name)
	switch err := json.Unmarshal(line, c); {
	case err != nil:
		return nil, errors.New("its header is damaged")
	case c.Version != historyVersion:
		return nil, fmt.Errorf("it has version %d, this mcpctl knows %d", c.Version, historyVersion)
	case c.Path != h.real:
		return nil, errors.New("it is about another file")
	}
	return c, nil
}

// bytes returns what the file held before c, nil if there was no file. It fails
// with MCP_IO when they are not the bytes that were put there.
func (h history) bytes(c *Commit) ([]byte, error) {
	path := filepath.Join(h.dir, c.file)
	data, info, err := atomicfile.ReadFile(path, userLimit+historyHeaderLimit)
	if err == nil && info == nil && c.file == pendingName { // finished meanwhile
		data, _, err = atomicfile.ReadFile(filepath.Join(h.dir, numbered(c.Number)), userLimit+historyHeaderLimit)
	}
	if err != nil {
		return nil, err
	}
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if again, err := h.decode(c.file, line); err == nil && again.Before.same(c.Before) {
		if c.Before == nil {
			return nil, nil
		}
		if RevisionOf(rest) == c.Before.Revision {
			return rest, nil
		}
	}
	return nil, &Error{Code_: CodeIO, Path: path, Message: "the bytes kept for " + c.ID() + " are damaged", Hint_: "choose another one from: mcpctl history"}
}

// Kept returns the bytes the file held before c, nil if there was none (MCP_IO).
func (s *Store) Kept(c *Commit) ([]byte, error) { return s.historyOf(c.Scope, c.Path).bytes(c) }
