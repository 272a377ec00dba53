package store

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// Review is an entry and the files it covers as they were at one moment: what
// is shown to the user, and what is recorded when the answer is yes. A file that
// changes in between does not match the record (design §5.2).
type Review struct {
	Entry     *Entry
	EntryOnly bool
	files     []coveredFile
}

// Review reads what an approval of e would cover. It fails with
// MCP_CONFIG_INVALID for an entry that is not valid or that shows something else
// than it says, and for a file too large to be covered.
func (s *Store) Review(e *Entry, entryOnly bool) (Review, error) {
	if !e.Valid() {
		return Review{}, locateEntry(invalidEntry(e.Name, e), e)
	}
	if err := e.disguised(); err != nil {
		return Review{}, err
	}
	r := Review{Entry: e, EntryOnly: entryOnly}
	if entryOnly {
		return r, nil
	}
	files, err := s.hashedFiles(e)
	r.files = files
	return r, err
}

// Covers lists the in-project files of the review, below the workspace.
func (r Review) Covers() []string {
	var paths []string
	for _, f := range r.files {
		paths = append(paths, f.Path)
	}
	return paths
}

// Files is one fingerprint over the files of the review, "" when there are none:
// what a script gives to say that it has seen them.
func (r Review) Files() Fingerprint {
	if len(r.files) == 0 {
		return ""
	}
	data, err := json.Marshal(r.files)
	if err != nil {
		return "" // strings and numbers always encode
	}
	return sum(data)
}

// OnlyFilesChanged tells whether e is the entry that was approved, and a file that
// the approval covers is not what it was. The entry's fingerprint alone then does
// not say what would be approved.
func (a *Approvals) OnlyFilesChanged(s *Store, e *Entry) bool {
	r := a.find(e.Source, e.Name)
	return r != nil && !r.Denied && !r.EntryOnly && r.Fingerprint == e.Fingerprint && len(changedFiles(r.Files, s.coveredFiles(e))) > 0
}

// Holds tells whether the user's word for exactly this review, coverage included, is
// recorded already.
func (a *Approvals) Holds(r Review) bool {
	was, is := a.find(r.Entry.Source, r.Entry.Name), r.record()
	return a.Problem == nil && was != nil && !was.Denied && was.Fingerprint == is.Fingerprint && was.Dialect == is.Dialect &&
		was.EntryOnly == is.EntryOnly && len(changedFiles(was.Files, is.Files)) == 0
}

// ApproveReview records the user's word for exactly what was reviewed.
func (s *Store) ApproveReview(ctx context.Context, r Review) error {
	return s.changeApprovals(ctx, func(f *approvalsFile) { f.put(r.record()) })
}

func (r Review) record() approval {
	e := r.Entry
	return approval{Source: e.Source.Real, Name: e.Name, Fingerprint: e.Fingerprint, Time: now(), EntryOnly: r.EntryOnly, Files: r.files, Entry: e.Raw, Dialect: e.Source.dialect()}
}

// since says what happened to a file since the approval.
func (f FileChange) since() string {
	switch f.What {
	case "gone":
		return "is gone since you approved it"
	case "new":
		return "came since you approved it"
	}
	return "changed since you approved it"
}

// Difference is what changed since an entry was approved last.
type Difference struct {
	Time   time.Time
	Before json.RawMessage // the entry that was approved, as it was written
	Files  []FileChange
}

// ApprovedEntry returns what was approved for e's name, as it was written; nil
// when nothing was.
func (a *Approvals) ApprovedEntry(e *Entry) json.RawMessage {
	if r := a.find(e.Source, e.Name); r != nil && !r.Denied {
		return r.Entry
	}
	return nil
}

// Difference compares e with what was approved for its name; nil when nothing
// was.
func (a *Approvals) Difference(s *Store, e *Entry) *Difference {
	before := a.ApprovedEntry(e)
	if a.Problem != nil || len(before) == 0 {
		return nil
	}
	r := a.find(e.Source, e.Name)
	d := &Difference{Time: r.Time, Before: before}
	if !r.EntryOnly {
		d.Files = changedFiles(r.Files, s.coveredFiles(e))
	}
	return d
}

// leaves maps the dotted path of each string and number to its text.
func leaves(raw json.RawMessage) map[string]string {
	out := map[string]string{}
	doc, err := jsonc.Parse(raw)
	if err != nil || doc.Root() == nil {
		return out
	}
	var walk func(n *jsonc.Node, where string)
	walk = func(n *jsonc.Node, where string) {
		for _, m := range n.Members() {
			walk(m.Value, dotted(where, m.Key))
		}
		for i, el := range n.Elements() {
			walk(el, where+"["+strconv.Itoa(i)+"]")
		}
		if n.Kind() != jsonc.Object && n.Kind() != jsonc.Array {
			out[where] = string(n.Raw())
			if text, ok := n.Text(); ok {
				out[where] = text
			}
		}
	}
	walk(doc.Root(), "")
	return out
}

func dotted(where, key string) string {
	if where == "" {
		return key
	}
	return where + "." + key
}
