package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// What a file shows may be the middle of a save, and is given this long before it
// counts (design §9.3): one that is empty or does not parse, because editors write
// in steps; and one that is missing, because some move the old file away first and
// a script may take its time until the new one is there.
const (
	quiet   = 100 * time.Millisecond
	absence = time.Second
)

// A reading is settled when what it finds counts even if a file is missing, empty
// or broken: nobody wants to wait for it. edited are files that are settled in any
// reading: what they are now is what somebody wrote who has finished.
type reading struct {
	settled bool
	edited  []string
}

var unsettled, settled = reading{}, reading{settled: true}

// of is the reading of one file.
func (r reading) of(src *store.Source) reading {
	return reading{settled: r.settled || slices.Contains(r.edited, src.Path) || slices.Contains(r.edited, src.Real)}
}

// changes is what one reload did, by the names of servers.
type changes struct{ started, restarted, stopped, pending []string }

func (c *changes) note(name string, what deed) {
	switch what {
	case started:
		c.started = append(c.started, name)
	case restarted:
		c.restarted = append(c.restarted, name)
	case waits:
		c.pending = append(c.pending, name)
	}
}

// reload reads the files and brings the servers in line with them; with again it
// starts those anew as well that nothing has changed for.
func (s *Session) reload(r reading, again bool) (did changes) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	s.mu.Lock()
	st, overlay, files := s.store, s.overlay, s.knownFiles
	s.mu.Unlock()
	config, files, seen, doubt := s.read(st, overlay, files, r)
	config = config.Only(s.opts.Owner.has)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return did
	}
	if doubt > 0 {
		s.files.again(doubt)
	}
	s.tellProblems(config)
	s.config, s.knownFiles, s.signature, s.inDoubt = config, files, seen, s.unread
	did = s.reconcile(again)
	s.look(files)
	s.pinned()
	s.bump()
	return did
}

// rereads bounds how often one reload reads because there are other files to look
// after than it knew.
const rereads = 3

// read reads the configuration. seen is what the files were like before they were
// read, so that a change while they are read is one that is still to be seen; files
// are those that decide. doubt is how long until what was read counts; 0: it does.
// held: reloading.
func (s *Session) read(st *store.Store, overlay *store.Overlay, files []string, r reading) (c *store.Config, now []string, seen string, doubt time.Duration) {
	for range rereads {
		seen = signature(files)
		var sources []*store.Source
		sources, doubt = s.sources(st, r)
		c = st.Decide(overlay.Over(sources))
		if s.opts.afterRead != nil {
			s.opts.afterRead()
		}
		now = c.Files()
		if slices.Equal(now, files) {
			break
		}
		files = now
	}
	return c, now, seen, doubt
}

// sources reads the files, and stands in for those that may be in the middle of a
// save, or do not parse, with what they were before. held: reloading.
func (s *Session) sources(st *store.Store, r reading) (sources []*store.Source, doubt time.Duration) {
	sources, s.unread = st.ReadSources(), nil
	for i, src := range sources {
		good := s.lastGood[src.Path]
		wait := s.doubts.wait(src.Path, suspect(src, good), r.of(src))
		switch {
		case wait > 0:
			sources[i] = good
			if src.Broken {
				s.unread = append(s.unread, src)
			}
			if doubt == 0 || wait < doubt {
				doubt = wait
			}
		case src.Broken && good != nil && !unsafe(src):
			sources[i] = standIn(good, src)
		case !src.Broken:
			s.lastGood[src.Path] = src
		}
	}
	return sources, doubt
}

// suspicion is what about a file may be the middle of a save; "" is nothing.
type suspicion string

// graces are how long a file is given then.
var graces = map[suspicion]time.Duration{"broken": quiet, "empty": quiet, "missing": absence}

// suspect compares a reading with the last good one; nil: there is none.
func suspect(src, good *store.Source) suspicion {
	switch {
	case good == nil, unsafe(src):
		return ""
	case src.Broken:
		return "broken"
	case !src.Empty || len(good.Entries) == 0:
		return ""
	case !src.Exists:
		return "missing"
	}
	return "empty"
}

// doubts are the files whose present state does not count yet, and from when on it
// does.
type doubts map[string]doubt

// doubt is about one state of a file: one that was broken for long and is found empty
// is in the middle of its next save.
type doubt struct {
	what  suspicion
	until time.Time
}

// wait tells how long a file's state is to be given yet.
func (d doubts) wait(path string, what suspicion, r reading) time.Duration {
	was, known := d[path]
	switch {
	case what == "":
		delete(d, path)
		return 0
	case r.settled:
		d[path] = doubt{what, time.Now()} // and it goes on counting
		return 0
	case !known || was.what != what:
		d[path] = doubt{what, time.Now().Add(graces[what])}
		return graces[what]
	}
	return max(time.Until(was.until), 0)
}

