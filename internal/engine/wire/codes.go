// Package wire defines what crosses the supervisor's socket: its messages, its
// protocol version and its codes; and carries them over one connection, as
// JSON-RPC 2.0, one object per line (design §9.1). The documents that commands
// print with --json are the same types (design §8.2).
package wire

// Code is the word that scripts and editors match; its exit number is the
// command line's (design §8.3).
type Code string

// The codes. They are never renamed and their numbers never change.
const (
	ConfigInvalid         Code = "MCP_CONFIG_INVALID"
	ConfigConflict        Code = "MCP_CONFIG_CONFLICT"
	ConfigLocked          Code = "MCP_CONFIG_LOCKED"
	PathUnsafe            Code = "MCP_PATH_UNSAFE"
	NotFound              Code = "MCP_NOT_FOUND"
	NameTaken             Code = "MCP_NAME_TAKEN"
	NotApproved           Code = "MCP_NOT_APPROVED"
	IO                    Code = "MCP_IO"
	SecretRefused         Code = "MCP_SECRET_REFUSED"
	HandledElsewhere      Code = "MCP_HANDLED_ELSEWHERE"
	LoginRequired         Code = "LOGIN_REQUIRED"
	LoginNotOwner         Code = "LOGIN_NOT_OWNER"
	LoginInProgress       Code = "LOGIN_IN_PROGRESS"
	LoginCancelled        Code = "LOGIN_CANCELLED"
	LoginFailed           Code = "LOGIN_FAILED"
	SupervisorUnreachable Code = "SUPERVISOR_UNREACHABLE"
	SupervisorProtocol    Code = "SUPERVISOR_PROTOCOL"
	ConnectFailed         Code = "CONNECT_FAILED"
	Timeout               Code = "TIMEOUT"
	ToolError             Code = "TOOL_ERROR"
	CallOutcomeUnknown    Code = "CALL_OUTCOME_UNKNOWN"
	OutputExpired         Code = "OUTPUT_EXPIRED"
	Failure               Code = "FAILURE"
	Usage                 Code = "USAGE"
	Interrupted           Code = "INTERRUPTED"
	Terminated            Code = "TERMINATED"
)

// CodeRow is one line of the table of exit codes.
type CodeRow struct {
	Exit int
	Code Code // "" for 0 and 1, which are answers and not errors
	When string
}

var table = []CodeRow{
	{0, "", "done, or nothing to do"},
	{1, "", "the answer is no (supervisor status: not running; test of several servers: one failed)"},
	{10, ConfigInvalid, "a file does not parse or an entry is not valid"},
	{11, ConfigConflict, "changed since it was read; the fingerprint does not match"},
	{12, ConfigLocked, "another writer held the lock too long"},
	{13, PathUnsafe, "symbolic link, outside the project, wrong owner, not a regular file"},
	{14, NotFound, "no such server, tool, prompt, session or output there, or the server is disabled"},
	{15, NameTaken, "the name holds a value already"},
	{16, NotApproved, "pending, changed or denied"},
	{17, IO, "cannot read or write: disk full, read-only, permission"},
	{18, SecretRefused, "it would publish a secret"},
	{20, HandledElsewhere, "another program owns MCP here"},
	{21, LoginRequired, "the server needs a sign-in"},
	{22, LoginNotOwner, "the sign-in belongs to another client"},
	{23, LoginInProgress, "one sign-in per credential at a time"},
	{24, LoginCancelled, "cancelled, or its time ran out"},
	{25, LoginFailed, "refused by the authorization server, or a check failed"},
	{30, SupervisorUnreachable, "not running and not startable, or it went away"},
	{31, SupervisorProtocol, "no common protocol version"},
	{32, ConnectFailed, "the server did not start, answer or make sense"},
	{33, Timeout, "no answer in time"},
	{40, ToolError, "the tool answered isError; the result is on stdout"},
	{41, CallOutcomeUnknown, "the connection was lost after the request was sent: it may have run"},
	{42, OutputExpired, "the recorded output is gone"},
	{128, Failure, "any other failure"},
	{129, Usage, "wrong usage"},
	{130, Interrupted, "SIGINT"},
	{143, Terminated, "SIGTERM"},
}

// Codes returns the table of exit codes, lowest first.
func Codes() []CodeRow { return append([]CodeRow(nil), table...) }

// Exit returns the exit number of a code; 128 for one this program does not
// know, such as one of a newer supervisor.
func (c Code) Exit() int {
	for _, row := range table {
		if row.Code == c && c != "" {
			return row.Exit
		}
	}
	return 128
}
