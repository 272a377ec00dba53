package commands

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

const doctorHelp = `Look over everything that servers here depend on, and name for each thing that is wrong
the command that mends it:

  directory    where configuration, state and the socket are, whose they are, and
               whether others can read them
  settings     both files of settings
  elsewhere    whether another program owns MCP here
  source       files that cannot be used, or that others can read although they hold
               secrets
  approval     the record of approvals, and entries that wait for one
  program      node, npx, uvx and docker, and the program of every server in force
  server       variables that are not set, and other values that cannot be known
  supervisor   whether one runs, and of which version
  credentials  where sign-ins are kept, and those that run out and do not renew
               themselves

Only what is remarkable is shown; --all shows what is well, too. The exit status is 1
when there is an error among the findings. Doctor starts no process and no server,
speaks to nothing but a running supervisor, and writes nothing. Whether a server really
works is for: mcpctl test --all`

const doctorExamples = `  mcpctl doctor
  mcpctl doctor --json | jq -r '.findings[] | select(.fix != "") | .fix'`

func newDoctorCmd(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "look for what keeps servers here from working", Long: doctorHelp, Example: doctorExamples,
		Args: names(0, 0, ""), RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "show what is well, too")
	return cmd
}

func runDoctor(ctx context.Context, a *app, all bool) error {
	s, err := a.openQuietly()
	if err != nil {
		return err
	}
	d := &doctor{store: s, config: s.Decide(s.ReadAll()), version: a.version, now: time.Now()}
	d.directories()
	d.settings()
	d.sources()
	d.approvals()
	d.programs()
	d.servers()
	d.supervisor(ctx)
	d.credentials()
	doc := report.Doctor{Schema: wire.Schema, Workspace: s.Workspace.Dir, Client: s.Client.Name, Findings: d.shown(all)}
	if err := a.print(doc, func(w *bytes.Buffer) error { return doctorText(w, doc) }); err != nil {
		return err
	}
	if d.failed {
		return exit(1)
	}
	if len(doc.Findings) == 0 && a.json == "" {
		a.say("nothing is wrong")
	}
	return nil
}

// doctor collects findings.
type doctor struct {
	store    *store.Store
	config   *store.Config
	version  string
	now      time.Time
	findings []report.Finding
	failed   bool
}

// find adds a finding. Its words may hold text from files; secrets are hidden in them.
func (d *doctor) find(check string, level report.FindingLevel, subject, message, fix string) {
	d.failed = d.failed || level == report.LevelError
	d.findings = append(d.findings, report.Finding{Check: check, Level: level, Subject: redact.Text(subject), Message: redact.Text(message), Fix: redact.Text(fix)})
}

func (d *doctor) ok(check, subject, message string) {
	d.find(check, report.LevelOK, subject, message, "")
}

// problem adds what a reader has noted.
func (d *doctor) problem(check string, p store.Problem) {
	level := report.LevelWarning
	if p.Severity == store.SeverityError {
		level = report.LevelError
	}
	subject := place(p.Source, p.Line, p.Column)
	if p.Server != "" {
		subject = p.Server + " in " + subject
	}
	d.find(check, level, subject, p.Message, p.Hint)
}

// shown are the findings that were asked for; never nil.
func (d *doctor) shown(all bool) []report.Finding {
	out := []report.Finding{}
	for _, f := range d.findings {
		if all || f.Level != report.LevelOK {
			out = append(out, f)
		}
	}
	return out
}

func doctorText(w *bytes.Buffer, doc report.Doctor) error {
	for _, f := range doc.Findings {
		fmt.Fprintf(w, "%s: %s: %s: %s\n", f.Level, f.Check, redact.Line(f.Subject), redact.Line(f.Message))
		if f.Fix != "" {
			fmt.Fprintf(w, "    %s\n", redact.Line(f.Fix))
		}
	}
	return nil
}
