package commands

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/engine/wire"
	"github.com/mcpctl/mcpctl/internal/store"
)

// registrationWords are what --oauth-client-registration takes.
var registrationWords = []string{string(store.RegisterAuto), string(store.RegisterDCR), string(store.RegisterCIMD)}

// longestTimeout is that of an entry (design §3).
const longestTimeout = 24 * time.Hour

// checkValues refuses values that the options cannot take: they are wrong usage,
// where the same in a file is an invalid entry.
func (f *entryFlags) checkValues() error {
	wrong := func(flag, value, hint string) error {
		return wire.NewError(wire.Usage, "--"+flag+" "+value+": not a value that it takes", hint)
	}
	if _, ok := store.ParseExposure(f.exposure); f.given("exposure") && !ok {
		return wrong("exposure", f.exposure, "use direct, deferred or hidden")
	}
	if f.given("transport") && !slices.Contains(append([]string{"streamable-http"}, transportWords...), f.transport) {
		return wrong("transport", f.transport, "use "+orList(transportWords))
	}
	if r := f.oauth.registration; f.given("oauth-client-registration") && !slices.Contains(registrationWords, r) {
		return wrong("oauth-client-registration", r, "use "+orList(registrationWords))
	}
	if p := f.oauth.callbackPort; f.given("oauth-callback-port") && (p < 1 || p > 65535) {
		return wrong("oauth-callback-port", strconv.Itoa(p), "use a number from 1 to 65535")
	}
	if f.given("timeout") {
		if d, err := time.ParseDuration(f.timeout); err != nil || d <= 0 || d > longestTimeout {
			return wrong("timeout", f.timeout, durationHint(f.timeout))
		}
	}
	return nil
}

// durationHint says how a duration is written, to somebody who wrote text.
func durationHint(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil && !strings.HasPrefix(text, "-") {
		return "give it a unit, such as " + text + "s"
	}
	return "a duration such as 30s or 1500ms, above 0 and not over 24h"
}

// orList is "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
