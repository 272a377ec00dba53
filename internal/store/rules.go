package store

import "slices"

// Rule is one kind of thing that can be wrong in a file. Its ID never changes and is
// never given to another rule: people name them in the settings of their CI.
type Rule struct {
	ID       string // MCP001 and on
	Name     string // one or more words joined by '-'
	Severity string // what a finding has unless its message says why not
	Why      string // one sentence
	Mend     string // one sentence
	Fix      bool   // `lint --fix` can mend it, where only one way to do so is left
}

// The rules by their IDs. Every Problem of a file carries one, wherever it is found.
const (
	ruleSyntax          = "MCP001"
	ruleUnreadable      = "MCP002"
	ruleLinked          = "MCP003"
	ruleDuplicateKey    = "MCP004"
	ruleFoldedKey       = "MCP005"
	ruleTopKey          = "MCP006"
	ruleShape           = "MCP007"
	ruleStrict          = "MCP008"
	ruleUnread          = "MCP009"
	ruleSettings        = "MCP010"
	ruleBadName         = "MCP011"
	ruleNameClash       = "MCP012"
	ruleJoinedNames     = "MCP013"
	ruleNoObject        = "MCP014"
	ruleNesting         = "MCP015"
	ruleUnknownField    = "MCP016"
	ruleMisspelt        = "MCP017"
	ruleValue           = "MCP018"
	ruleNoTransport     = "MCP019"
	ruleTwoTransports   = "MCP020"
	ruleUnknownType     = "MCP021"
	ruleIgnored         = "MCP022"
	ruleAmbiguousType   = "MCP023"
	ruleSSE             = "MCP024"
	ruleURL             = "MCP025"
	rulePlainHTTP       = "MCP026"
	ruleShellLine       = "MCP027"
	ruleRelative        = "MCP028"
	ruleUnpinned        = "MCP029"
	ruleLikePackage     = "MCP030"
	ruleSecret          = "MCP031"
	ruleCommandValue    = "MCP032"
	ruleUnset           = "MCP033"
	rulePlaceholder     = "MCP034"
	ruleTimeoutUnit     = "MCP035"
	ruleTwoSwitches     = "MCP036"
	ruleOutside         = "MCP037"
	ruleNotHonoured     = "MCP038"
	ruleSameConnection  = "MCP039"
	ruleIdleOverride    = "MCP040"
	ruleNotApproved     = "MCP041"
	ruleChanged         = "MCP042"
	ruleDialect         = "MCP043"
	ruleDialectRefused  = "MCP044"
	ruleGap             = "MCP045"
	ruleHidden          = "MCP046"
	ruleLikeLetters     = "MCP047"
	ruleApprovalsRecord = "MCP048"
	ruleInputsMeet      = "MCP049"
)

