package commands

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// document is what one command writes with --json.
type document struct {
	name string // the command's words joined by '-', or "error"
	of   reflect.Type
	says string
}

// documents is the table of JSON documents. A command that has one belongs here,
// and a sample of it into testdata/json.
var documents = []document{
	{"list", reflect.TypeFor[wire.List](), "the effective servers"},
	{"show", reflect.TypeFor[report.Show](), "every entry of one name, the one in force first"},
	{"add", reflect.TypeFor[wire.Edit](), "what was written"},
	{"remove", reflect.TypeFor[wire.Edit](), "what was written, one document per name"},
	{"update", reflect.TypeFor[wire.Edit](), "what was written"},
	{"rename", reflect.TypeFor[wire.Edit](), "what was written"},
	{"enable", reflect.TypeFor[wire.Edit](), "what was written"},
	{"disable", reflect.TypeFor[wire.Edit](), "what was written"},
	{"fingerprint", reflect.TypeFor[report.Fingerprints](), "fingerprints of entries"},
	{"sources", reflect.TypeFor[report.Sources](), "every place where servers are looked for, and what was found there"},
	{"doctor", reflect.TypeFor[report.Doctor](), "what was looked over, and what mends it"},
	{"apply", reflect.TypeFor[report.Apply](), "what was written, by edit"},
	{"import", reflect.TypeFor[report.Copy](), "what became of each server"},
	{"export", reflect.TypeFor[report.Copy](), "what became of each server"},
	{"sync", reflect.TypeFor[report.Copy](), "what became of each server"},
	{"diff", reflect.TypeFor[report.Diff](), "a file against its history, or an entry against its approval"},
	{"history", reflect.TypeFor[report.History](), "the changes that mcpctl made, newest first"},
	{"undo", reflect.TypeFor[report.Undo](), "what was put back"},
	{"lint", reflect.TypeFor[report.Lint](), "what was found in files, and what was mended"},
	{"lint-list", reflect.TypeFor[report.LintRules](), "the rules, with --list or --explain"},
	{"approve", reflect.TypeFor[wire.Approvals](), "project entries and the user's word on them"},
	{"deny", reflect.TypeFor[wire.Approvals](), "project entries and the user's word on them"},
	{"revoke", reflect.TypeFor[wire.Approvals](), "project entries and the user's word on them"},
	{"share", reflect.TypeFor[wire.Share](), "what was copied into the project, and the variables that have to be set"},
	{"lock", reflect.TypeFor[wire.Lock](), "what is in the lock file now"},
	{"check", reflect.TypeFor[wire.Check](), "the servers of the project beside the lock file"},
	{"status", reflect.TypeFor[wire.Status](), "one snapshot; with --watch one per line"},
	{"test", reflect.TypeFor[wire.Test](), "what each probe found"},
	{"login", reflect.TypeFor[wire.LoginFrame](), "one step of a sign-in, each on a line of its own"},
	{"login-start", reflect.TypeFor[wire.LoginStart](), "a sign-in that another process completes, with --start"},
	{"logout", reflect.TypeFor[wire.LoggedOut](), "the sign-ins that were deleted"},
	{"credentials-list", reflect.TypeFor[wire.Credentials](), "the stored sign-ins, without their values"},
	{"credentials-remove", reflect.TypeFor[wire.LoggedOut](), "the sign-in that was deleted"},
	{"tools", reflect.TypeFor[wire.Tools](), "the tools of servers"},
	{"call", reflect.TypeFor[report.Call](), "what a tool answered"},
	{"resources", reflect.TypeFor[wire.Resources](), "the resources of servers"},
	{"read", reflect.TypeFor[wire.ResourceResult](), "the contents of a resource"},
	{"prompts", reflect.TypeFor[wire.Prompts](), "the prompts of servers"},
	{"prompt", reflect.TypeFor[wire.PromptResult](), "the messages of a prompt"},
	{"complete", reflect.TypeFor[wire.Completions](), "what a server proposes"},
	{"output", reflect.TypeFor[wire.Output](), "a recorded call"},
	{"output-list", reflect.TypeFor[report.Outputs](), "the recorded calls, newest first, with --list"},
	{"logs", reflect.TypeFor[report.LogLine](), "one record, each on a line of its own"},
	{"reconnect", reflect.TypeFor[wire.Status](), "the server's status afterwards"},
	{"reload", reflect.TypeFor[wire.Reloaded](), "what the files, read again, did to the servers"},
	{"session-open", reflect.TypeFor[report.Session](), "the session that was opened"},
	{"session-list", reflect.TypeFor[wire.Sessions](), "the sessions of the supervisor"},
	{"session-close", reflect.TypeFor[wire.Sessions](), "the sessions that were closed, as they were"},
	{"version", reflect.TypeFor[report.Version](), "the version of mcpctl, with --version"},
	{"supervisor-start", reflect.TypeFor[wire.Info](), "the running supervisor"},
	{"supervisor-stop", reflect.TypeFor[wire.Info](), "that none runs"},
	{"supervisor-restart", reflect.TypeFor[wire.Info](), "the running supervisor"},
	{"supervisor-status", reflect.TypeFor[wire.Info](), "the running supervisor, or that none runs"},
	{"supervisor-install", reflect.TypeFor[report.ServiceFiles](), "the files for the service manager"},
	{"supervisor-uninstall", reflect.TypeFor[report.ServiceFiles](), "what became of the files for the service manager"},
	{"config-list", reflect.TypeFor[report.Config](), "all settings"},
	{"config-get", reflect.TypeFor[report.ConfigValue](), "one setting"},
	{"config-set", reflect.TypeFor[report.ConfigEdit](), "what was written"},
	{"config-unset", reflect.TypeFor[report.ConfigEdit](), "what was written"},
	{"schema-list", reflect.TypeFor[report.SchemaList](), "the JSON Schemas, with --list"},
	{"error", reflect.TypeFor[report.ErrorDocument](), "why a command failed, on stderr"},
}

