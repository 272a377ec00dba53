package dial

import (
	"net/http"
	"strings"
	"testing"
)

// A server of both eras is spoken to in that of the owner's client. One that knows the new
// era alone is found out once, and then begun with in it.
func TestEraOfTheOwner(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, flag, owner, want string
	}{
		{"echo", "", "2025-11-25", "2025-11-25"},
		{"echo", "", "2024-11-05", "2025-11-25"},
		{"echo", "", "2026-07-28", "2026-07-28"},
		{"stub", "", "2025-11-25", "2025-11-25"},
		{"odd", "modern", "2025-11-25", "2026-07-28"},
	} {
		t.Run(c.server+c.owner, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.server)
			if c.flag != "" {
				f = newFixture(t, c.server, c.flag)
			}
			f.options.ProtocolVersion = c.owner
			for range 2 {
				conn := f.connect()
				if got := conn.Info().ProtocolVersion; got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
				conn.Close()
			}
		})
	}
	// What worked for one owner is not what another begins with.
	f := newFixture(t, "echo")
	for _, owner := range []string{"2025-11-25", "", "2025-11-25"} {
		f.options.ProtocolVersion = owner
		want := owner
		if owner == "" {
			want = firstModern
		}
		if got := f.connect().Info().ProtocolVersion; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The same over HTTP, whatever such a server says of initialize. What is no word on that
// is final: nothing is tried a second time.
func TestEraOfTheOwnerOverHTTP(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		body     string
		connects bool
	}{
		"an error":        {200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported"}}`, true},
		"400":             {400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported"}}`, true},
		"400 of no words": {400, "", true},
		"404":             {404, "", true},
		"500":             {500, "", false},
		"401":             {401, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			discovered := false
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				switch m.Method {
				case "server/discover":
					discovered = true
					answerWeb(w, m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`)
				case "initialize":
					if strings.HasPrefix(c.body, "{") {
						w.Header().Set("Content-Type", "application/json")
					}
					w.WriteHeader(c.status)
					_, _ = w.Write([]byte(strings.Replace(c.body, `"id":1`, `"id":`+string(m.ID), 1)))
				default:
					return false
				}
				return true
			})
			f := s.fixture(t)
			f.options.ProtocolVersion = "2025-11-25"
			conn, err := f.open()
			if (err == nil) != c.connects || discovered != c.connects {
				t.Errorf("%v, discovered: %v", err, discovered)
			}
			if err == nil {
				conn.Close()
			}
		})
	}
}

// A pinned version stands above the owner's.
func TestEraOfTheOwnerIsNotThePinned(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "echo")
	f.entry["protocolVersion"] = firstModern
	f.options.ProtocolVersion = "2025-11-25"
	if got := f.connect().Info().ProtocolVersion; got != firstModern {
		t.Error(got)
	}
	f = newFixture(t, "odd", "modern")
	f.entry["protocolVersion"] = "2025-11-25"
	f.options.ProtocolVersion = "2025-11-25"
	if _, err := f.open(); err == nil {
		t.Error("another version than the pinned one")
	}
}
