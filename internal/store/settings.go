package store

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/store/client"
)

// adminSettings is where the administrator's settings are. No variable of the
// environment moves it: who starts a program must not be able to put words into
// the administrator's mouth.
const adminSettings = "/etc/mcpctl/config.json"

// SettingType says what the values of a setting are.
type SettingType string

// The types of settings, in the words of errors and of the manual.
const (
	ClientSetting   SettingType = "the name of a client"
	ClientsSetting  SettingType = "names of clients, separated by commas, or all"
	HandlerSetting  SettingType = "a name, or an object with owner and reason"
	DurationSetting SettingType = "a duration from 1s to 8760h, such as 10m"
	SwitchSetting   SettingType = "true or false"
)

// Setting is one row of the table of settings (design §2.1).
type Setting struct {
	Name    string // dotted: "a.b" is the member b of the object a
	Type    SettingType
	Default json.RawMessage // nil: none
	Help    string          // one sentence
	// AdminWins: the administrator's word counts before the user's. Of the other
	// settings the administrator only gives defaults.
	AdminWins bool
}

var settings = []Setting{
	{Name: "client", Type: ClientSetting, Default: json.RawMessage(`"` + client.Native + `"`),
		Help: "The client whose files are used when neither --client nor MCPCTL_CLIENT names one."},
	{Name: "discovery.user", Type: ClientsSetting, Default: json.RawMessage(`[]`),
		Help: "The other clients whose user files count as well."},
	{Name: "handledBy", Type: HandlerSetting, AdminWins: true,
		Help: "Another program that owns MCP for this user, so that mcpctl runs no servers."},
	{Name: "pinTools", Type: SwitchSetting, Default: json.RawMessage(`false`), AdminWins: true,
		Help: "Whether calls of a tool are refused whose definition is not the one that was approved; without it the change is only told."},
	{Name: "supervisor.idleTimeout", Type: DurationSetting, Default: json.RawMessage(`"10m"`),
		Help: "How long a supervisor that nobody needs stays, when --idle-timeout is not given."},
}

// SettingRows returns the table of settings, in the order of the manual.
func SettingRows() []Setting { return slices.Clone(settings) }

// LookupSetting finds a setting by its exact name, or fails with USAGE and a
// suggestion.
func LookupSetting(name string) (Setting, error) {
	names := make([]string, len(settings))
	for i, row := range settings {
		if row.Name == name {
			return row, nil
		}
		names[i] = row.Name
	}
	err := &Error{Code_: CodeUsage, Message: "no setting is called " + quoted(name), Hint_: "see: mcpctl config list"}
	if near := closestFold(name, names); near != "" {
		err.Hint_ = "did you mean '" + near + "'?"
	}
	return Setting{}, err
}

// closestFold is Closest, but that case does not count as a difference, and that
// the last part of a dotted name is enough.
func closestFold(name string, names []string) string {
	for _, n := range names {
		if strings.EqualFold(n, name) || strings.EqualFold(n[strings.LastIndexByte(n, '.')+1:], name) {
			return n
		}
	}
	return Closest(name, names)
}

// Clients lists the clients mcpctl knows, in their order of precedence.
func Clients() []string { return client.Names() }

// NativeClient is the one whose files are mcpctl's own.
const NativeClient = client.Native

// Origin says whose word a setting is.
type Origin string

// The origins of settings, as JSON has them.
const (
	FromDefault Origin = "default"
	FromAdmin   Origin = "administrator"
	FromUser    Origin = "user"
)

// SettingValue is what holds for one setting, and where it stands.
type SettingValue struct {
	Setting
	Value        json.RawMessage // nil: not set, and there is no default
	Origin       Origin
	Source       string // the file; "" for a default
	Line, Column int    // of the value; 0 for a default
}

// Handler is another program that owns MCP (design §9.4).
type Handler struct {
	Owner  string
	Reason string // "" when none was given
	Source string // the settings file that says so
}

