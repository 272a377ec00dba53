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
}

type known struct {
	secrets []string
	mask    *redact.Mask
}

func newLogger(to *record.Log) *logger { return &logger{to: to, masks: map[string]known{}} }

// event logs something the supervisor did itself: server "".
func (l *logger) event(level, text string) { l.Log("", level, engine.OwnLogger, text, nil) }

// Log implements engine.Logger. What a server writes counts against its share of
// the log; what is said of it, by us, does not. A log that cannot be written must
// not stop the servers, so its error goes nowhere.
func (l *logger) Log(server, level, logger, text string, secrets []string) {
	if l.to == nil {
		return
	}
	now := time.Now().UTC()
	if server != "" && logger != engine.OwnLogger {
		v := l.floods.judge(server, len(text), now)
		if v.before != "" {
			_ = l.to.Append(record.Record{Time: now, Server: server, Level: "warning", Logger: engine.OwnLogger, Text: v.before}, nil)
		}
		if !v.write {
			return
		}
	}
	r := record.Record{Time: now, Server: server, Level: level, Logger: logger, Text: text}
	_ = l.to.Append(r, l.mask(server, secrets))
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
