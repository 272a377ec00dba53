package supervisor

import (
	"context"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/engine/record"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// recorder keeps the outputs of one state directory, as engine.Recorder.
type recorder struct {
	state   string
	outputs *record.Outputs
}

// Record implements engine.Recorder.
func (r *recorder) Record(o wire.Output) (string, error) {
	return r.outputs.Save(record.Output{Workspace: o.Workspace, Server: o.Server, Tool: o.Tool, Arguments: o.Arguments, Result: o.Result})
}

// outputsOf returns where the results of a session go: below its caller's own state
// directory, where the caller's commands look for them.
func (s *server) outputsOf(p store.Places) *recorder {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.outputs[p.State()]
	if r == nil {
		r = &recorder{p.State(), record.NewOutputs(p.State())}
		s.outputs[p.State()] = r
	}
	return r
}

// closeOutputs gives back what is held open for outputs, when every session has ended.
func (s *server) closeOutputs() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.outputs {
		r.outputs.Close()
	}
}

// readOutput answers with a recorded output of this supervisor's, wherever it is.
func readOutput(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.ReadOutput
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	states := []string{c.s.o.Places.State()}
	c.s.mu.Lock()
	for state := range c.s.outputs {
		states = append(states, state)
	}
	c.s.mu.Unlock()
	return func(ctx context.Context) {
		var o record.Output
		var err error
		for _, state := range states {
			if o, err = record.ReadOutput(state, in.ID); err == nil {
				break
			}
		}
		req.Reply(ctx, wireOutput(o), err)
	}, nil
}

func wireOutput(o record.Output) wire.Output {
	return wire.Output{Schema: wire.Schema, ID: o.ID, Time: o.Time, Workspace: o.Workspace, Server: o.Server, Tool: o.Tool,
		Arguments: o.Arguments, Result: o.Result}
}

// maxRecords bounds the records of one answer in bytes, so that it can be sent.
const maxRecords = 8 << 20

// readLog answers with the records that are there and, with follow, sends each
// further one. A client that does not read holds up its own connection and nothing
// else: what it has not read yet stays in the file and nowhere else, and when the
// log has been moved away twice meanwhile, a part of it is lost to it.
func readLog(c *connection, req wire.Request) (func(context.Context), error) {
	var in wire.ReadLog
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	if _, ok := record.Level(in.Level); in.Level != "" && !ok {
		return nil, wire.NewError(wire.Usage, "'"+in.Level+"' is not a level", "levels are: "+record.LevelWords)
	}
	if in.Last < 0 {
		return nil, wire.NewError(wire.Usage, "last is 0 for all records, or how many", "")
	}
	if in.Follow && c.readsLog {
		return nil, wire.NewError(wire.Usage, "this connection follows the log already", "")
	}
	c.readsLog = c.readsLog || in.Follow
	f := record.Filter{Server: in.Server, Level: in.Level, Since: in.Since, Last: in.Last}
	dir := c.s.o.Places.State()
	if !in.Follow {
		return func(ctx context.Context) {
			records, err := record.Read(dir, f)
			req.Reply(ctx, logRecords(records), err)
		}, nil
	}
	return func(ctx context.Context) {
		answered := false
		err := record.FollowFrom(ctx, dir, f, func(present []record.Record) error {
			answered = true
			req.Reply(ctx, logRecords(present), nil)
			return nil
		}, func(r record.Record) error {
			return req.Conn().Notify(ctx, wire.NotifyLog, wire.LogRecord(r))
		})
		if !answered {
			req.Reply(ctx, nil, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.readsLog = false
	}, nil
}

// logRecords are the newest of the records that one message can hold.
func logRecords(records []record.Record) wire.LogRecords {
	out := wire.LogRecords{Schema: wire.Schema, Records: []wire.LogRecord{}}
	first, size := len(records), 0
	for ; first > 0; first-- {
		line, _ := json.Marshal(records[first-1]) // text and a time
		if size += len(line) + 1; size > maxRecords {
			break
		}
	}
	out.LeftOut = first
	for _, r := range records[first:] {
		out.Records = append(out.Records, wire.LogRecord(r))
	}
	return out
}
