package store

import (
	"context"
	"fmt"
	"slices"
)

// word is the user's word on an entry while edits are made: the user has written it
// here, or the record that held for the entry before.
type word struct {
	added bool
	was   *approval // an approval or a refusal; nil: there was none, or it no longer held
}

// note keeps the user's word on the entry of an edit.
func (run *applying) note(e Edit, old *Entry) {
	switch e.Op {
	case OpAdd:
		run.words[e.Name] = word{added: true}
	case OpUpdate:
		run.words[e.Name] = run.word(old)
	case OpRename:
		w := run.word(old)
		if run.words[e.To] = w; w.was != nil && !w.was.Denied {
			run.moved = append(run.moved, e.Name)
		}
		delete(run.words, e.Name)
	case OpRemove:
		delete(run.words, e.Name)
	}
}

func (run *applying) word(e *Entry) word {
	if w, ok := run.words[e.Name]; ok {
		return w
	}
	switch state, _, _ := run.approvals.State(run.store, e); state {
	case Approved, Denied:
		return word{was: run.approvals.find(e.Source.Real, e.Name)}
	}
	return word{}
}

// approve records the user's word on what the edits have left, in one write.
func (run *applying) approve(ctx context.Context, after *Source) error {
	if run.scope != Project {
		return nil
	}
	var records []approval
	for _, e := range after.Entries {
		if r := run.record(e); r != nil {
			records = append(records, *r)
		}
	}
	gone := slices.DeleteFunc(run.moved, func(name string) bool { return after.entry(name) != nil })
	if len(records)+len(gone) == 0 {
		return nil
	}
	err := run.store.changeApprovals(ctx, func(f *approvalsFile) {
		for _, name := range gone {
			f.drop(after.Real, name)
		}
		for _, r := range records {
			f.put(r)
		}
	})
	if err != nil {
		return fmt.Errorf("'%s' was written, but nothing was approved: %w", after.Path, err)
	}
	return nil
}

// record is what to record for an entry; nil when that is recorded already, or
// nothing is to be. A refusal goes along to a new name, and one of the new name
// stays unless the user has written the entry here. Files that were covered keep the
// content they were approved with.
func (run *applying) record(e *Entry) *approval {
	w := run.words[e.Name]
	present := run.approvals.find(e.Source.Real, e.Name)
	r := &approval{Source: e.Source.Real, Name: e.Name, Fingerprint: e.Fingerprint, Time: now(), Entry: e.Raw, Dialect: e.Source.dialect()}
	switch {
	case w.added:
		r.Files = run.store.coveredFiles(e)
	case w.was == nil, present != nil && present.Denied, w.was == present && present.Fingerprint == e.Fingerprint:
		return nil
	case w.was.Denied:
		return &approval{Source: e.Source.Real, Name: e.Name, Denied: true, Time: now()}
	default:
		if r.EntryOnly = w.was.EntryOnly; !r.EntryOnly {
			r.Files = keepKnown(w.was.Files, run.store.coveredFiles(e))
		}
	}
	return r
}
