package supervisor

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// approve takes the user's word on an entry of a project, or tells what there is to
// show before it is given (design §5.2).
func approve(ctx context.Context, st *store.Store, in wire.Approve) (any, error) {
	decision := in.Decision
	if decision == "" {
		decision = "approve"
	}
	if decision != "approve" && (in.Fingerprint != "" || in.Files != "" || in.EntryOnly) {
		return nil, wire.NewError(wire.Usage, "'fingerprint', 'files' and 'entryOnly' go with the decision \"approve\"", "")
	}
	if in.Server == "" && decision != "list" {
		return nil, wire.NewError(wire.Usage, "name the server", "")
	}
	switch decision {
	case "list":
		if in.Server == "" {
			return engine.ListApprovals(st.Load(), nil), nil
		}
		return engine.ListApprovals(st.Load(), []string{in.Server}), nil
	case "approve":
		return approveEntry(ctx, st, in)
	case "deny":
		return decide(st, in.Server, func(e *store.Entry) error { return st.Deny(ctx, e.Source.Real, e.Name) })
	case "revoke":
		return decide(st, in.Server, func(e *store.Entry) error {
			_, err := st.Revoke(ctx, e.Source.Real, e.Name)
			return err
		})
	}
	return nil, wire.NewError(wire.Usage, "'decision' is \"approve\", \"deny\", \"revoke\" or \"list\"", "")
}

// approveEntry approves the one entry whose fingerprint was shown. One reading of the
// file is compared, and recorded.
func approveEntry(ctx context.Context, st *store.Store, in wire.Approve) (any, error) {
	entry, err := fingerprintIn("fingerprint", in.Fingerprint)
	if err != nil {
		return nil, err
	}
	files, err := fingerprintIn("files", in.Files)
	if err != nil {
		return nil, err
	}
	if files != "" && in.EntryOnly {
		return nil, wire.NewError(wire.Usage, "'files' goes without 'entryOnly'", "")
	}
	c := st.Load()
	row, err := c.ProjectRow(in.Server, entry)
	if err != nil {
		return nil, err
	}
	doc := wire.Approvals{Schema: wire.Schema}
	if row == nil {
		doc.Servers = append(doc.Servers, engine.OwnRow(in.Server))
		return doc, nil
	}
	if entry == "" {
		return nil, wire.NewError(wire.Usage, "an approval needs the fingerprint that was shown", "the decision \"list\" gives it")
	}
	review, err := st.Review(row.Entry, in.EntryOnly)
	if err != nil {
		return nil, err
	}
	if err := c.Agreed(row, review, entry, files); err != nil {
		return nil, err
	}
	out, _, err := engine.Approve(ctx, c, row, review)
	doc.Servers = append(doc.Servers, out)
	return doc, err
}

// decide changes what is recorded about a name, in the project files of every client.
func decide(st *store.Store, name string, change func(*store.Entry) error) (any, error) {
	c := st.Load()
	rows, err := c.ProjectRows(name)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, store.NoProjectEntry(name)
	}
	doc := wire.Approvals{Schema: wire.Schema}
	for _, row := range rows {
		if err := change(row.Entry); err != nil {
			return nil, err
		}
		doc.Servers = append(doc.Servers, engine.PresentRow(c, row))
	}
	return doc, nil
}
