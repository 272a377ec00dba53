package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// approvalsVersion is the format of the approvals file. A newer one is refused,
// not guessed at, and then nothing is approved.
const approvalsVersion = 1

// approvalsLimit bounds the approvals file; it is ours, so larger means damaged.
const approvalsLimit = 16 << 20

// Approvals is the user's word on what repositories supply (design §5.2). It
// fails closed: while Problem is set, nothing is approved.
type Approvals struct {
	Problem *Problem
	file    approvalsFile
	damaged bool
}

type approvalsFile struct {
	Version   int         `json:"version"`
	Sum       Fingerprint `json:"sum"` // over Approvals, so that damage is never read as a yes
	Approvals []approval  `json:"approvals"`
}

// sum is the fingerprint of the records as they mean, however they are laid out.
func (f *approvalsFile) sum() Fingerprint {
	data, err := json.Marshal(f.Approvals)
	if err != nil {
		return "" // a raw entry that is not JSON; it matches no sum
	}
	return sum(data)
}

// approval is one record, for one name in one file, as one client reads it.
type approval struct {
	Source      string          `json:"source"` // real path of the file
	Name        string          `json:"name"`
	Denied      bool            `json:"denied,omitempty"`
	Dialect     string          `json:"dialect,omitempty"` // as which client's entry it was reviewed; "" for mcpctl's shape
	Fingerprint Fingerprint     `json:"fingerprint,omitempty"`
	Time        time.Time       `json:"time"`
	EntryOnly   bool            `json:"entryOnly,omitempty"`
	Files       []coveredFile   `json:"files,omitempty"`
	Entry       json.RawMessage `json:"entry,omitempty"` // what was approved, to show what changed
}

func (s *Store) approvalsPath() string { return filepath.Join(s.Places.State(), "approvals.json") }

// ReadApprovals reads the approvals; a missing file is none. It never fails,
// but sets Problem, and then nothing counts as approved.
func (s *Store) ReadApprovals() *Approvals {
	path := s.approvalsPath()
	a := &Approvals{file: approvalsFile{Version: approvalsVersion}}
	data, info, err := atomicfile.ReadFile(path, approvalsLimit)
	if err != nil {
		a.fault(path, "cannot read the approvals: "+reason(err), "")
		return a
	}
	if info == nil {
		return a
	}
	if why := unsafeOwner(info); why != "" {
		a.fault(path, "the approvals "+why+", so nothing is approved", "see who wrote it; then remove it, or: chmod 600 '"+path+"'")
		return a
	}
	var file approvalsFile
	if err := json.Unmarshal(data, &file); err != nil || file.Version < 1 || file.Version <= approvalsVersion && file.sum() != file.Sum {
		a.damaged = true
		a.fault(path, "the approvals are damaged, so nothing is approved", "approve again what you trust; the damaged file is then kept aside")
		return a
	}
	if file.Version > approvalsVersion {
		a.fault(path, fmt.Sprintf("the approvals have version %d, this mcpctl knows %d, so nothing is approved", file.Version, approvalsVersion), "update mcpctl")
		return a
	}
	a.file = file
	return a
}

// unsafeOwner says why somebody else may have written a file that holds the
// user's word; "" when nobody can have.
func unsafeOwner(info fs.FileInfo) string {
	const othersWrite = 0o022
	if info.Mode().Perm()&othersWrite != 0 {
		return "may be written by others"
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return "belong to another user"
	}
	return ""
}

func (a *Approvals) fault(path, message, hint string) {
	a.Problem = &Problem{Rule: ruleApprovalsRecord, Code: CodeIO, Severity: SeverityError, Source: path, Message: message, Hint: hint}
}

// find is what the user said of a name in a source: a refusal, which is for all clients
// that read the file, else the approval of the entry as this client reads it, else one of
// it as another does.
func (a *Approvals) find(src *Source, name string) (other *approval) {
	dialect := src.dialect()
	for i := range a.file.Approvals {
		switch r := &a.file.Approvals[i]; {
		case r.Source != src.Real || r.Name != name:
		case r.Denied || r.Dialect == dialect:
			return r
		case other == nil:
			other = r
		}
	}
	return other
}

