package commands

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/engine/supervisor"
	"github.com/mcpctl/mcpctl/internal/store"
)

type direct struct{}

func (a *app) newDirect(s *store.Store) *direct { return &direct{} }

func (d *direct) Call(ctx context.Context, method string, params, result any) error { return nil }
func (d *direct) Listen(supervisor.Listener)                                        {}
func (d *direct) Close() error                                                      { return nil }
