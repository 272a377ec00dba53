package supervisor

import (
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine"
	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// logger writes the supervisor's own events and, as engine.Logger, what servers
// say, each line masked by what its server knows.
type logger struct {
	to *record.Log // nil: nothing is kept

	mu    sync.Mutex
	masks map[string]known // by server; making a mask costs more than a line

	floods floods

	turns sync.Mutex        // held while a line is written, so that a note stands in front of its line
	last  map[string]string // the workspace of a server's last line, by server
}

type known struct {
	secrets []string
	mask    *redact.Mask
}

func newLogger(to *record.Log) *logger {
	return &logger{to: to, masks: map[string]known{}, last: map[string]string{}}
}

// event logs something the supervisor did itself: server "".
func (l *logger) event(level, text string) { l.Log("", level, engine.OwnLogger, text, nil) }

// workspaceLog is the logger of one workspace's sessions.
type workspaceLog struct {
	l         *logger
	workspace string
}

// of is the logger of the sessions in a workspace: servers of several workspaces may have
// one name.
func (l *logger) of(workspace string) workspaceLog { return workspaceLog{l, workspace} }

// Log implements engine.Logger.
func (w workspaceLog) Log(server, level, logger, text string, secrets []string) {
	w.l.log(w.workspace, record.Record{Server: server, Level: level, Logger: logger, Text: text}, secrets)
}

// Log implements engine.Logger for what belongs to no workspace.
func (l *logger) Log(server, level, logger, text string, secrets []string) {
	l.log("", record.Record{Server: server, Level: level, Logger: logger, Text: text}, secrets)
}

// log writes one record, its time to be set. What a server writes counts against its share of
// the log; what is said of it, by us, does not. A log that cannot be written must
// not stop the servers, so its error goes nowhere.
func (l *logger) log(workspace string, r record.Record, secrets []string) {
	if l.to == nil {
		return
	}
	r.Time = time.Now().UTC()
	if r.Server != "" && r.Logger != engine.OwnLogger {
		v := l.floods.judge(r.Server, len(r.Text), r.Time)
		if v.before != "" {
			_ = l.to.Append(record.Record{Time: r.Time, Server: r.Server, Level: "warning", Logger: engine.OwnLogger, Text: v.before}, nil)
		}
		if !v.write {
			return
		}
	}
	mask := l.mask(r.Server, secrets)
	l.turns.Lock()
	defer l.turns.Unlock()
	if workspace != "" && r.Server != "" {
		if last := l.last[r.Server]; last != "" && last != workspace {
			_ = l.to.Append(record.Record{Time: r.Time, Server: r.Server, Level: "info", Logger: engine.OwnLogger, Text: "what follows is of workspace " + workspace}, nil)
		}
		l.last[r.Server] = workspace
	}
	_ = l.to.Append(r, mask)
}

// end says of what was left out that it was: there is no next line to say it with.
func (l *logger) end() {
	for server, text := range l.floods.end() {
		l.Log(server, "warning", engine.OwnLogger, text, nil)
	}
}

func (l *logger) mask(server string, secrets []string) *redact.Mask {
	if len(secrets) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if k, ok := l.masks[server]; ok && slices.Equal(k.secrets, secrets) {
		return k.mask
	}
	k := known{slices.Clone(secrets), redact.NewMask(secrets...)}
	l.masks[server] = k
	return k.mask
}