// State tells whether the user's word covers e as it stands now; why explains
// what is not approved, or not wholly, and covers counts the in-project files covered.
func (a *Approvals) State(s *Store, e *Entry) (state Approval, why string, covers int) {
	if e.Source.Scope != Project {
		return NotNeeded, "", 0
	}
	r := a.find(e.Source, e.Name)
	switch {
	case r == nil || a.Problem != nil:
		return Pending, "it comes from the project and nobody has approved it yet", 0
	case r.Denied:
		return Denied, "you denied it on " + r.Time.Local().Format(time.DateOnly), 0
	case r.Fingerprint != e.Fingerprint:
		return Changed, "it changed since you approved it", 0
	case r.Dialect != e.Source.dialect(): // one file behind a link may be read as two clients'
		return Changed, "it was approved as it is read by another client", 0
	case r.EntryOnly && len(s.coveredFiles(e)) > 0:
		return Approved, "you approved it without the files of the project that it names", 0
	case r.EntryOnly:
		return Approved, "", 0
	}
	if files := changedFiles(r.Files, s.coveredFiles(e)); len(files) > 0 {
		return Changed, "the file " + files[0].Path + ", which it runs, " + files[0].since(), len(r.Files)
	}
	return Approved, "", len(r.Files)
}

// Approve records the user's word for exactly e, as it stands now. With
// entryOnly the in-project files it names are left out. It fails with
// MCP_CONFIG_INVALID for an entry that shows something else than it says.
func (s *Store) Approve(ctx context.Context, e *Entry, entryOnly bool) error {
	r, err := s.Review(e, entryOnly)
	if err != nil {
		return err
	}
	return s.ApproveReview(ctx, r)
}

// Deny remembers a refusal for the path and name; it survives edits.
func (s *Store) Deny(ctx context.Context, source, name string) error {
	return s.changeApprovals(ctx, func(f *approvalsFile) {
		f.put(approval{Source: source, Name: name, Denied: true, Time: now()})
	})
}

// Revoke forgets what was said about a name; it reports whether there was
// anything.
func (s *Store) Revoke(ctx context.Context, source, name string) (found bool, err error) {
	err = s.changeApprovals(ctx, func(f *approvalsFile) { found = f.drop(source, name) })
	return found, err
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// put records the user's word. A refusal takes the place of all that was said of the
// name, and an approval that of a refusal and of what was said of the entry as the same
// client reads it: several clients may read one file, each in its own way.
func (f *approvalsFile) put(r approval) {
	f.Approvals = slices.DeleteFunc(f.Approvals, func(was approval) bool {
		return was.Source == r.Source && was.Name == r.Name && (r.Denied || was.Denied || was.Dialect == r.Dialect)
	})
	f.Approvals = append(f.Approvals, r)
}

func (f *approvalsFile) drop(source, name string) bool {
	before := len(f.Approvals)
	f.Approvals = slices.DeleteFunc(f.Approvals, func(r approval) bool { return r.Source == source && r.Name == name })
	return len(f.Approvals) < before
}

// changeApprovals rewrites the approvals under their lock. A damaged file is
// first moved aside, and the change is refused: everything has to be approved
// again, and the user has to know.
func (s *Store) changeApprovals(ctx context.Context, change func(*approvalsFile)) error {
	path := s.approvalsPath()
	target, err := atomicfile.Follow(path)
	if err != nil {
		return err
	}
	defer target.Close()
	release, err := atomicfile.Lock(ctx, s.Places.Locks(), target.Real(), lockWait)
	if err != nil {
		return err
	}
	defer release()
	a := s.ReadApprovals()
	if a.damaged {
		aside := "approvals.json.corrupt-" + now().Format("20060102T150405Z")
		if err := target.Aside(aside); err != nil {
			return err
		}
		return &Error{Code_: CodeIO, Path: path, Message: "the approvals were damaged and are kept as '" + aside + "'",
			Hint_: "nothing is approved any more; approve again what you trust"}
	}
	if a.Problem != nil {
		return &Error{Code_: a.Problem.Code, Path: path, Message: a.Problem.Message, Hint_: a.Problem.Hint}
	}
	change(&a.file)
	a.file.Sum = a.file.sum()
	data, err := json.MarshalIndent(a.file, "", "  ")
	if err != nil {
		return errors.Join(errors.New("cannot encode the approvals"), err)
	}
	defer s.edited(target)
	return target.Replace(append(data, '\n'), 0o600, false)
}
