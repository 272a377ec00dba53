package engine

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/probe/dial"
)

// Describe returns what one server, or all for "", said of themselves; it waits as
// ListTools does, and one that is not connected carries its error.
func (s *Session) Describe(ctx context.Context, name string, limit time.Duration) (wire.Descriptions, error) {
	servers, err := s.targets(name)
	if err != nil {
		return wire.Descriptions{}, err
	}
	out := wire.Descriptions{Schema: wire.Schema, Servers: make([]wire.Description, len(servers))}
	each(servers, func(i int, sv *server) {
		conn, release, err := sv.acquireWithin(ctx, limit)
		d := wire.Description{Name: sv.name}
		if err == nil {
			d = description(sv.name, conn)
			release()
		}
		d.State, d.Error = sv.present(), sv.errorOf(err)
		out.Servers[i] = d
	})
	if name != "" && out.Servers[0].Error != nil {
		return wire.Descriptions{}, out.Servers[0].Error
	}
	return out, ctx.Err()
}

// description is what a connected server said of itself, secrets masked.
func description(name string, conn *dial.Conn) wire.Description {
	info, mask := conn.Info(), conn.Mask()
	d := wire.Description{Name: name, Instructions: mask.Text(info.Instructions), ProtocolVersion: info.ProtocolVersion}
	if info.Server != nil {
		d.Info = mask.JSON(info.Server)
	}
	if info.Capabilities != nil {
		d.Capabilities = mask.JSON(info.Capabilities)
	}
	return d
}
