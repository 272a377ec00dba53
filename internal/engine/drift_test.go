package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// whole is a definition with everything that a tool can say.
const whole = `{"name":"ask","title":"Ask","description":"Asks.","inputSchema":{"type":"object","properties":{"q":{"type":"string","description":"What","maxLength":10}},"required":["q"]},` +
	`"outputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"annotations":{"title":"Asking","readOnlyHint":true,"destructiveHint":false},` +
	`"icons":[{"src":"https://example.com/a.png","sizes":["48x48"]}],"execution":{"taskSupport":"optional"},"_meta":{"example.com/x":"y"}}`

// pinTools makes the setting.
func (h *home) pinTools() {
	dir := filepath.Join(h.dir, ".config/mcpctl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.write(filepath.Join(dir, "config.json"), `{"pinTools": true}`)
}

// TestH2EveryFieldCounts: a server changes one byte of each field of a tool in turn. The
// list says that its tools have changed, the difference is there, and with pinTools the
// call is refused; what is not changed is called.
func TestH2EveryFieldCounts(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "tools.json")
	list := func(ask string) { h.write(file, `[`+ask+`,{"name":"same","inputSchema":{"type":"object"}}]`) }
	list(whole)
	h.write(h.user, `{"mcpServers": {"s": `+stubEntry(t, true, "-tools-file", file)+`}}`)
	h.pinTools()
	s := h.session(true)
	call := func(tool string) error {
		_, err := s.CallTool(t.Context(), wire.CallTool{Server: "s", Tool: tool})
		return err
	}
	if err := call("ask"); err != nil {
		t.Fatal("as it was approved: ", err)
	}
	for what, change := range map[string][2]string{
		"title": {`"title":"Ask"`, `"title":"Asd"`}, "description": {"Asks.", "Asks,"}, "input type": {`"type":"string","description"`, `"type":"strinh","description"`},
		"input description": {`"What"`, `"Whau"`}, "a number": {"10", "11"}, "required": {`["q"]`, `["r"]`}, "a key": {`"q":{`, `"p":{`},
		"output": {`"a":{`, `"b":{`}, "annotation text": {"Asking", "Askinh"}, "a yes": {`"readOnlyHint":true`, `"readOnlyHint":null`}, "a no": {"false", "true"},
		"icon": {"a.png", "b.png"}, "icon size": {"48x48", "48x49"}, "execution": {"optional", "required"}, "meta": {`"y"`, `"z"`}, "meta key": {"example.com/x", "example.com/y"},
		"a field more": {`"title":"Ask",`, `"title":"Ask","x":1,`}, "a field less": {`"title":"Ask",`, ""},
	} {
		t.Run(what, func(t *testing.T) {
			changed := strings.Replace(whole, change[0], change[1], 1)
			if changed == whole || !json.Valid([]byte(changed)) {
				t.Fatal("no change: ", changed)
			}
			list(changed)
			if err := s.Reconnect(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			row := s.List(false).Servers[0]
			if len(row.ToolsChanged) != 1 || row.ToolsChanged[0] != "ask" || !strings.HasPrefix(row.Detail, "tools changed (changed: ask)") {
				t.Errorf("the list says %q, %q", row.ToolsChanged, row.Detail)
			}
			sets, err := s.ToolSets(t.Context(), "s", 0)
			if err != nil || len(sets[0].Changes) != 1 || !strings.Contains(sets[0].Changes[0].Diff, "\n+") && !strings.Contains(sets[0].Changes[0].Diff, "\n-") {
				t.Errorf("no difference: %+v %v", sets, err)
			}
			if err := call("ask"); codeOf(err) != string(wire.NotApproved) {
				t.Errorf("the call: %v", err)
			}
			if err := call("same"); err != nil {
				t.Errorf("a tool that has not changed: %v", err)
			}
		})
	}
	list(whole)
	if err := s.Reconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := call("ask"); err != nil || s.List(false).Servers[0].ToolsChanged != nil {
		t.Error("as it was approved, again: ", err)
	}
}

// TestH3TheFirstOfTwoCounts: of two tools of one name the first is compared and called,
// so that none can stand in front of the one that was approved.
func TestH3TheFirstOfTwoCounts(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "tools.json")
	good, evil := `{"name":"ask","description":"good","inputSchema":{"type":"object"}}`, `{"name":"ask","description":"evil","inputSchema":{"type":"object"}}`
	h.write(file, `[`+good+`]`)
	h.write(h.user, `{"mcpServers": {"s": `+stubEntry(t, true, "-tools-file", file)+`}}`)
	h.pinTools()
	s := h.session(true)
	for _, step := range []struct {
		list string
		want wire.Code
	}{{good, ""}, {good + "," + evil, ""}, {evil + "," + good, wire.NotApproved}} {
		h.write(file, `[`+step.list+`]`)
		if err := s.Reconnect(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CallTool(t.Context(), wire.CallTool{Server: "s", Tool: "ask"}); codeOf(err) != string(step.want) {
			t.Errorf("%s: %v", step.list, err)
		}
	}
}

// TestApproveToolsIsExact: what was shown is approved, and nothing that came after it.
func TestApproveToolsIsExact(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "tools.json")
	h.write(file, `[{"name":"a","inputSchema":{"type":"object"}}]`)
	h.write(h.user, `{"mcpServers": {"s": `+stubEntry(t, true, "-tools-file", file)+`}}`)
	s := h.session(true)
	sets, err := s.ToolSets(t.Context(), "s", 0)
	if err != nil || sets[0].Fingerprint != sets[0].Approved || sets[0].Origin != "first-use" {
		t.Fatalf("%+v %v", sets, err)
	}
	h.write(file, `[{"name":"b","inputSchema":{"type":"object"}}]`)
	if err := s.Reconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ApproveTools(t.Context(), "s", store.Fingerprint(sets[0].Fingerprint), 0); codeOf(err) != string(wire.ConfigConflict) {
		t.Errorf("what was not shown was approved: %v", err)
	}
	if len(s.Status().Servers[0].ToolsChanged) != 2 {
		t.Errorf("%+v", s.Status().Servers[0])
	}
	sets, err = s.ToolSets(t.Context(), "", 0)
	if err != nil || sets[0].Fingerprint == sets[0].Approved {
		t.Fatalf("%+v %v", sets, err)
	}
	set, err := s.ApproveTools(t.Context(), "s", store.Fingerprint(sets[0].Fingerprint), 0)
	if err != nil || set.Approved != sets[0].Fingerprint || set.Origin != "approved" || len(set.Changes) != 0 {
		t.Errorf("%+v %v", set, err)
	}
	if s.Status().Servers[0].ToolsChanged != nil {
		t.Errorf("%+v", s.Status().Servers[0])
	}
}

