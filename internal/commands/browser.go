package commands

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// browserSoon is how long a browser is given to say that it cannot start. One that
// runs on is left alone.
const browserSoon = 2 * time.Second

// openBrowser opens a page with the program of BROWSER, whose words are split at
// blanks, or with the system's opener. No shell sees the page, it is one argument: who
// wrote it is not known (threats of opened URLs). The program is a child of its own,
// which the end of this command does not end.
func (a *app) openBrowser(ctx context.Context, page string) error {
	words := browserWords(a.env["BROWSER"], page)
	cmd := exec.Command(words[0], words[1:]...)
	if cmd.Err != nil {
		return errors.New("there is no program '" + words[0] + "'")
	}
	cmd.Env = browserEnv(a.env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the browser
	soon := time.NewTimer(browserSoon)
	defer soon.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return errors.New("'" + words[0] + "' ended with " + err.Error())
		}
	case <-soon.C:
	case <-ctx.Done():
	}
	return nil
}

// browserWords is the argument vector: %s in BROWSER stands for the page, else it is
// the last word.
func browserWords(browser, page string) []string {
	words := strings.Fields(browser)
	if len(words) == 0 {
		words = []string{"xdg-open"}
		if runtime.GOOS == "darwin" {
			words = []string{"open"}
		}
	}
	placed := false
	for i, w := range words {
		if i > 0 && strings.Contains(w, "%s") {
			words[i], placed = strings.ReplaceAll(w, "%s", page), true
		}
	}
	if !placed {
		words = append(words, page)
	}
	return words
}

// plainVariables are those that a desktop needs and that look like secrets to no
// person, though perhaps to a mask.
var plainVariables = []string{"DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY", "DISPLAY", "WAYLAND_DISPLAY", "PATH", "HOME"}

// browserEnv is the session's environment without what looks like a secret: no
// program that shows web pages needs somebody's keys.
func browserEnv(env store.Environ) []string {
	var out []string
	for _, kv := range env.List() {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(plainVariables, name) || redact.Text(kv) == kv {
			out = append(out, kv)
		}
	}
	return out
}
