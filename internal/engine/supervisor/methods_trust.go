package supervisor

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

var approvingEntries = editing(func(in *wire.Approve) *string { return &in.Session }, approve)

// approving makes mcp.approve: of an entry, which is an edit, or of the tools that a
// server lists, for which it has to be connected.
func approving(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.Approve
	sess, err := c.decode(req, &in, &in.Session)
	if err != nil {
		return nil, err
	}
	if !in.Tools {
		return approvingEntries(c, req)
	}
	as := c.as(in.Session)
	return func(ctx context.Context) {
		doc, err := approveTools(as(ctx), sess, in)
		req.Reply(ctx, doc, err)
	}, nil
}

// approveTools takes the user's word on the tools that a server lists now, or tells how
// they differ from those that were approved.
func approveTools(ctx context.Context, sess session, in wire.Approve) (wire.Approvals, error) {
	doc := wire.Approvals{Schema: wire.Schema, Servers: []wire.ApprovalRow{}}
	shown, err := fingerprintIn("fingerprint", in.Fingerprint)
	switch {
	case err != nil:
		return doc, err
	case in.Files != "" || in.EntryOnly:
		return doc, wire.NewError(wire.Usage, "'files' and 'entryOnly' are about entries, and 'tools' is not", "")
	case in.Decision == "list" && shown == "":
		doc.Tools, err = sess.ToolSets(ctx, in.Server, 0)
		return doc, err
	case in.Decision != "approve" && in.Decision != "":
		return doc, wire.NewError(wire.Usage, "with 'tools' the 'decision' is \"approve\" or \"list\", and a 'fingerprint' goes with the former", "")
	case in.Server == "":
		return doc, wire.NewError(wire.Usage, "name the server", "")
	case shown == "":
		return doc, wire.NewError(wire.Usage, "an approval of tools needs the fingerprint that was shown", "the decision \"list\" gives it")
	}
	set, err := sess.ApproveTools(ctx, in.Server, shown, 0)
	doc.Tools = []wire.ToolSet{set}
	return doc, err
}

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
