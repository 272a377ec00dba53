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
		return word{was: run.approvals.find(e.Source, e.Name)}
	}
	return word{}
}

// approve records the user's word on what the edits have left, in one write. A refusal
// that was recorded meanwhile stays.
func (run *applying) approve(ctx context.Context, after *Source) error {
	if run.scope != Project {
		return nil
	}
	records, err := run.records(after)
	if err != nil {
		return fmt.Errorf("'%s' was written, but nothing was approved: %w", after.Path, err)
	}
	gone := slices.DeleteFunc(run.moved, func(name string) bool { return after.entry(name) != nil })
	if len(records)+len(gone) == 0 {
		return nil
	}
	err = run.store.changeApprovals(committed(ctx), func(f *approvalsFile) {
		for _, name := range gone {
			f.drop(after.Real, name)
		}
		for _, r := range records {
			if !f.denied(r.Source, r.Name) {
				f.put(r)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("'%s' was written, but nothing was approved: %w", after.Path, err)
	}
	return nil
}

// records are what to record for the entries that the edits have left. The error is
// that of Review for the first one that could not be approved.
func (run *applying) records(after *Source) ([]approval, error) {
	if run.scope != Project {
		return nil, nil
	}
	var records []approval
	for _, e := range after.Entries {
		r, err := run.record(e)
		if err != nil {
			return nil, err
		}
		if r != nil {
			records = append(records, *r)
		}
	}
	return records, nil
}

// record is what to record for an entry; nil when that is recorded already, or
// nothing is to be. A refusal goes along to a new name, and one of the new name
// stays, also when the user has written the entry here. Files that were covered keep
// the content they were approved with.
func (run *applying) record(e *Entry) (*approval, error) {
	w := run.words[e.Name]
	present := run.approvals.find(e.Source, e.Name)
	entryOnly := false
	switch {
	case w.added:
	case w.was == nil, w.was == present && present.Fingerprint == e.Fingerprint:
		return nil, nil
	case w.was.Denied:
		if present != nil && present.Denied {
			return nil, nil
		}
		return &approval{Source: e.Source.Real, Name: e.Name, Denied: true, Time: now()}, nil
	default:
		entryOnly = w.was.EntryOnly
	}
	review, err := run.store.Review(e, entryOnly) // of denied names too: what cannot be approved is not written
	if err != nil || present != nil && present.Denied {
		return nil, err
	}
	r := review.record()
	if !w.added {
		r.Files = keepKnown(w.was.Files, r.Files)
	}
	return &r, nil
}

// denied warns of the entries that were written or renamed under names that the user
// has denied.
func (run *applying) denied(after *Source) (out []Problem) {
	for _, e := range after.Entries {
		if w := run.words[e.Name]; w.added || w.was != nil && !w.was.Denied {
			out = append(out, run.store.stillDenied(e)...)
		}
	}
	return out
}
