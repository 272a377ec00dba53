package store

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// OnConflict says what becomes of a name that the target holds already.
type OnConflict string

// The rules for conflicts, as written in flags.
const (
	Fail    OnConflict = "fail" // nothing is copied at all
	Skip    OnConflict = "skip"
	Replace OnConflict = "replace"
)

// CopyRequest asks for servers to be copied into the file of a scope.
type CopyRequest struct {
	Offers       []*Offer
	Names        []string          // of offers; none means all
	Rename       map[string]string // names that offers get in the target
	Scope        Scope
	OnConflict   OnConflict
	Strict       bool     // refuse whatever cannot be expressed
	Published    bool     // others can read the target: it must hold no secrets
	Placeholders bool     // turn secrets into references
	Stored       []string // tokens in the credential store, which must not be published
}

// What became of one server that was to be copied.
const (
	CopyAdded     = "added"
	CopyReplaced  = "replaced"
	CopySkipped   = "skipped"
	CopyUnchanged = "unchanged"
	CopyRefused   = "refused"
)

// CopiedServer is one server of a Copy.
type CopiedServer struct {
	Name        string // in the target
	Offer       *Offer
	Result      string
	Fingerprint Fingerprint // of what the target holds afterwards; "" for nothing
	Notes       []CopyNote
	Variables   []Placeholder // that took the place of secrets
	Refused     *Error

	entry    json.RawMessage // to write
	conflict *Error          // the name is taken
	secrets  []string
}

// Copy is what copying would do: a plan, made from one reading of the files.
type Copy struct {
	Servers []*CopiedServer
	Preview Change

	store *Store
	req   CopyRequest
	into  *Source

	byName  map[string]*CopiedServer // by the name in the target, the first
	bySpace map[string]*CopiedServer // by what the name is in the names of tools; none that is refused
	holds   map[string][]*Entry      // of the target, by the same
}

// PlanCopy works out what copying would do and writes nothing. All that can be said
// against the whole of it is an error:
//
// MCP_NOT_FOUND for a name that is not offered; what is wrong with a server that was
// named; MCP_SECRET_REFUSED for secrets in a target that others can read;
// MCP_CONFIG_INVALID with Strict for what the target cannot express; MCP_NAME_TAKEN
// for names that the target holds with other content, unless OnConflict says more;
// and the first refusal where nothing is left to copy.
func (s *Store) PlanCopy(ctx context.Context, req CopyRequest) (*Copy, error) {
	if s.Client.ReadOnly && req.Scope != Local {
		return nil, notCopiedTo(s.Client)
	}
	if s.Path(req.Scope) == "" {
		_, _, err := s.target(req.Scope)
		return nil, err
	}
	c := &Copy{store: s, req: req, into: s.ReadSource(req.Scope)}
	if c.into.Broken {
		return nil, c.into.firstError()
	}
	if err := c.plan(); err != nil {
		return nil, err
	}
	return c, c.apply(ctx, true)
}

// plan works out what becomes of each server, and whether anything forbids the whole.
func (c *Copy) plan() error {
	offers, err := chosen(c.req)
	if err != nil {
		return err
	}
	c.byName, c.bySpace, c.holds = map[string]*CopiedServer{}, map[string]*CopiedServer{}, map[string][]*Entry{}
	for _, e := range slices.Concat(c.into.Entries, c.into.others) {
		c.holds[namespace(e.Name)] = append(c.holds[namespace(e.Name)], e)
	}
	var inputs meeting
	for _, o := range offers {
		server := c.server(o)
		if o.Entry.Valid() && server.Result != CopyRefused && server.Result != CopySkipped {
			for _, p := range inputs.of(o.Entry) {
				server.Notes = append(server.Notes, CopyNote{Message: p.Message, Hint: p.Hint})
			}
		}
		c.Servers = append(c.Servers, server)
		if c.byName[server.Name] == nil {
			c.byName[server.Name] = server
		}
		if space := namespace(server.Name); c.bySpace[space] == nil && server.Result != CopyRefused {
			c.bySpace[space] = server
		}
	}
	return c.objection()
}

// Commit makes the copy in one write of the target. Entries that are replaced have to
// be those of the plan (MCP_CONFIG_CONFLICT), and names that were free still free
// (MCP_NAME_TAKEN). In a project file the copies are approved, as what `add` writes.
func (c *Copy) Commit(ctx context.Context) error {
	if err := c.unpack(); err != nil {
		return err
	}
	return c.apply(ctx, false)
}

