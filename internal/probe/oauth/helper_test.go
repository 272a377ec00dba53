package oauth

import (
	"net/http/httptest"
	"os"
	"os/signal"
	"syscall"
	"time"

	fake "github.com/mcpctl/mcpctl/testdata/servers/oauth"
)

type fakeOptions = fake.Options

// later lets the clock of the user's machine be ahead, so that short-lived tokens have
// run out without anybody waiting.
func later(w *world) {
	w.keeper.now = func() time.Time { return time.Now().Add(2 * time.Second) }
}

type httpServer = httptest.Server

func notify(c chan os.Signal) { signal.Notify(c, syscall.SIGTERM) }
