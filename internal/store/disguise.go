package store

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"github.com/mcpctl/mcpctl/internal/store/redact"
)

// disguised refuses an entry whose name, command, host, or names of variables and
// headers hold characters that cannot be seen or that reorder what can: what is
// shown must be what runs (threats G2). Elsewhere they are shown escaped.
func (e *Entry) disguised() *Error {
	check := func(where, text string) *Error {
		if redact.Line(text) == text && !strings.ContainsRune(text, '\t') {
			return nil
		}
		return &Error{Code_: CodeInvalid, Path: e.Source.Path, Line: e.Line, Column: e.Column, Server_: e.Name,
			Message: where + " holds a character that cannot be seen or that reorders text: " + strings.ReplaceAll(redact.Line(text), "\t", `\t`),
			Hint_:   "such an entry cannot be approved; write it without"}
	}
	if err := check("the name", e.Name); err != nil || e.Definition == nil {
		return err
	}
	d := e.Definition
	if err := check("'command'", d.Command); err != nil {
		return err
	}
	if err := check("the host of 'url'", hostOf(d.URL)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		if err := check("a name in 'env'", name); err != nil {
			return err
		}
	}
	for _, name := range d.InheritEnv.Names {
		if err := check("a name in 'inheritEnv'", name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		if err := check("a name in 'headers'", name); err != nil {
			return err
		}
	}
	return nil
}

// hostOf is the host of a URL as it is written; a URL with references, or that
// does not parse, has one too.
func hostOf(u string) string {
	_, rest, ok := strings.Cut(u, "://")
	if !ok {
		return u
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && strings.Trim(rest[i+1:], "0123456789") == "" {
		rest = rest[:i]
	}
	return rest
}

// lookAlikes are the scripts whose letters pass for Latin ones.
var lookAlikes = []struct {
	name  string
	table *unicode.RangeTable
}{{"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian}, {"Cherokee", unicode.Cherokee}}

// lookAlikeRisks warns of commands and hosts that are not what they look like
// (threats G3).
func lookAlikeRisks(d *Definition) []string {
	var out []string
	if d.Transport == Stdio {
		if odd := oddLetters(filepath.Base(d.Command)); odd != "" {
			out = append(out, "the command has letters that can pass for others: "+odd)
		}
		return out
	}
	host := hostOf(d.URL)
	ascii, err := idna.Punycode.ToASCII(host)
	if err == nil && ascii != host || strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		line := "the host is written " + ascii + " in ASCII"
		if shown, err := idna.Punycode.ToUnicode(host); err == nil && shown != host {
			line = "the host " + host + " is shown elsewhere as " + shown
			host = shown
		}
		if odd := oddLetters(host); odd != "" {
			line += "; it has letters that can pass for others: " + odd
		}
		out = append(out, line)
	}
	return out
}

// oddLetters names the letters outside Latin in a text, with their code points.
func oddLetters(text string) string {
	var odd []string
	for _, r := range text {
		if r < unicode.MaxASCII || !unicode.IsLetter(r) || unicode.Is(unicode.Latin, r) {
			continue
		}
		script := ""
		for _, s := range lookAlikes {
			if unicode.Is(s.table, r) {
				script = ", " + s.name
			}
		}
		if one := fmt.Sprintf("%c (U+%04X%s)", r, r, script); !slices.Contains(odd, one) {
			odd = append(odd, one)
		}
	}
	return strings.Join(odd, ", ")
}