var rules = []Rule{
	{ruleSyntax, "syntax", SeverityError, "A file that does not parse loses all its servers.",
		"Correct it at the line and column given; outside an editor, 'mcpctl undo' puts back what was there before mcpctl's last change.", false},
	{ruleUnreadable, "unreadable", SeverityError, "A file that cannot be read, is too large, is no regular file or leads out of the workspace supplies nothing.",
		"Put a regular file in its place that its reader may read.", false},
	{ruleLinked, "linked-file", SeverityWarning, "A project's file behind a symbolic link is read, but mcpctl does not write through the link.",
		"Replace the link by the file if mcpctl is to write it.", false},
	{ruleDuplicateKey, "duplicate-key", SeverityError, "Of two equal keys some programs take the first and some the last, so that what is reviewed need not be what runs.",
		"Keep one of them.", false},
	{ruleFoldedKey, "folded-key", SeverityError, "A key that differs only by case from one that is read is taken for it by some programs and not by others.",
		"Write the key as the message has it.", false},
	{ruleTopKey, "wrong-top-key", SeverityWarning, "Servers under another top key than that of the file's client are read by nobody.",
		"Put them under the key that the message names.", true},
	{ruleShape, "wrong-shape", SeverityError, "The file, the member with its servers or a list beside them is of another type than its client reads.",
		"Write it as the message says.", false},
	{ruleStrict, "strict-syntax", SeverityWarning, "mcpctl reads comments and trailing commas, but the client whose file it is loses every server of a file that has them.",
		"Remove them.", false},
	{ruleUnread, "unread-file", SeverityWarning, "A file with servers lies where no client that mcpctl knows looks for one.",
		"Move it to the place that the message names.", false},
	{ruleSettings, "settings", SeverityWarning, "A setting of mcpctl cannot be used, so that its default holds.",
		"Correct it with 'mcpctl config set', or in an editor.", false},
	{ruleBadName, "bad-name", SeverityError, "The file's client does not accept the server's name.",
		"Rename the server in the file.", false},
	{ruleNameClash, "name-clash", SeverityError, "Two names of one file fall together in the names of their tools, so that only one of the servers can be served.",
		"Rename or remove one of them.", false},
	{ruleJoinedNames, "joined-names", SeverityWarning, "Joined with the names of tools, the names of two servers cannot be told apart by every client.",
		"Rename one of them.", false},
	{ruleNoObject, "not-an-object", SeverityError, "A server is an object.",
		"Write it as {\"command\": ...} or {\"url\": ...}, or remove it.", false},
	{ruleNesting, "nesting", SeverityError, "A server, or all of them, are written one level too deep or too high, where they are not read as such.",
		"Move them to the level that the message names.", true},
	{ruleUnknownField, "unknown-field", SeverityWarning, "mcpctl does not interpret the field, so that it has no effect here; it is kept, and part of what is approved.",
		"Remove it, or use the field that the message names.", false},
	{ruleMisspelt, "misspelt-field", SeverityWarning, "A field is almost one that is read, and has no effect as it is spelt.",
		"Spell it as the message says.", true},
	{ruleValue, "wrong-value", SeverityError, "A field has a value of another type than it takes, or one that is not among its words.",
		"Write a value as the message says.", false},
	{ruleNoTransport, "no-transport", SeverityError, "A server has neither a command nor a url, and nothing below it that it could override.",
		"Name the program in 'command', or the address in 'url'.", false},
	{ruleTwoTransports, "two-transports", SeverityError, "A server has both a command and a url, and clients differ on which counts.",
		"Remove one of them, or decide with 'type'.", false},
	{ruleUnknownType, "unknown-type", SeverityError, "The type is none that mcpctl knows.",
		"Write stdio, http, streamable-http or sse.", false},
	{ruleIgnored, "ignored-field", SeverityWarning, "The server's transport does not look at the field.",
		"Remove it, or change the transport.", false},
	{ruleAmbiguousType, "ambiguous-type", SeverityWarning, "The address looks like one of the old HTTP+SSE transport, and the entry does not say that it is; clients guess differently.",
		"Say 'type', best with an address that speaks Streamable HTTP.", false},
	{ruleSSE, "deprecated-sse", SeverityWarning, "The HTTP+SSE transport is deprecated since revision 2025-03-26 of the protocol, and clients drop it.",
		"Use the server's Streamable HTTP address with the type http.", false},
	{ruleURL, "bad-url", SeverityError, "The url is none that an MCP server can have.",
		"Write it as https://HOST/PATH.", false},
	{rulePlainHTTP, "plain-http", SeverityWarning, "What is sent to another machine over plain http, credentials too, can be read and changed on the way.",
		"Use https.", false},
	{ruleShellLine, "shell-line", SeverityWarning, "The command is one executable and never a line for a shell, so that no program of that name is found.",
		"Put the program into 'command' and each further word into 'args'; what needs a shell is run by one: sh, -c, LINE.", true},
	{ruleRelative, "relative-command", SeverityWarning, "A command given by a relative path is another program in another directory, and clients start servers in different ones.",
		"Write the name of a program on PATH, an absolute path, or set 'cwd'.", false},
	{ruleUnpinned, "unpinned-package", SeverityWarning, "The command fetches a package whose version is not fixed, so that the code that runs can change without anybody asking.",
		"Name an exact version; the digest of an image pins its content as well, which a version does not.", false},
	{ruleLikePackage, "look-alike-package", SeverityWarning, "The package's name is almost that of a well-known one; it may be right all the same.",
		"Compare it with the documentation of the server that you mean.", false},
	{ruleSecret, "literal-secret", SeverityError, "What looks like a secret stands in a project's file, which is usually committed.",
		"Write a reference such as ${NAME}, and replace the secret, which has to count as known.", false},
	{ruleCommandValue, "command-value", SeverityError, "A value '!command' is never run from what a repository supplies, approved or not, and elsewhere only if it is words.",
		"Use ${NAME} in a project's file.", false},
	{ruleUnset, "unset-variable", SeverityWarning, "A variable that the server refers to is unset or empty in this environment, so that the server would not start from it.",
		"Set it, or write a default: ${NAME:-default}.", false},
	{rulePlaceholder, "foreign-placeholder", SeverityError, "A value holds a reference as other programs write it, which is not expanded in this file.",
		"Write ${NAME} or ${NAME:-default}; $$ is a dollar.", false},
	{ruleTimeoutUnit, "timeout-unit", SeverityWarning, "The timeout is a bare number, which some clients take for seconds and some for milliseconds; the message says what mcpctl assumes.",
		"Write it with its unit, such as \"30s\" or \"1500ms\"; in the project's .mcp.json, whose other clients take numbers alone, in milliseconds.", true},
	{ruleTwoSwitches, "two-switches", SeverityWarning, "An entry has both 'enabled' and 'disabled'; mcpctl goes by 'enabled', others by 'disabled'.",
		"Keep one of them.", false},
	{ruleOutside, "outside-project", SeverityWarning, "A project's server names a path outside the project, which other people's machines do not have; as 'cwd' it is an error.",
		"Write a path inside the project, or a program on PATH.", false},
	{ruleNotHonoured, "not-honoured", SeverityWarning, "The field counts only in the user's own files, never in what a repository supplies.",
		"Put it into the user's or the local file.", false},
	{ruleSameConnection, "same-connection", SeverityWarning, "Two names start or reach the same thing, so that its tools are there twice.",
		"Remove or disable one of them if that is not meant.", false},
	{ruleIdleOverride, "idle-override", SeverityWarning, "An override changes nothing, because no server of its name lies below it.",
		"Remove it, or correct its name.", false},
	{ruleNotApproved, "not-approved", SeverityError, "A project's entry was not approved on this machine, or was denied; found with --approvals only.",
		"Review it with 'mcpctl approve NAME'.", false},
	{ruleChanged, "changed-entry", SeverityError, "A project's entry, or a file of the project that it runs, is not what was approved; found with --approvals only.",
		"See 'mcpctl diff NAME', then 'mcpctl approve NAME'.", false},
	{ruleDialect, "read-otherwise", SeverityWarning, "mcpctl reads the entry otherwise than the client whose file it is.",
		"Write it so that both read the same, as the message says.", false},
	{ruleDialectRefused, "client-refuses", SeverityError, "The client whose file it is does not accept the entry.",
		"Write it as the message says.", false},
	{ruleGap, "not-expressible", SeverityWarning, "mcpctl has no counterpart for what the entry says to its own client; a copy would not have it.",
		"Nothing, as long as that client is the one to use it.", false},
	{ruleHidden, "hidden-characters", SeverityError, "A name, command or host of a project's entry holds characters that cannot be seen or that reorder what can, so that it cannot be approved.",
		"Write it without them.", false},
	{ruleLikeLetters, "look-alike-letters", SeverityWarning, "A command or host has letters that pass for others.",
		"Compare it with what you mean, letter by letter.", false},
	{ruleApprovalsRecord, "approvals-record", SeverityError, "The record of approvals cannot be used, so that nothing counts as approved; found with --approvals only.",
		"Do what the message says, then approve again what you trust.", false},
	{ruleInputsMeet, "inputs-meet", SeverityWarning, "Two inputs that VS Code asks its user for become one variable, so that two servers get one value.",
		"Give one of the inputs another ID, unless they have one value.", false},
}

// Rules is the table of rules, in the order of their IDs.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf finds a rule by its ID; the zero Rule when there is none.
func RuleOf(id string) Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return Rule{}
}
