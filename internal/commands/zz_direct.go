package commands

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

type direct struct{}

func (a *app) newDirect(s *store.Store) *direct { return &direct{} }

func (d *direct) Call(ctx context.Context, method string, params, result any) error { return nil }
func (d *direct) Close() error                                                        { return nil }
func (d *direct) OnProgress(string, func(wire.Progress)) func()                                 { return func() {} }
func (d *direct) OnElicit(func(ctx context.Context, q wire.Elicitation) wire.ElicitReply) {}
