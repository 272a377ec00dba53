package commands

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
)

// tellTimeout bounds how long an edit waits for a supervisor that it tells. The edit
// is done by then, and a supervisor finds out by itself.
const tellTimeout = time.Second

// tellSupervisor tells a running supervisor of the files that this command has edited,
// so that what is asked next sees the edit (design §6). None is started, and whatever
// fails, the edit stands. An interrupted command tells as well.
func (a *app) tellSupervisor(ctx context.Context) {
	if len(a.edited) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTimeout)
	defer cancel()
	_ = supervisor.Tell(ctx, a.editedAt, a.version, unique(a.edited))
	a.edited = nil
}
