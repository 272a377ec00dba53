package oauth

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// maxURL bounds a URL that a server names: longer ones are no address but an attack
// on what shows or opens them.
const maxURL = 8 << 10

// endpoint reads a URL that came from a server: https, or http on a literal loopback
// address or localhost (design §11). Everything else is refused before it is shown,
// opened or asked; why says why. The host is in ASCII, the query in safe characters.
func endpoint(raw string) (u *url.URL, why string) {
	if len(raw) > maxURL {
		return nil, "is too long"
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, "is not a URL"
	}
	switch {
	case u.Scheme == "http" && loopbackName(u.Hostname()):
	case u.Scheme == "http":
		return nil, "is not https"
	case u.Scheme != "https":
		return nil, "is neither https, nor http on this machine"
	}
	switch {
	case u.Opaque != "" || u.Hostname() == "":
		return nil, "names no host"
	case u.User != nil:
		return nil, "holds user info"
	case strings.Contains(raw, "#"):
		return nil, "has a fragment"
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if addr, notAddr := netip.ParseAddr(u.Hostname()); notAddr == nil {
		host, err = addr.String(), nil
		if addr.Zone() != "" {
			return nil, "names a network interface"
		}
	}
	if err != nil {
		return nil, "has a host that is no name"
	}
	port := u.Port()
	if u.Host = host; strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != "" {
		u.Host += ":" + port
	}
	u.RawQuery = safeQuery(u.RawQuery)
	return u, ""
}

// page is endpoint for what a person is sent to: http only at a literal loopback address
// (design §11), for a name may be led elsewhere. Who configures a server at localhost has
// chosen the name.
func (f *flow) page(raw string) (u *url.URL, why string) {
	if u, why = endpoint(raw); why != "" || u.Scheme != "http" || !strings.EqualFold(u.Hostname(), "localhost") {
		return u, why
	}
	if server, err := url.Parse(f.t.url); err == nil && strings.EqualFold(server.Hostname(), "localhost") {
		return u, ""
	}
	return nil, "is http at a name, and not at a loopback address such as 127.0.0.1"
}

// loopbackName tells whether a host is this machine by its very letters; localhost is
// such by RFC 6761 §6.3.
func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// safeQuery writes what a shell, a terminal or a page could take for more than text
// as %XX; the meaning is the same.
func safeQuery(q string) string {
	const hex, plain = "0123456789ABCDEF", "-._~%&=+:/?@,[]"
	var b strings.Builder
	for _, c := range []byte(q) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if letter || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		}
	}
	return b.String()
}
