package engine

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// ApprovalsOf is the document of these entries of project files.
func ApprovalsOf(c *store.Config, rows []*store.Row) wire.Approvals {
	doc := wire.Approvals{Schema: wire.Schema, Servers: []wire.ApprovalRow{}}
	for _, row := range rows {
		doc.Servers = append(doc.Servers, ApprovalRow(c, row))
	}
	return doc
}

// ListApprovals is the document of every entry that needs the user's word or has it;
// of these names, or of all when there are none.
func ListApprovals(c *store.Config, names []string) wire.Approvals {
	var rows []*store.Row
	for _, row := range c.AllProjectRows() {
		if len(names) == 0 || slices.Contains(names, row.Entry.Name) {
			rows = append(rows, row)
		}
	}
	return ApprovalsOf(c, rows)
}

// ApprovalRow is what there is to know about an entry before it is approved, secrets
// masked.
func ApprovalRow(c *store.Config, row *store.Row) wire.ApprovalRow {
	e := row.Entry
	files := ""
	if r, err := c.Store.Review(e, false); err == nil {
		files = string(r.Files())
	}
	return wire.ApprovalRow{
		FilesFingerprint: files, Hidden: list(e.Hidden()),
		Name: e.Name, Source: e.Source.Path, Line: e.Line, Column: e.Column, Approval: string(row.Approval), Reason: row.Why,
		Fingerprint: string(e.Fingerprint), Entry: e.Masked(),
		Covers: list(c.Store.CoveredPaths(e)), Does: list(c.Store.Facts(e)), Risks: list(c.Store.Risks(e)),
	}
}

// OwnRow is the row of a name that is the user's own and needs no approval.
func OwnRow(name string) wire.ApprovalRow {
	return wire.ApprovalRow{Name: name, Approval: string(store.NotNeeded), Covers: []string{}, Does: []string{}, Hidden: []string{}, Risks: []string{}}
}

// PresentRow is the row of an entry whose record was changed just now.
func PresentRow(c *store.Config, row *store.Row) wire.ApprovalRow {
	out := ApprovalRow(c, row)
	state, why, _ := c.Store.ReadApprovals().State(c.Store, row.Entry)
	out.Approval, out.Reason = string(state), why
	return out
}

// Approve records the user's word for what was reviewed, and describes the entry.
// unchanged says that it was recorded already; then nothing is written.
func Approve(ctx context.Context, c *store.Config, row *store.Row, review store.Review) (out wire.ApprovalRow, unchanged bool, err error) {
	if c.Approvals.Holds(review) {
		return ApprovalRow(c, row), true, nil
	}
	if err := c.Store.ApproveReview(ctx, review); err != nil {
		return wire.ApprovalRow{}, false, err
	}
	out = ApprovalRow(c, row)
	out.Approval, out.Reason, out.Covers = string(store.Approved), "", list(review.Covers())
	return out, false, nil
}