// TestWhatRunsIsCompared: while a server waits to be started with its new entry, its tools
// are those of the old one, and are not taken for what the new one lists first.
func TestWhatRunsIsCompared(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "tools.json")
	list := func(description string) {
		h.write(file, `[{"name":"a","description":"`+description+`","inputSchema":{"type":"object"}}]`)
	}
	entry := func(more ...string) {
		h.write(h.user, `{"mcpServers": {"s": `+stubEntry(t, true, append([]string{"-tools-file", file, "-hang", "tools/call"}, more...)...)+`}}`)
	}
	list("one")
	entry()
	s := h.session(true)
	if err := s.Reconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	list("two")
	if err := s.Reconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	changed := func() bool { return len(s.Status().Servers[0].ToolsChanged) > 0 }
	if !changed() {
		t.Fatal("the change is not told")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // ends with cancel
		defer close(done)
		_, _ = s.CallTool(ctx, wire.CallTool{Server: "s", Tool: "a"})
	}()
	eventually(t, "a call is in flight", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.servers["s"].inflight > 0
	})
	entry("-stderr-text", "new")
	s.Refresh(nil)
	if stateOf(s, "s") != wire.PendingReload {
		t.Fatal(stateOf(s, "s"))
	}
	s.Refresh(nil)
	if !changed() {
		t.Error("what runs is told to be what the new entry lists first")
	}
	list("three")
	cancel()
	<-done
	eventually(t, "it runs with the new entry", func() bool { return stateOf(s, "s") == wire.Connected })
	if changed() {
		t.Errorf("what the new entry listed first was taken from what ran before: %+v", s.Status().Servers[0])
	}
}

