package redact

import (
	"path"
	"strings"
)

// passwordPrograms are programs whose short option takes a password and nothing else.
var passwordPrograms = map[string]string{
	"mysql": "-p", "mysqldump": "-p", "mysqladmin": "-p", "mariadb": "-p", "mariadb-dump": "-p", "mycli": "-p", "sshpass": "-p",
	"cqlsh": "-p", "mongo": "-p", "mongosh": "-p", "redis-cli": "-a", "sqlcmd": "-P", "ldapsearch": "-w", "curl": "-b",
}

// joinedPrograms are those of them that want the password in the same word, as in -psecret.
var joinedPrograms = wordList(`mysql mysqldump mysqladmin mariadb mariadb-dump sshpass`)

// packagers are programs whose -p names a package or a version of the language, as long as what is run has not been named.
var packagers = wordList(`npx bunx uvx uv npm pnpm yarn pipx`)

// packagerVerbs stand between a packager and what it runs.
var packagerVerbs = wordList(`exec x dlx run tool`)

// containers are programs whose -u names a user and a group.
var containers = wordList(`docker podman nerdctl`)

// userOptions name the account that a password belongs to.
var userOptions = wordList(`-u -U -l --user --username --login --proxy-user`)

// passwordOptions are followed by a password in many programs, and by a port, a path, a project or a profile in others.
var passwordOptions = wordList(`-p -P -w`)

// longPasswords are followed by a password, though their names alone do not say so.
var longPasswords = wordList(`-pw --pw -pwd --pwd`)

// keyOptions are followed by a key or a token in some programs, and by anything else in most.
var keyOptions = wordList(`-k -t -a -s --key`)

// commandLine is what the words to the left say about the next one.
type commandLine struct {
	before  string // the word to the left
	program string // the last one known here; "" for none
	named   bool   // a packager has been told what to run
	user    bool   // an option has named an account
}

// see takes in a word, and goes on to the next.
func (c *commandLine) see(word string) {
	base := path.Base(word)
	switch _, known := passwordPrograms[base]; {
	case known || packagers()[base] && !c.packaging() || containers()[base]:
		*c = commandLine{program: base}
	case word == "login" && containers()[c.program]: // its -u and -p are an account and its password
		c.program = ""
	case userOptions()[word] || strings.HasPrefix(word, "-u") && !isLongOption(word):
		c.user = true
	case !isOption(word) && !packagerVerbs()[word] && !isOption(c.before):
		c.named = true
	}
	c.before = word
}

// packaging reports whether -p is that of a packager now.
func (c *commandLine) packaging() bool { return packagers()[c.program] && !c.named }

// isLongOption: `-url`, as Go's programs have it, and `--user`.
func isLongOption(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return strings.HasPrefix(word, "--") || len(name) > 2 && strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyz-") == "" && !strings.Contains(word, ":")
}

// secret reports whether value, of an option whose name alone does not say so, is taken for a secret. loose: the words
// are of a command line and not of running text.
func (c *commandLine) secret(option, value string, loose bool) bool {
	switch {
	case constant(value) || onlyReferences(value) || looksLikeFlag(value):
		return false
	case longPasswords()[option]:
		return !plainPlace(value)
	case option == "-p" && c.packaging():
		return false
	case c.program != "" && passwordPrograms[c.program] == option, passwordOptions()[option] && c.user && !containers()[c.program]:
		return !number(value) && !plainPlace(value) && (option != "-b" || strings.Contains(value, "="))
	case passwordOptions()[option] && loose:
		return !number(value) && !plainPlace(value) && !plainWords(value)
	case passwordOptions()[option] || keyOptions()[option]:
		const least = 12
		return len(value) >= least && !number(value) && !plainPlace(value) && drawn(value)
	}
	return false
}

// joined returns where the password begins in a word such as -psecret; 0 for none.
func (c *commandLine) joined(word string) int {
	option := passwordPrograms[c.program]
	if !joinedPrograms()[c.program] || len(word) <= len(option) || !strings.HasPrefix(word, option) || onlyReferences(word[len(option):]) {
		return 0
	}
	return len(option)
}

