package supervisor

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// TestOpenWithoutEnvironment: a session is not made without the caller's environment,
// and the answer says what is missing. A look needs none.
func TestOpenWithoutEnvironment(t *testing.T) {
	p := newPlace(t)
	p.serve(t, new(fakes).make, nil)
	c := p.dial(t, false)
	dir := p.workspace(t, "a")
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{nil, "'env' is missing"},
		{[]string{}, "'env' is missing"},
		{[]string{"PATH=/bin"}, "'env' has no HOME"},
		{[]string{"HOME=here"}, "'env' has no HOME"},
	} {
		for _, id := range []string{wire.DefaultSession, "own"} {
			err := c.Call(t.Context(), wire.MethodSessionOpen, wire.SessionOpen{ID: id, Workspace: dir, Client: "native", Env: tt.env}, nil)
			if e := wantCode(t, err, wire.Usage); !strings.Contains(e.Text, tt.want) {
				t.Errorf("%q: %v", tt.env, e)
			}
		}
	}
	err := c.Call(t.Context(), wire.MethodSessionOpen, wire.SessionOpen{ID: wire.DefaultSession, Workspace: dir, Client: "native", Existing: true}, nil)
	wantCode(t, err, wire.NotFound)
}