// Changes tells whether anything would be written.
func (c *Copy) Changes() bool { return !c.Preview.Unchanged }

// Refused counts the servers that cannot be copied.
func (c *Copy) Refused() (n int) {
	for _, server := range c.Servers {
		if server.Result == CopyRefused {
			n++
		}
	}
	return n
}

func (c *Copy) apply(ctx context.Context, dryRun bool) error {
	var edits []Edit
	var written []*CopiedServer
	for _, server := range c.Servers {
		if server.Result != CopyAdded && server.Result != CopyReplaced {
			continue
		}
		e := Edit{Op: OpAdd, Name: server.Name, Entry: server.entry, Replace: server.Result == CopyReplaced}
		if e.Replace {
			e.Expect = c.into.entry(server.Name).Fingerprint
		}
		edits, written = append(edits, e), append(written, server)
	}
	done, err := c.store.Apply(ctx, ApplyRequest{Scope: c.req.Scope, Edits: edits, DryRun: dryRun, plain: true})
	if err != nil {
		return err
	}
	c.Preview = done.Change
	for i, server := range written {
		server.Fingerprint = done.Fingerprints[i]
	}
	return nil
}

// chosen are the offers that are meant; a name that is offered several times is meant
// the first time, which is the strongest.
func chosen(req CopyRequest) ([]*Offer, error) {
	var all []string
	for _, o := range req.Offers {
		all = append(all, o.Name)
	}
	wanted := req.Names
	for name := range req.Rename {
		wanted = append(slices.Clip(wanted), name)
	}
	for _, name := range wanted {
		if slices.Contains(all, name) {
			continue
		}
		err := &Error{Code_: CodeNotFound, Server_: name, Message: "no server is called " + quoted(name) + " there"}
		if near := Closest(name, all); near != "" {
			err.Hint_ = "did you mean '" + near + "'?"
		}
		return nil, err
	}
	if len(req.Names) == 0 {
		return req.Offers, nil
	}
	for name := range req.Rename {
		if !slices.Contains(req.Names, name) {
			return nil, &Error{Code_: CodeUsage, Server_: name, Message: "'" + name + "' is to get another name, but is not copied", Hint_: "name it as well"}
		}
	}
	return slices.DeleteFunc(slices.Clone(req.Offers), func(o *Offer) bool { return !slices.Contains(req.Names, o.Name) }), nil
}

// server works out what becomes of one offer.
func (c *Copy) server(o *Offer) *CopiedServer {
	out := &CopiedServer{Name: o.Name, Offer: o, Result: CopyRefused, Notes: slices.Clone(o.Notes)}
	if to, ok := c.req.Rename[o.Name]; ok {
		out.Name = to
	}
	if first := c.byName[out.Name]; first != nil && first.Offer.Name == o.Name {
		out.Result = CopySkipped
		out.Notes = []CopyNote{{Message: "hidden by the one in " + first.Offer.Entry.Source.Path}}
		return out
	}
	if out.Refused = o.fault; out.Refused != nil {
		return out
	}
	if out.Refused = c.nameFault(out); out.Refused != nil {
		return out
	}
	if out.Refused = c.fit(out); out.Refused != nil {
		return out
	}
	c.meet(out)
	return out
}

// nameFault is why a server cannot have its name in the target, with one that it can.
func (c *Copy) nameFault(out *CopiedServer) *Error {
	why := ""
	if err, ok := c.store.nameFault(c.req.Scope, out.Name).(*Error); ok {
		why = err.Message
	}
	if other := c.bySpace[namespace(out.Name)]; why == "" && other != nil {
		why = "the name " + quoted(out.Name) + " falls together with " + quoted(other.Name) + ", which is copied too"
	}
	if why == "" {
		return nil
	}
	return c.nameError(CodeUsage, out, why)
}

func (c *Copy) nameError(code string, out *CopiedServer, why string) *Error {
	e := out.Offer.Entry
	return &Error{Code_: code, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: out.Offer.Name, Message: why,
		Hint_: "give it another name: --rename " + redact.ShellWord(out.Offer.Name+"="+c.suggest(out.Name))}
}

