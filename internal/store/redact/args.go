package redact

import "strings"

// Args returns args with secrets hidden and names kept: the value after a credential-named option or in KEY=VALUE, the value
// of a header option, the password of a user:password option, and what Text hides in each argument. args is not changed;
// nil stays nil. Source: design section 14.
func (m *Mask) Args(args []string) []string {
	if args == nil {
		return nil
	}
	masked := make([]string, len(args))
	before := ""
	for i, arg := range args {
		masked[i] = m.arg(before, arg)
		before = arg
	}
	return masked
}

// Args is Mask.Args without known values. Source: design section 14.
func Args(args []string) []string {
	var m *Mask
	return m.Args(args)
}

// arg returns one argument masked; before is the one to its left.
func (m *Mask) arg(before, arg string) string {
	name, value, joined := strings.Cut(arg, "=")
	switch {
	case joined && isOption(name) && isHeaderOption(name):
		return name + "=" + hideHeader(value)
	case joined && (isOption(name) || isPlainName(name)) && Credential(name):
		return name + "=" + hideCredential(value)
	case !isOption(before) || strings.Contains(before, "=") || looksLikeFlag(arg):
		if strings.EqualFold(before, "bearer") {
			return hideCredential(arg)
		}
		return m.Text(arg)
	case isHeaderOption(before):
		return hideHeader(arg)
	case before == "-u" || before == "--user":
		return m.hideUser(arg)
	case Credential(before):
		return hideCredential(arg)
	}
	return m.Text(arg)
}

func isOption(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

func isPlainName(name string) bool {
	for i := range len(name) {
		if !isName(name[i]) {
			return false
		}
	}
	return true
}

func isHeaderOption(name string) bool {
	return name == "-H" || name == "--header" || name == "--headers"
}

// hideHeader keeps the name of `Name: value` and, as Values does, only references of the value.
func hideHeader(header string) string {
	n := strings.IndexAny(header, ":=")
	if n < 0 || !isPlainName(header[:n]) {
		return hideLiteral(header)
	}
	value := header[n+1:]
	blank := skip(value, 0, blanks)
	return header[:n+1] + value[:blank] + hideLiteral(value[blank:])
}

// hideUser keeps the user of `user:password` as curl has it, and numbers as in `--user 1000:1000`.
func (m *Mask) hideUser(arg string) string {
	user, password, ok := strings.Cut(arg, ":")
	if !ok || allDigits(password) && allDigits(user) {
		return m.Text(arg)
	}
	return m.Text(user) + ":" + hideLiteral(password)
}

// Values returns a copy of the environment or the headers of an entry with every literal value hidden: nobody can tell
// which of them are secret. A value stays readable if it is made only of references and the names of schemes, as
// "Bearer ${TOKEN}" is, or is empty. A reference with a default text counts as literal. nil stays nil.
// Source: design sections 5.4 and 14.
func Values(values map[string]string) map[string]string {
	if values == nil {
		return nil
	}
	masked := make(map[string]string, len(values))
	for name, v := range values {
		masked[name] = hideLiteral(v)
	}
	return masked
}

// hideLiteral hides v unless it has no text of its own.
func hideLiteral(v string) string {
	if v == "" || onlyReferences(v) {
		return v
	}
	return Hidden
}

// hideCredential hides v, which stands where a credential should, unless it is a word that says there is none.
func hideCredential(v string) string {
	if constant(v) {
		return v
	}
	return hideLiteral(v)
}