// TestAnotherSessionsWordCounts: what was approved in the place of what a session still
// runs, by another session, counts for its next call, though nothing about its own server
// has changed; and a record that is damaged meanwhile is no yes.
func TestAnotherSessionsWordCounts(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "tools.json")
	list := func(description string) {
		h.write(file, `[{"name":"a","description":"`+description+`","inputSchema":{"type":"object"}}]`)
	}
	list("one")
	h.write(h.user, `{"mcpServers": {"s": `+stubEntry(t, true, "-tools-file", file)+`}}`)
	h.pinTools()
	first, second := h.session(true), h.session(true)
	call := func(s *Session) string {
		s.Refresh(nil)
		_, err := s.CallTool(t.Context(), wire.CallTool{Server: "s", Tool: "a"})
		return codeOf(err)
	}
	if got := call(first); got != "" {
		t.Fatal(got)
	}
	list("two")
	if got := call(second); got != string(wire.NotApproved) {
		t.Fatalf("what changed before the first connection of a session: %q", got)
	}
	sets, err := second.ToolSets(t.Context(), "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.ApproveTools(t.Context(), "s", store.Fingerprint(sets[0].Fingerprint), 0); err != nil {
		t.Fatal(err)
	}
	if got := call(second); got != "" {
		t.Errorf("what was approved: %q", got)
	}
	if got := call(first); got != string(wire.NotApproved) {
		t.Errorf("what was replaced by an approval: %q", got)
	}
	if err := first.Reconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := call(first); got != "" {
		t.Errorf("it lists what was approved: %q", got)
	}
	files, err := filepath.Glob(filepath.Join(h.dir, "*/*/mcpctl/pins/*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	h.write(files[0], "{")
	for _, s := range []*Session{first, second} {
		if got := call(s); got != string(wire.NotApproved) {
			t.Errorf("with a damaged record: %q", got)
		}
	}
}

// TestLentToolsAreCompared: what was approved of a server that one session lends to another
// counts for the next call of either, at whomever's word.
func TestLentToolsAreCompared(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "tools.json")
	list := func(description string) {
		h.write(file, `[{"name":"a","description":"`+description+`","inputSchema":{"type":"object"}}]`)
	}
	list("one")
	h.write(h.user, `{"mcpServers": {"s": `+strings.TrimSuffix(stubEntry(t, true, "-tools-file", file), "}")+`, "shared": true}}}`)
	h.pinTools()
	lender, other := h.session(true), h.session(true)
	borrower := NewSession(SessionOptions{ID: "b", Store: lender.opts.Store, Epoch: "epoch", Log: &notes{}, unwatched: true,
		Lend:  func() (*Session, error) { return lender, nil },
		Owner: Owner{Capabilities: &wire.ClientCapabilities{Sampling: &wire.SamplingCapability{}}}})
	t.Cleanup(borrower.Close)
	call := func(s *Session) string {
		s.Refresh(nil)
		_, err := s.CallTool(t.Context(), wire.CallTool{Server: "s", Tool: "a"})
		return codeOf(err)
	}
	approve := func(s *Session) {
		sets, err := s.ToolSets(t.Context(), "s", 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ApproveTools(t.Context(), "s", store.Fingerprint(sets[0].Fingerprint), 0); err != nil {
			t.Fatal(err)
		}
	}
	if got := call(borrower); got != "" {
		t.Fatal(got)
	}
	if borrower.servers["s"].run != nil {
		t.Fatal("the server is not lent")
	}
	list("two")
	if err := lender.Reconnect(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := call(borrower); got != string(wire.NotApproved) {
		t.Errorf("a changed tool of a lent server: %q", got)
	}
	approve(borrower)
	if got := call(borrower) + call(lender); got != "" {
		t.Errorf("approved by who borrows it: %q", got)
	}
	list("three")
	if got := call(other); got != string(wire.NotApproved) {
		t.Errorf("another session's connection: %q", got)
	}
	approve(other)
	if got := call(borrower); got != string(wire.NotApproved) {
		t.Errorf("what was replaced at another session's word: %q", got)
	}
}