// Documents lists the names of the JSON documents, for the test of their samples.
func Documents() []string {
	names := make([]string, len(documents))
	for i, d := range documents {
		names[i] = d.name
	}
	return names
}

// states are all words of a server's state.
var states = []wire.State{wire.NotRunning, wire.Starting, wire.Connected, wire.NeedsSignIn, wire.Failed, wire.Disconnected,
	wire.Disabled, wire.DisabledInProject, wire.DisabledInSession, wire.PendingApproval, wire.PendingReload, wire.InvalidConfig,
	wire.Elsewhere, wire.Stopped}

// schema is the JSON Schema of the document. It lets new fields pass: documents
// grow (design §8.1).
func (d document) schema() (*jsonschema.Schema, error) {
	stateWords := make([]any, len(states))
	for i, s := range states {
		stateWords[i] = string(s)
	}
	s, err := jsonschema.ForType(d.of, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {}, // of others: a server's answer, a user's entry
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[wire.State]():      {Type: "string", Enum: stateWords},
	}})
	if err != nil {
		return nil, err
	}
	loosen(s)
	s.Schema = draft
	s.Title = "mcpctl " + strings.ReplaceAll(d.name, "-", " ") + " --json"
	switch d.name {
	case "error":
		s.Title = "mcpctl: an error with --json"
	case "login-start":
		s.Title = "mcpctl login --start --json"
	case "schema-list":
		s.Title = "mcpctl schema --list --json"
	case "lint-list":
		s.Title = "mcpctl lint --list --json"
	case "output-list":
		s.Title = "mcpctl output --list --json"
	}
	s.Description = d.says
	version := any(wire.Schema)
	s.Properties["schema"] = &jsonschema.Schema{Const: &version}
	return s, nil
}

// loosen lets objects have more members than today's, and makes lists lists: an
// empty one is [], never null.
func loosen(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if a := s.AdditionalProperties; a != nil && a.Not != nil {
		s.AdditionalProperties = nil
	}
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Types, s.Type = nil, "array"
	}
	for _, p := range s.Properties {
		loosen(p)
	}
	loosen(s.Items)
	loosen(s.AdditionalProperties)
}
