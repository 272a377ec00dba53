package engine

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/probe/dial"
	"github.com/mcpctl/mcpctl/internal/store"
)

// quiet is how long a file that is empty or does not parse is given before that
// counts: editors write in steps (design §9.3).
const quiet = 100 * time.Millisecond

// A reading is settled when what it finds counts even if a file is empty or
// broken, because it has been looked at before.
type reading bool

const (
	unsettled reading = false
	settled   reading = true
)

// reload reads the files and brings the servers in line with them.
func (s *Session) reload(r reading) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	s.mu.Lock()
	st := s.store
	s.mu.Unlock()

	sources := st.ReadSources()
	doubtful := false
	for i, src := range sources {
		good := s.lastGood[src.Path]
		switch {
		case src.Broken && r == unsettled && good != nil,
			src.Empty && r == unsettled && good != nil && len(good.Entries) > 0:
			doubtful = true
			sources[i] = good
		case src.Broken && good != nil && !unsafe(src):
			sources[i] = standIn(good, src)
		case !src.Broken:
			s.lastGood[src.Path] = src
		}
	}
	config := st.Decide(sources)
	if doubtful {
		s.files.again(quiet)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.tellProblems(config)
	s.config = config
	files := config.Files()
	s.signature = signature(files)
	s.files.watch(files)
	s.reconcile()
	s.bump()
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
func (s *Session) reconcile() {
	wanted := map[string]bool{}
	for _, row := range s.config.Rows {
		if !row.InForce {
			continue
		}
		name := row.Entry.Name
		admitted, err := s.config.Admit(name)
		if err != nil {
			continue // disabled; the snapshot says so
		}
		wanted[name] = true
		launch, err := admitted.Resolve(s.store.Env)
		w := want{admitted: admitted, env: s.store.Env, digest: launch.Digest, secrets: launch.Secrets, fault: err,
			commands: len(launch.Commands) > 0, values: &dial.Values{}}
		if sv := s.servers[name]; sv != nil {
			sv.retarget(w)
			continue
		}
		sv := newServer(s, name, w)
		s.servers[name] = sv
		if admitted.Lifecycle() != store.Lazy {
			sv.start()
		}
	}
	for name, sv := range s.servers {
		if !wanted[name] {
			delete(s.servers, name)
			s.event(name, "info", "stopped: no longer in force")
			sv.stop()
			s.leaving[name] = sv.last
		}
	}
}

// watchFiles reloads when the files change, until ctx ends.
func (s *Session) watchFiles(ctx context.Context) {
	for {
		r, ok := s.files.wait(ctx)
		if !ok {
			return
		}
		// A directory that came, went or was made anew has to be watched as it is now;
		// and what happened before that is seen by looking once more behind it.
		s.mu.Lock()
		files := s.config.Files()
		s.mu.Unlock()
		s.files.watch(files)
		if r == settled || s.filesChanged() {
			s.reload(r)
		}
	}
}

func (s *Session) filesChanged() bool {
	s.mu.Lock()
	config, was := s.config, s.signature
	s.mu.Unlock()
	return signature(config.Files()) != was
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
