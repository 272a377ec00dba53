package supervisor

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// samples are all that are frozen in testdata/wire.
func samples() []sample { return slices.Concat(coreSamples(), editSamples()) }

// editSamples are the messages of edits, approvals and tests.
func editSamples() []sample {
	const fp, files = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	edit := wire.Edit{Schema: 1, Name: "docs", Scope: "user", Source: "/h/.config/mcp/mcp.json", Fingerprint: fp, Warnings: []wire.Warning{}}
	dry := edit
	dry.DryRun, dry.Diff = true, "--- a/h/.config/mcp/mcp.json\n+++ b/h/.config/mcp/mcp.json\n"
	removed := edit
	removed.Fingerprint = ""
	override := wire.Edit{Schema: 1, Name: "docs", Scope: "local", Source: "/s/mcp.json", Fingerprint: fp,
		Warnings: []wire.Warning{{Message: "'docs' is not enabled here: the entry in /w/.mcp.json is not approved", Hint: "mcpctl approve docs"}}}
	row := wire.ApprovalRow{Name: "db", Source: "/w/.mcp.json", Line: 4, Column: 5, Approval: "pending", Reason: "it comes from the project and nobody has approved it yet",
		Fingerprint: fp, Covers: []string{"tools/db.js"}, FilesFingerprint: files, Does: []string{"runs /usr/bin/node"}, Hidden: []string{}, Risks: []string{},
		Entry: raw(`{"command":"node","args":["./tools/db.js"]}`)}
	approved := row
	approved.Approval, approved.Reason = "approved", ""
	approvedAt := time.Date(2026, 9, 30, 12, 0, 0, 0, time.UTC)
	refused := wire.NewError(wire.ConnectFailed, "the server left with status 3", "").On("broken")
	return []sample{
		{"mcp.add", wire.MethodAdd, "request", wire.Add{Session: "default", Scope: "user", Name: "docs", Entry: raw(`{"type":"http","url":"https://mcp.example.com/mcp"}`)}},
		{"mcp.add", "", "result", edit},
		{"mcp.replace", wire.MethodAdd, "request", wire.Add{Session: "default", Scope: "project", Name: "docs", Entry: raw(`{"command":"docs","args":["-v"]}`),
			Replace: true, ExpectFingerprint: fp, DryRun: true}},
		{"mcp.replace", "", "result", dry},
		{"mcp.update", wire.MethodUpdate, "request", wire.Update{Session: "default", Name: "docs",
			Set: wire.Fields{{Path: "timeout", Value: raw(`"30s"`)}, {Path: "headers.X-Level", Value: raw(`"${LEVEL}"`)}}, Unset: []string{"description"}, ExpectFingerprint: fp}},
		{"mcp.update", "", "result", edit},
		{"mcp.remove", wire.MethodRemove, "request", wire.Remove{Session: "default", Scope: "user", Name: "docs", ExpectFingerprint: fp}},
		{"mcp.remove", "", "result", removed},
		{"mcp.setProjectOverride", wire.MethodSetProjectOverride, "request", wire.SetOverride{Session: "default", Server: "docs", Enabled: raw(`true`), Exposure: raw(`"deferred"`)}},
		{"mcp.setProjectOverride", "", "result", override},
		{"mcp.approve", wire.MethodApprove, "request", wire.Approve{Session: "default", Server: "db", Fingerprint: fp, Files: files}},
		{"mcp.approve", "", "result", wire.Approvals{Schema: 1, Servers: []wire.ApprovalRow{approved}}},
		{"mcp.review", wire.MethodApprove, "request", wire.Approve{Session: "default", Decision: "list"}},
		{"mcp.review", "", "result", wire.Approvals{Schema: 1, Servers: []wire.ApprovalRow{row}}},
		{"mcp.approve.tools", wire.MethodApprove, "request", wire.Approve{Session: "default", Server: "docs", Tools: true, Fingerprint: fp}},
		{"mcp.review.tools", wire.MethodApprove, "request", wire.Approve{Session: "default", Server: "docs", Decision: "list", Tools: true}},
		{"mcp.review.tools", "", "result", wire.Approvals{Schema: 1, Servers: []wire.ApprovalRow{}, Tools: []wire.ToolSet{
			{Name: "docs", Fingerprint: fp, Approved: files, Origin: "first-use", ApprovedAt: &approvedAt, Tools: 3, Changes: []wire.ToolChange{
				{Tool: "search", Change: "changed", From: fp, To: files, Diff: "--- a/tools/search\n+++ b/tools/search\n"}}}}}},
		{"mcp.deny", wire.MethodApprove, "request", wire.Approve{Session: "default", Server: "db", Decision: "deny"}},
		{"mcp.shareWithRepo", wire.MethodShareWithRepo, "request", wire.ShareWithRepo{Session: "default", Server: "docs", Scope: "user", EnvPlaceholders: true, ExpectFingerprint: fp}},
		{"mcp.shareWithRepo", "", "result", wire.Share{
			Edit:      wire.Edit{Schema: 1, Name: "docs", Scope: "project", Source: "/w/.mcp.json", Fingerprint: fp, Warnings: []wire.Warning{}},
			From:      wire.ShareOrigin{Scope: "user", Source: "/h/.config/mcp/mcp.json", Line: 9},
			Variables: []wire.ShareVariable{{Name: "DOCS_KEY", Field: "headers.X-Key"}}, LeftOut: []string{"auth"}}},
		{"mcp.testConnection", wire.MethodTestConnection, "request", wire.InServer{Session: "default", Server: "docs", TimeoutMS: 20000}},
		{"mcp.testConnection", "", "result", wire.Test{Schema: 1, Results: []wire.TestResult{
			{Name: "docs", OK: true, State: wire.Connected, ProtocolVersion: "2025-11-25", Server: wire.Peer{Name: "docs-server", Version: "2.1.0"},
				Tools: []string{"search"}, Resources: true, MS: 120, Warnings: []wire.Warning{}},
			{Name: "broken", State: wire.Failed, Tools: []string{}, MS: 40, Error: refused, Warnings: []wire.Warning{}}}}},
	}
}
