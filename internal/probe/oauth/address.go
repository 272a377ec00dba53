package oauth

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"
)

// reachTimeout bounds connecting to a host.
const reachTimeout = 10 * time.Second

// addressError says that a name leads to an address that a server on the internet has
// no business to send us to.
type addressError struct{ host, address string }

func (e *addressError) Error() string {
	if e.host == e.address {
		return "'" + e.host + "' is a private address"
	}
	return fmt.Sprintf("'%s' leads to the private address %s", e.host, e.address)
}

// private are networks that are not the internet, beside those netip knows.
var private = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // benchmarks
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("fec0::/10"),
}

// embedded are IPv6 networks whose addresses carry an IPv4 one, and where.
var embedded = map[netip.Prefix]int{
	netip.MustParsePrefix("64:ff9b::/96"): 12,
	netip.MustParsePrefix("2002::/16"):    2,
	netip.MustParsePrefix("::/96"):        12,
}

// inner is the address that a packet would reach in the end.
func inner(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ip.Is4() || ip.IsLoopback() || ip.IsUnspecified() {
		return ip
	}
	for prefix, at := range embedded {
		if prefix.Contains(ip) {
			b := ip.As16()
			return netip.AddrFrom4([4]byte(b[at : at+4]))
		}
	}
	return ip
}

// internet tells whether an address is one that anybody may name.
func internet(ip netip.Addr) bool {
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !slices.ContainsFunc(private, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// gate decides which addresses are reached for one target: public ones, those the
// configured server itself has, and with oauth.allowPrivate private ones; link-local
// ones, where clouds keep their keys, only when the server is there (design §11).
type gate struct {
	server  string // the host of the configured server
	private bool
	dialer  net.Dialer

	once    sync.Once
	ours    []netip.Addr // of the server
	proxies sync.Map     // "host:port" of the user's own proxies
}

func newGate(t Target) *gate {
	g := &gate{private: t.config.AllowPrivate}
	if u, err := url.Parse(t.url); err == nil {
		g.server = u.Hostname()
	}
	g.dialer = net.Dialer{Timeout: reachTimeout}
	return g
}

// dial connects to "host:port". The check is made on the address itself, after DNS,
// so that a name cannot change its mind in between.
func (g *gate) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	if _, own := g.proxies.Load(hostport); own {
		return g.dialer.DialContext(ctx, network, hostport)
	}
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	d := g.dialer
	d.ControlContext = func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return g.check(ctx, host, at.Addr())
	}
	return d.DialContext(ctx, network, hostport)
}

func (g *gate) check(ctx context.Context, host string, ip netip.Addr) error {
	to := inner(ip)
	if internet(to) || g.isServer(ctx, to) || g.private && (to.IsPrivate() || to.IsLoopback() || netip.MustParsePrefix("100.64.0.0/10").Contains(to)) {
		return nil
	}
	return &addressError{host: host, address: ip.String()}
}

// isServer tells whether the configured server has the address. A server on this
// machine has all of its loopback addresses.
func (g *gate) isServer(ctx context.Context, ip netip.Addr) bool {
	g.once.Do(func() {
		if ip, err := netip.ParseAddr(g.server); err == nil {
			g.ours = []netip.Addr{ip.Unmap().WithZone("")}
			return
		}
		found, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", g.server) // none found: none allowed
		for _, ip := range found {
			g.ours = append(g.ours, ip.Unmap().WithZone(""))
		}
	})
	return slices.ContainsFunc(g.ours, func(own netip.Addr) bool { return own == ip || own.IsLoopback() && ip.IsLoopback() })
}
