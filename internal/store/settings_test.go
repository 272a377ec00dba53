package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// settled is a store whose two files of settings hold these texts; "" is no file.
func (w *world) settled(user, admin string) *Store {
	w.t.Helper()
	s := w.open()
	s.Places.AdminSettings = filepath.Join(w.home, "etc", "config.json")
	if user != "" {
		w.write(s.Places.SettingsFile(), user)
	}
	if admin != "" {
		w.write(s.Places.AdminSettings, admin)
	}
	return s
}

// TestSettingsOrigins: the user before the administrator before the default, but
// for the settings where the administrator wins.
func TestSettingsOrigins(t *testing.T) {
	for _, c := range []struct {
		name, user, admin string
		setting, want     string
		origin            Origin
	}{
		{"nothing", "", "", "supervisor.idleTimeout", "10m", FromDefault},
		{"the administrator's default", "", `{"supervisor":{"idleTimeout":"1h"}}`, "supervisor.idleTimeout", "1h", FromAdmin},
		{"the user before it", `{"supervisor":{"idleTimeout":"2h"}}`, `{"supervisor":{"idleTimeout":"1h"}}`, "supervisor.idleTimeout", "2h", FromUser},
		{"a broken user's file", `{`, `{"supervisor":{"idleTimeout":"1h"}}`, "supervisor.idleTimeout", "1h", FromAdmin},
		{"a broken administrator's file", `{"client":"native"}`, `[`, "client", "native", FromUser},
		{"a value of another type", `{"supervisor":{"idleTimeout":7}}`, `{"supervisor":{"idleTimeout":"1h"}}`, "supervisor.idleTimeout", "1h", FromAdmin},
		{"the administrator wins", `{"handledBy":"mine"}`, `{"handledBy":"theirs"}`, "handledBy", "theirs", FromAdmin},
		{"who wins says nothing", `{"handledBy":"mine"}`, `{}`, "handledBy", "mine", FromUser},
		{"the same key twice", `{"client":"native","client":"native"}`, "", "client", "native", FromDefault},
		{"an object of settings that is none", `{"discovery":"all"}`, "", "discovery.user", "", FromDefault},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newWorld(t).settled(c.user, c.admin).Settings()
			v, err := s.Value(c.setting)
			if err != nil || v.Text() != c.want || v.Origin != c.origin {
				t.Errorf("%s = %q from %s (%v), want %q from %s", c.setting, v.Text(), v.Origin, err, c.want, c.origin)
			}
		})
	}
}

func TestSettingsDecoded(t *testing.T) {
	user := `{"client":"native","discovery":{"user":["native"]},"supervisor":{"idleTimeout":"90s"}}`
	s := newWorld(t).settled(user, `{"handledBy":{"owner":"corp","reason":"policy"}}`)
	got := s.Settings()
	if got.Client != "native" || got.IdleTimeout != 90*time.Second || !got.Discovery.Includes("native") || got.Discovery.Includes("pi") || got.Discovery.All {
		t.Errorf("decoded as %+v", got)
	}
	if h := got.HandledBy; h == nil || h.Owner != "corp" || h.Reason != "policy" || h.Source != s.Places.AdminSettings {
		t.Errorf("handledBy is %+v", got.HandledBy)
	}
	if all := newWorld(t).settled(`{"discovery":{"user":"all"}}`, "").Settings(); !all.Discovery.Includes("anything") {
		t.Errorf("all is %+v", all.Discovery)
	}
	if none := newWorld(t).settled("", "").Settings(); none.HandledBy != nil || none.IdleTimeout != 10*time.Minute || none.Client != "native" {
		t.Errorf("the defaults are %+v", none)
	}
}

// TestSettingsWarn: what a file has wrong is a warning of everything else that is
// read, of either file; unknown keys are not.
func TestSettingsWarn(t *testing.T) {
	s := newWorld(t).settled(`{"unknown": 1}`, `{"client": 3}`)
	c := s.Load()
	if len(c.Problems) != 1 || c.Problems[0].Severity != SeverityWarning || !strings.Contains(c.Problems[0].Message, "'client' takes") || c.Problems[0].Source != s.Places.AdminSettings {
		t.Errorf("problems: %+v", c.Problems)
	}
	if err := s.Settings().Fault("client"); code(err) != CodeInvalid {
		t.Errorf("Fault(client) is %v", err)
	}
	if err := s.Settings().Fault("handledBy"); err != nil {
		t.Errorf("Fault(handledBy) is %v", err)
	}
}

// TestAdminSettingsStay: no variable of the environment moves the administrator's
// file.
func TestAdminSettingsStay(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"MCPCTL_CONFIG_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "MCPCTL_ADMIN_SETTINGS"} {
		w.env[name] = filepath.Join(w.home, "x")
	}
	if got := w.open().Places.AdminSettings; got != "/etc/mcpctl/config.json" {
		t.Errorf("the administrator's settings are looked for in %s", got)
	}
}

// TestEditSettingWrites: mode 0600 for a new file, the old mode for an old one.
func TestEditSettingWrites(t *testing.T) {
	s := newWorld(t).settled("", "")
	edit := func(value string) {
		t.Helper()
		if _, err := s.EditSetting(context.Background(), SettingEdit{Name: "handledBy", Value: []byte(value)}); err != nil {
			t.Fatal(err)
		}
	}
	mode := func() os.FileMode {
		info, err := os.Stat(s.Places.SettingsFile())
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	edit(`"a"`)
	if mode() != 0o600 {
		t.Errorf("a new file has mode %o", mode())
	}
	if err := os.Chmod(s.Places.SettingsFile(), 0o640); err != nil {
		t.Fatal(err)
	}
	edit(`{"owner":"b"}`)
	if mode() != 0o640 {
		t.Errorf("an old file has mode %o", mode())
	}
	if h := s.Settings().HandledBy; h == nil || h.Owner != "b" {
		t.Errorf("handledBy is %+v", h)
	}
}
