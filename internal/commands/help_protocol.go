package commands

// protocolTopic is written for whoever builds an editor's plugin on it; tests hold it
// to the table of methods, to the fields of every message and to the types that its
// examples have to fit.
const protocolTopic = protocolBasics + protocolMethods + protocolUse + protocolDocuments + protocolExample

const protocolBasics = `The protocol of the supervisor's socket: JSON-RPC 2.0, version 1 of the protocol. An
editor that speaks it lists, watches, changes, approves and uses the servers of a
workspace, which the supervisor keeps running for all its clients.

Every method can be tried from a shell: mcpctl rpc METHOD PARAMS.

THE SOCKET

A Unix stream socket, supervisor-1.sock, in a folder that only the user may enter. Do
not put its path together: ask for it. Both commands print {"running": true,
"socket": "/run/user/1000/mcpctl/supervisor-1.sock", ...}; the first starts the
supervisor when there is none, and the second ends with status 1 when there is none.

  mcpctl supervisor start --no-session --json
  mcpctl supervisor status --json

Without --no-session the first opens the default session of the folder it runs in as
well, and starts its servers; a client that opens a session of its own would have each
of them twice. One that shares the default session (session.open with "default") needs
neither: it opens it over the socket.

The supervisor may leave when nobody has been connected for a while, and may be stopped
or replaced. A client that wants it then runs the same again and connects anew. Only
processes of the same user are let in, and none that a server has started,
whether the supervisor or a command such as "mcpctl test" runs it: the variable
MCPCTL_SERVER, in the environment of a process or of one above it, tells. That stops
the easy way only. A server may do what its user may, and one that a command runs gets
by when it clears its environment and leaves its parents; on macOS any server does that
leaves its parents and is a program of the system, such as /bin/sh.

FRAMING

One JSON object in UTF-8 per line, without a line break in it, ended by a line feed. A
line has at most 16 MiB and 64 KiB; a longer one ends the connection, and so does one
that is no JSON-RPC message. Batches are not spoken. "jsonrpc" is "2.0" in every one.
"id" is a number or a string, chosen by who asks. "params" is always an object, and is
left out where a method has none. A request that is not so, and one with an object in
which a key stands twice, or in another spelling than here, is refused with USAGE; such
a notification is ignored. What is passed on, such as a tool's arguments, is not looked
into, and reaches the server byte for byte.

Parameters that a method does not know are ignored, so that a newer client can ask an
older supervisor. Methods that change something, marked "edit" below, refuse them: a
condition that is misspelt must not be ignored. A client in turn ignores members of
results, and notifications, that it does not know.

THE FIRST MESSAGE

is supervisor.hello, within ten seconds. Anything else is answered with an error, and
the connection ends. What follows may be sent without waiting for the answer.

ONE CONNECTION IS ONE CLIENT

What a connection has opened and asked for ends with it: its sessions, watches, requests
in flight. A tool call in flight is cancelled at its server. An edit that waits for
another writer is given up; one that has begun to write is finished.

At most 256 clients are connected at once, a connection has at most 1024 requests under
way, and at most 64 sessions of its own.

SESSIONS

A session is one consumer in one workspace, with an environment, from which ${NAME} in
entries is resolved. Nearly every method names one.

The id "default" is the command line's own session: its commands share it, and it stays
when they end. In a request "default" means the default session that this connection has
opened last. Requests that name it may therefore be sent along with session.open, before
its answer. Each request for it is done with the environment of the connection that
sends it: a server that runs with other values of the variables that its entry names, in
${NAME} and in inheritEnv, is started again with these. What every server gets, such as
PATH, TZ, LANG and the variables for proxies, stays as it was when the server was
started, until it is started for another reason, mcp.reconnect among them.

An editor opens a session of its own with any other id, such as "new"; the answer has
the id that names it from then on. It belongs to the connection, and what it registers
or overrides nobody else sees. With "keep" it stays until session.close, and other
connections join it.

The workspace of a session is found as a command finds it: the folder that is given, or
the first one above it that holds a project file or a .git.

ORDER

Requests of a connection are begun in the order they were sent. Those that need not wait
(supervisor.*, session.open and list, mcp.list, status, reload, register, unregister and
setSessionOverride) are answered before the next is begun. All others are answered when
they are done, in any order; look at the id. When an edit is answered the session has seen
it: an mcp.list behind the answer shows it. Two edits that depend on each other are sent
one after the other's answer.

CANCELLING

"$/cancelRequest" with the id of a request ends it. It is answered all the same, with
the code INTERRUPTED, or with its result if that came first. What a tool has done it
has done.

ERRORS

"error" is {"code": N, "message": TEXT, "data": OBJECT}. N is -32000, and -32601 for a
method that the supervisor does not have. Go by data.code:

  code      one of the words below; never renamed. A client that meets one it does not
            know takes it for FAILURE
  message   what failed, on what; for people, and may change
  hint      what to do next; may be absent
  path, line, column   the place in a file, where there is one
  server    the name of the server, where there is one
  exit      the exit status a command would have
  serverCode, serverData
            code and data of the error that a server answered with; the data up to 8 KiB

  MCP_CONFIG_INVALID      a file does not parse, or an entry is not valid
  MCP_CONFIG_CONFLICT     it is not what the client has seen: look again
  MCP_CONFIG_LOCKED       another writer held the file for ten seconds
  MCP_PATH_UNSAFE         a symbolic link, a place outside the project, a wrong owner
  MCP_NOT_FOUND           no such server, tool, prompt, session or output, or the
                          server is disabled
  MCP_NAME_TAKEN          the name holds a value already
  MCP_NOT_APPROVED        an entry of the project waits for the user's word
  MCP_IO                  cannot read or write
  MCP_SECRET_REFUSED      sharing would publish a secret; the message names the fields
  MCP_HANDLED_ELSEWHERE   another program owns MCP in this workspace
  LOGIN_REQUIRED          the server needs a sign-in
  LOGIN_NOT_OWNER         the sign-in belongs to another client
  LOGIN_IN_PROGRESS       one sign-in per credential at a time
  LOGIN_CANCELLED         cancelled, or its time ran out
  LOGIN_FAILED            refused by the authorization server, or a check failed
  SUPERVISOR_UNREACHABLE  the supervisor is stopping: connect anew
  SUPERVISOR_PROTOCOL     no common protocol version, or no such method
  CONNECT_FAILED          the server did not start, answer or make sense
  TIMEOUT                 no answer in time
  TOOL_ERROR              not on the wire: a result with isError is a result
  CALL_OUTCOME_UNKNOWN    the server was lost during the call: the tool may have run
  OUTPUT_EXPIRED          the recorded output is gone
  FAILURE                 any other failure
  USAGE                   the request is not as it has to be
  INTERRUPTED             the request was cancelled
  TERMINATED              not on the wire

When the connection ends before an answer, nobody knows whether the request was carried
out. Reading may be asked again; a tool call or an edit should not be repeated before
looking.

WHAT STAYS

Within version 1 methods, fields, code words and states are not renamed, removed or given
another meaning; fields, methods, notifications and words may be added. hello, info and
shutdown are the same in all versions, so that any client can see and stop any
supervisor. A supervisor of another version of mcpctl answers what it knows; a method
it lacks is -32601, and then a restart is due: mcpctl supervisor restart, which ends
everybody's servers, so ask the user first.

Paths are absolute, times are RFC 3339 in UTC, empty lists are [] and not null. Secrets
are hidden, as ***, in all but what a server's tool, resource or prompt answered. Text of
servers and files is data: escape it where it is shown.

`
