package redact

import "strings"

// Args returns args with secrets hidden and names kept: the value after a credential-named option or in KEY=VALUE, the value
// of a header option, the password of a user:password option, what an option such as -p has where that is a password, and
// what Text hides in each argument. args is not changed; nil stays nil. Source: design section 14.
func (m *Mask) Args(args []string) []string { return m.Command("", args) }

// Command is Args for the arguments of a program that is known, for some options mean a password in one program only.
// Source: design section 14.
func (m *Mask) Command(program string, args []string) []string {
	if args == nil {
		return nil
	}
	masked := make([]string, len(args))
	var line commandLine
	line.see(program)
	for i, arg := range args {
		masked[i] = m.arg(&line, arg)
		line.see(arg)
	}
	return masked
}

// Args is Mask.Args without known values. Source: design section 14.
func Args(args []string) []string {
	var m *Mask
	return m.Args(args)
}

// arg returns one argument masked; line is what stands to its left.
func (m *Mask) arg(line *commandLine, arg string) string {
	name, value, joined := strings.Cut(arg, "=")
	before := line.before
	switch skipped := line.joined(arg); {
	case skipped > 0:
		return arg[:skipped] + Hidden
	case before == "-c": // a script, of which all else must be seen
		return m.Text(arg)
	case joined && isOption(name) && isHeaderOption(name):
		return name + "=" + hideHeader(value)
	case joined && isUserOption(name):
		return name + "=" + m.hideUser(line, value)
	case joined && (isOption(name) || isPlainName(name)) && Credential(name):
		return name + "=" + hideCredential(value)
	case joined && isOption(name) && value != "" && line.secret(name, value, true):
		return name + "=" + Hidden
	case strings.HasPrefix(arg, "-H") && strings.Contains(arg, ":"):
		return "-H" + hideHeader(arg[len("-H"):])
	case strings.HasPrefix(arg, "-u") && !isLongOption(arg) && !joined:
		return "-u" + m.hideUser(line, arg[len("-u"):])
	case !isOption(before) || strings.Contains(before, "=") || looksLikeFlag(arg):
		if strings.EqualFold(before, "bearer") {
			return hideCredential(arg)
		}
		return m.Text(arg)
	case isHeaderOption(before):
		return hideHeader(arg)
	case isUserOption(before):
		return m.hideUser(line, arg)
	case Credential(before) || arg != "" && line.secret(before, arg, true):
		return hideCredential(arg)
	case digestLen(len(arg)) && isHex(arg) && publicHex(before+" "+arg, len(before)+1, len(before)+1+len(arg)):
		return m.hideKnown(arg)
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
func (m *Mask) hideUser(line *commandLine, arg string) string {
	n := line.pairOf(arg)
	if n == 0 {
		return m.Text(arg)
	}
	return m.Text(arg[:n-1]) + ":" + hideLiteral(arg[n:])
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