// Discovery names the clients whose user files count (design §2.3).
type Discovery struct {
	All     bool
	Clients []string
}

// Includes tells whether the user files of the client count.
func (d Discovery) Includes(name string) bool { return d.All || slices.Contains(d.Clients, name) }

// Settings are what holds for this user: the user's file over the
// administrator's over the defaults, but for those where the administrator wins.
// Nothing in a repository is ever a setting.
type Settings struct {
	Client      string
	Discovery   Discovery
	HandledBy   *Handler // nil: nobody else
	IdleTimeout time.Duration
	PinTools    bool // see PinsTools

	Values   []SettingValue // in the order of the table
	Problems []Problem      // of both files; unknown keys are warnings
}

// Settings reads the settings anew. It never fails: what cannot be read or is
// not of its type is a Problem, and the next weaker word holds.
func (s *Store) Settings() *Settings {
	read := readSettings(s.Places)
	s.lastSettings.Store(read)
	return read
}

// LastSettings are the settings as they were read last: by Open, by ReadSources
// (which reads them anew each time), or by Settings.
func (s *Store) LastSettings() *Settings {
	if last := s.lastSettings.Load(); last != nil {
		return last
	}
	return s.Settings()
}

// SettingsFile is the user's file of settings, which may be missing.
func (p Places) SettingsFile() string { return filepath.Join(p.ConfigHome, "mcpctl", "config.json") }

func readSettings(p Places) *Settings {
	user, admin := readSettingsFile(p.SettingsFile(), FromUser), readSettingsFile(p.AdminSettings, FromAdmin)
	out := &Settings{Problems: append(user.problems, admin.problems...)}
	for _, row := range settings {
		v := SettingValue{Setting: row, Value: row.Default, Origin: FromDefault}
		order := []*settingsFile{admin, user} // the last one wins
		if row.AdminWins {
			slices.Reverse(order)
		}
		for _, file := range order {
			if found, ok := file.values[row.Name]; ok {
				v = found
			}
		}
		out.Values = append(out.Values, v)
		out.take(v)
	}
	return out
}

// take decodes a value, which was checked when it was read.
func (s *Settings) take(v SettingValue) {
	if v.Value == nil {
		return
	}
	switch v.Name {
	case "client":
		_ = json.Unmarshal(v.Value, &s.Client)
	case "discovery.user":
		s.Discovery.All = json.Unmarshal(v.Value, &s.Discovery.Clients) != nil
	case "handledBy":
		s.HandledBy = &Handler{Source: v.Source}
		if json.Unmarshal(v.Value, &s.HandledBy.Owner) != nil {
			_ = json.Unmarshal(v.Value, s.HandledBy) // owner and reason, by their names
			s.HandledBy.Source = v.Source
		}
	case "pinTools":
		_ = json.Unmarshal(v.Value, &s.PinTools)
	case "supervisor.idleTimeout":
		var text string
		_ = json.Unmarshal(v.Value, &text)
		s.IdleTimeout, _ = time.ParseDuration(text)
	}
}

// PinsTools tells whether a tool that is not as it was approved is refused: also where
// the files that would say so cannot be relied on, because a mistake in them must not
// lift it.
func (s *Settings) PinsTools() bool { return s.PinTools || s.Fault("pinTools") != nil }

// Value returns what holds for a setting, or fails as LookupSetting does.
func (s *Settings) Value(name string) (SettingValue, error) {
	row, err := LookupSetting(name)
	if err != nil {
		return SettingValue{}, err
	}
	return s.Values[slices.IndexFunc(s.Values, func(v SettingValue) bool { return v.Name == row.Name })], nil
}

// Warnings are the errors among the problems, for those who go on with what the
// rest says.
func (s *Settings) Warnings() []Problem {
	var out []Problem
	for _, p := range s.Problems {
		if p.Severity == SeverityError {
			p.Severity = SeverityWarning
			p.Message = "a setting is not used: " + p.Message
			p.Hint = "see: mcpctl config list"
			out = append(out, p)
		}
	}
	return out
}