// tellProblems logs what has become wrong with a file since the last reading.
// held: mu.
func (s *Session) tellProblems(next *store.Config) {
	known := map[store.Problem]bool{}
	if s.config != nil {
		for _, p := range s.config.Problems {
			known[p] = true
		}
	}
	for _, p := range next.Problems {
		if !known[p] && p.Severity == store.SeverityError {
			s.event("", "error", fmt.Sprintf("%s:%d:%d: %s; what ran before goes on", p.Source, p.Line, p.Column, p.Message))
		}
	}
}

// unsafe: a path that leads out of the workspace supplies nothing, not even
// what it supplied before (design §6).
func unsafe(src *store.Source) bool {
	for _, p := range src.Problems {
		if p.Code == store.CodePathUnsafe && p.Severity == store.SeverityError {
			return true
		}
	}
	return false
}

// standIn is the last good reading with the present problems on it.
func standIn(good, broken *store.Source) *store.Source {
	out := *good
	out.Problems = broken.Problems
	return &out
}

// reconcile compares wanted and running, server by server. held: mu.
func (s *Session) reconcile(again bool) (did changes) {
	wanted := map[string]bool{}
	for _, row := range s.config.Rows {
		if !row.InForce {
			continue
		}
		name := row.Entry.Name
		admitted, err := s.config.Admit(name)
		if err != nil { // the snapshot says so
			continue
		}
		wanted[name] = true
		did.note(name, s.want(name, admitted, again))
	}
	for name, sv := range s.servers {
		if wanted[name] {
			continue
		}
		ran := sv.run != nil
		if s.part(sv) == waits {
			did.pending = append(did.pending, name)
		} else if ran {
			did.stopped = append(did.stopped, name)
		}
	}
	for name, sv := range s.parting { // it may be for another reason by now
		if !s.mayFinish(sv) {
			s.gone(sv)
			did.stopped = append(did.stopped, name)
			continue
		}
		sv.detail = s.whyParting(name)
	}
	for _, names := range []*[]string{&did.started, &did.restarted, &did.stopped, &did.pending} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return did
}

// want brings one server in line. held: mu.
func (s *Session) want(name string, admitted store.Admitted, again bool) deed {
	launch, err := admitted.Resolve(s.store.Env)
	w := want{admitted: admitted, env: s.store.Env, digest: launch.Digest, secrets: launch.Secrets, fault: err,
		commands: len(launch.Commands) > 0, values: &dial.Values{}}
	if sv := s.parting[name]; sv != nil {
		delete(s.parting, name)
		s.servers[name] = sv
	}
	sv := s.servers[name]
	if sv == nil {
		sv = newServer(s, name, w)
		s.servers[name] = sv
		s.listChanged(name, allLists...)
		if sv.lazy() {
			return nothing
		}
		sv.start()
		return started
	}
	what := sv.retarget(w, s.trusts(sv))
	if what == nothing && again {
		return sv.renewed()
	}
	return what
}

// trusts tells whether what runs as a server may run until its calls are done.
// held: mu.
func (s *Session) trusts(sv *server) bool {
	return sv.run == nil || s.config.Trusts(sv.run.want.admitted)
}

// watchFiles reloads when the files change, until ctx ends.
func (s *Session) watchFiles(ctx context.Context) {
	for {
		due, ok := s.files.wait(ctx)
		if !ok {
			return
		}
		// A directory that came, went or was made anew has to be watched as it is now;
		// and what happened before that is seen by looking once more behind it.
		s.mu.Lock()
		s.look(s.knownFiles)
		s.mu.Unlock()
		s.followSignIns()
		s.recheckTools(false)
		if due || s.filesChanged() {
			s.reload(unsettled, false)
		}
	}
}

func (s *Session) filesChanged() bool {
	s.mu.Lock()
	files, was := s.knownFiles, s.signature
	s.mu.Unlock()
	return signature(files) != was
}

// signature tells two states of the files apart without reading them: identity,
// size, and the times of content and inode, which no ordinary write leaves alone.
func signature(files []string) string {
	var b strings.Builder
	for _, path := range files {
		for _, stat := range []func(string) (os.FileInfo, error){os.Lstat, os.Stat} {
			info, err := stat(path)
			if err != nil {
				b.WriteString("-;")
				continue
			}
			sys, _ := info.Sys().(*syscall.Stat_t)
			if sys == nil {
				sys = &syscall.Stat_t{}
			}
			fmt.Fprintf(&b, "%d.%d.%d.%o.%d.%v;", sys.Dev, sys.Ino, info.Size(), info.Mode(), info.ModTime().UnixNano(), changeTime(sys))
		}
	}
	return b.String()
}