// suggest is a name like the given one that the target accepts and does not hold.
func (c *Copy) suggest(name string) string {
	var b strings.Builder
	for _, r := range name {
		if c.store.nameFault(c.req.Scope, "x"+string(r)) == nil && r != ' ' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	base := strings.Trim(b.String(), "-")
	if len(base) > 96 {
		base = base[:96]
	}
	if base == "" {
		base = "server"
	}
	taken := map[string]bool{}
	for _, e := range slices.Concat(c.into.Entries, c.into.others) {
		taken[namespace(e.Name)] = true
	}
	for _, o := range c.req.Offers {
		taken[namespace(o.Name)] = taken[namespace(o.Name)] || o.Name != name
	}
	out := base
	for i := 2; taken[namespace(out)]; i++ {
		out = base + "-" + strconv.Itoa(i)
	}
	return out
}

// meet compares a server with what the target holds under its name.
func (c *Copy) meet(out *CopiedServer) {
	out.Result = CopyAdded
	for _, p := range c.into.unlisted(out.Name) {
		out.Notes = append(out.Notes, CopyNote{Message: p.Message, Hint: p.Hint})
	}
	held := c.holds[namespace(out.Name)]
	if len(held) == 0 {
		return
	}
	e := held[0]
	if i := slices.IndexFunc(held, func(e *Entry) bool { return e.Name == out.Name }); i >= 0 {
		e = held[i]
	}
	switch {
	case e.Name != out.Name || e.other:
		out.conflict = c.nameError(CodeNameTaken, out, "the name "+quoted(out.Name)+" falls together with "+quoted(e.Name)+" of "+c.into.Path)
		if out.Result = CopySkipped; c.req.OnConflict == Replace { // one name cannot replace another, nor a server what is none
			out.Result, out.Refused = CopyRefused, out.conflict
		}
	case c.same(out, e):
		out.Result, out.Fingerprint = CopyUnchanged, e.Fingerprint
	case c.req.OnConflict == Replace:
		out.Result = CopyReplaced
	default:
		out.Result, out.Fingerprint = CopySkipped, e.Fingerprint
		out.conflict = &Error{Code_: CodeNameTaken, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: out.Name,
			Message: "the name '" + out.Name + "' is taken by another entry", Hint_: "choose with --on-conflict skip or replace, or give it another name with --rename"}
	}
}

// objection is what forbids the whole copy.
func (c *Copy) objection() error {
	var refused *Error
	var secrets, lost, taken []string
	var secret, loser, taker *CopiedServer
	left := 0
	for _, server := range c.Servers {
		if server.Refused != nil && refused == nil {
			refused = server.Refused
		}
		if server.Result != CopyRefused {
			left++
		}
		if len(server.secrets) > 0 && server.Result != CopySkipped {
			secret = first(secret, server)
			secrets = append(secrets, "'"+server.Name+"' in "+strings.Join(server.secrets, ", "))
		}
		if fields := server.Lost(); c.req.Strict && len(fields) > 0 && server.Result != CopySkipped {
			loser = first(loser, server)
			lost = append(lost, "'"+server.Name+"' "+strings.Join(fields, ", "))
		}
		if server.conflict != nil && c.req.OnConflict == Fail {
			taker = first(taker, server)
			taken = append(taken, quoted(server.Name))
		}
	}
	switch {
	case refused != nil && (len(c.req.Names) > 0 || left == 0 || c.req.Strict):
		return refused
	case secret != nil:
		return c.secretError(secret, secrets)
	case loser != nil:
		e := loser.Offer.Entry
		return &Error{Code_: CodeInvalid, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: loser.Offer.Name,
			Message: "not everything can be expressed in the target: " + strings.Join(lost, "; "), Hint_: "without --strict it is left out, with a note for each field"}
	case taker != nil && len(taken) > 1:
		err := *taker.conflict
		err.Server_, err.Message = "", "these names are taken: "+strings.Join(taken, ", ")
		err.Line, err.Column = 0, 0
		return &err
	case taker != nil:
		return taker.conflict
	}
	return nil
}

func first(a, b *CopiedServer) *CopiedServer {
	if a != nil {
		return a
	}
	return b
}

// Lost names the fields that the copy does not have.
func (server *CopiedServer) Lost() (fields []string) {
	seen := map[string]bool{"": true}
	for _, n := range server.Notes {
		if !seen[n.Field] {
			seen[n.Field] = true
			fields = append(fields, n.Field)
		}
	}
	return fields
}

func (c *Copy) secretError(server *CopiedServer, secrets []string) error {
	e := server.Offer.Entry
	hint := "put references such as ${NAME} in their place, or let --env-placeholders do it"
	if c.req.Placeholders {
		hint = "these cannot be turned into references; change them by hand"
	}
	return &Error{Code_: CodeSecretRefused, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: server.Offer.Name,
		Message: "what others can read would hold what looks like secrets: " + strings.Join(secrets, "; "), Hint_: hint}
}