// number reports whether value is a number, a port, several of them, a version, or a duration.
func number(value string) bool {
	digits := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyzKMGTB")
	const unit = 4
	return digits != "" && len(value)-len(digits) <= unit && strings.Trim(digits, "0123456789.:/-") == "" && isDigit(digits[0])
}

// plainPlace reports whether value is a path, an address, or a file's name.
func plainPlace(value string) bool {
	if strings.ContainsAny(value, `/\`) && wordy(strings.ReplaceAll(value, `\`, "/")) || value[0] == '.' || value[0] == '~' {
		return true
	}
	const longest = 6
	dot := strings.LastIndexByte(value, '.')
	extension := value[dot+1:]
	return dot > 0 && extension != "" && len(extension) <= longest && strings.Trim(extension, "abcdefghijklmnopqrstuvwxyz") == "" &&
		!strings.ContainsAny(value, "!$%^&*=+?")
}

// plainWords reports whether value is made of letters and what joins words: a name, a project, an address.
func plainWords(value string) bool {
	host, port, ok := strings.Cut(value, ":")
	if ok && allDigits(port) {
		value = host
	}
	for i := range len(value) {
		if !isAlpha(value[i]) && strings.IndexByte("-_. ,", value[i]) < 0 {
			return false
		}
	}
	return true
}

// findCommandLines finds what commandLine tells in each line of a text.
func findCommandLines(s string, out *spans) {
	for at := 0; at < len(s); {
		end := at + len(s[at:])
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			end = at + n
		}
		if strings.Contains(s[at:end], "-") {
			findInLine(s, at, end, out)
		}
		at = end + 1
	}
}

func findInLine(s string, at, end int, out *spans) {
	var line commandLine
	for at < end {
		start, stop, next := shellWord(s, at, end)
		word := s[start:stop]
		option, value, pair := strings.Cut(word, "=")
		switch skipped := line.joined(word); {
		case word == "":
		case skipped > 0:
			out.add(start+skipped, stop)
		case pair && isOption(option) && value != "" && line.secret(option, value, false):
			out.add(stop-len(value), stop)
		case pair && isUserOption(option) && line.pairOf(value) > 0:
			out.add(stop-len(value)+line.pairOf(value), stop)
		case isUserOption(line.before) && !glue()[word]:
			if n := line.pairOf(word); n > 0 {
				out.add(start+n, stop)
			}
		case isOption(line.before) && !strings.Contains(line.before, "=") && line.secret(line.before, word, false):
			out.add(start, stop)
		}
		line.see(word)
		at = next
	}
}

// shellWord returns the word at byte at, without the quotes around it, and where the next one may begin.
func shellWord(s string, at, end int) (start, stop, next int) {
	at = skip(s[:end], at, " \t\r")
	if at < end && (s[at] == '"' || s[at] == '\'') {
		stop = min(end, quotedEnd(s[:end], at))
		return at + 1, max(at+1, stop), min(end, stop+1)
	}
	stop = at
	for stop < end && strings.IndexByte(" \t\r", s[stop]) < 0 {
		stop++
	}
	word := stop
	for word > at && strings.IndexByte(",;)\"'`", s[word-1]) >= 0 { // of the sentence, not of the word
		word--
	}
	return at, word, stop
}

func isUserOption(option string) bool {
	switch option {
	case "-u", "-U", "--user", "--proxy-user":
		return true
	}
	return false
}

// pairOf returns where the password of user:password begins; 0 for none, as in 1000:1000 and for a container's group.
func (c *commandLine) pairOf(value string) int {
	user, password, ok := strings.Cut(value, ":")
	switch {
	case !ok || user == "" || password == "" || containers()[c.program] || strings.HasPrefix(password, "//"):
		return 0
	case allDigits(user) && allDigits(password), onlyReferences(password), constant(password), password == Hidden:
		return 0
	}
	return len(user) + 1
}
