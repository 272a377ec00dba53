package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// Ticket is a sign-in in two steps: the first process shows the URL and ends, another
// one of the same user brings the answer.
type Ticket struct {
	ID   string // to be given to Finish; a secret of this user's
	URL  string // to be opened
	Ends time.Time
}

// maxTicket bounds the file of a ticket.
const maxTicket = 256 << 10

func (k *Keeper) ticketPath(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(k.places.State(), "signins", hex.EncodeToString(sum[:16])+".json")
}

// Start begins a sign-in that Finish completes within ten minutes. Nobody listens
// meanwhile: the browser ends at an address that does not open, and that address is
// what Finish wants. Errors are as those of SignIn.
func Start(ctx context.Context, k *Keeper, t Target, o Options) (Ticket, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, signInTime, errTooLong)
	defer cancel()
	t, old, err := k.prepare(t)
	if err != nil {
		return Ticket{}, err
	}
	release, err := k.claim(ctx, t)
	if err != nil {
		return Ticket{}, err
	}
	defer release()
	f, err := newFlow(k, t, old)
	if err != nil {
		return Ticket{}, err
	}
	defer f.close()
	f.opts = o
	ticket, err := f.start(ctx)
	return ticket, f.settle(ctx, err)
}

func (f *flow) start(ctx context.Context) (Ticket, error) {
	if f.t.config.Grant == store.GrantClient || f.device() {
		return Ticket{}, f.t.failed("a sign-in by "+string(f.t.config.Grant)+" has no second step", "leave the step out: mcpctl login "+redact.ShellWord(f.t.server))
	}
	if err := f.find(ctx, ParseChallenge(f.opts.Challenge...)); err != nil {
		return Ticket{}, err
	}
	l, err := f.listen() // for a port that is free now
	if err != nil {
		return Ticket{}, err
	}
	l.close()
	who, err := f.applicant(ctx, l.redirect)
	if err != nil {
		return Ticket{}, err
	}
	r := f.newRequest(who, l.redirect)
	address, err := f.address(r)
	if err != nil {
		return Ticket{}, err
	}
	id := random()
	f.keeper.sweep()
	return Ticket{ID: id, URL: address, Ends: r.Ends}, f.keeper.write(f.keeper.ticketPath(id), r)
}

func (k *Keeper) write(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	target, err := atomicfile.Follow(path)
	if err != nil {
		return err
	}
	defer target.Close()
	return target.Replace(append(data, '\n'), 0o600, false) // its name is new: nobody else writes it
}

// sweep removes the tickets that are too old. One that stays is only in the way.
func (k *Keeper) sweep() {
	dir := filepath.Join(k.places.State(), "signins")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".json") && k.now().Sub(info.ModTime()) > signInTime {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// ServerOf returns the name of the server a ticket is for. It fails with LOGIN_FAILED
// when no sign-in waits for it.
func (k *Keeper) ServerOf(ticket string) (string, error) {
	r, err := k.ticket(ticket)
	if err != nil {
		return "", err
	}
	return r.Server, nil
}

func (k *Keeper) ticket(id string) (*request, error) {
	none := &Error{Code_: CodeLoginFailed, Message: "no sign-in waits for this ticket: it is done, or older than ten minutes",
		Hint_: "begin again with: mcpctl login NAME --start"}
	data, info, err := atomicfile.ReadFile(k.ticketPath(id), maxTicket)
	if err != nil {
		return nil, err
	}
	var r request
	if info == nil || exposed(info) != "" || json.Unmarshal(data, &r) != nil || !k.now().Before(r.Ends) {
		return nil, none
	}
	return &r, nil
}

// Finish completes a sign-in: pasted is the address the browser ended at. The answer
// counts once; a wrong address leaves the ticket as it is. t is the target that Start
// had, and must still be the same server.
func Finish(ctx context.Context, k *Keeper, t Target, ticket, pasted string) (Stored, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, signInTime, errTooLong)
	defer cancel()
	r, err := k.ticket(ticket)
	if err != nil {
		return Stored{}, err
	}
	if r.Server != t.server || r.Key.URL != canonical(t.url) {
		return Stored{}, t.failed("the ticket is of a sign-in to another server, or its address has changed since", "begin again with: mcpctl login "+redact.ShellWord(t.server)+" --start")
	}
	f, err := newFlow(k, t, nil)
	if err != nil {
		return Stored{}, err
	}
	defer f.close()
	f.hide(r.ClientSecret, r.State, r.Verifier)
	q, noise := r.pasted(pasted)
	if noise || !r.isOurs(q) {
		return Stored{}, t.failed("that address is not the answer to this sign-in", "give the whole address the browser shows in the end, which begins with "+r.Redirect+"?")
	}
	if err := k.consume(ctx, ticket); err != nil {
		return Stored{}, err
	}
	code, err := f.judge(r, q)
	if err != nil {
		return Stored{}, err
	}
	who := applicant{identity: r.Client, secret: r.ClientSecret}
	if who.From == fromConfig {
		who.secret = t.config.ClientSecret
	}
	c, err := f.exchange(ctx, r, who, code)
	if err == nil {
		c, err = f.save(ctx, c)
	}
	if err = f.settle(ctx, err); err != nil {
		return Stored{}, err
	}
	return c.stored(), nil
}

// consume takes a ticket away, once.
func (k *Keeper) consume(ctx context.Context, id string) error {
	target, err := atomicfile.Follow(k.ticketPath(id))
	if err != nil {
		return err
	}
	defer target.Close()
	release, err := atomicfile.Lock(ctx, k.places.Locks(), target.Real(), fileWait)
	if err != nil {
		return err
	}
	defer release()
	if _, err := k.ticket(id); err != nil {
		return err
	}
	return target.Remove()
}
