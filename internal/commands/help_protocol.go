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

  mcpctl supervisor start --json
  mcpctl supervisor status --json

The supervisor may leave when nobody has been connected for a while, and may be stopped
or replaced. A client that wants it then runs "supervisor start" again and connects
anew. Only processes of the same user are let in, and none that a server of the
supervisor has started.

FRAMING

One JSON object in UTF-8 per line, without a line break in it, ended by a line feed. A
line has at most 16 MiB and 64 KiB; a longer one ends the connection, and so does one
that is no JSON-RPC message. Batches are not spoken. "id" is a number or a string,
chosen by who asks. "params" is always an object, and is left out where a method has
none. An object in which a key stands twice, or in another spelling than here, is
refused with USAGE; what is passed on, such as a tool's arguments, is not looked into,
and reaches the server byte for byte.

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
sends it: a server that runs with other values is started again with these.

An editor opens a session of its own with any other id, such as "new"; the answer has
the id that names it from then on. It belongs to the connection, and what it registers
or overrides nobody else sees. With "keep" it stays until session.close, and other
connections join it.

The workspace of a session is found as a command finds it: the folder that is given, or
the first one above it that holds a project file or a .git.

ORDER

Requests of a connection are begun in the order they were sent. Those that need not
wait (supervisor.*, session.open and list, mcp.list, status, reload, register,
unregister and setSessionOverride) are answered before the next is begun. All others are answered when they are done, in any order; look at the id.
When an edit is answered the session has seen it: an mcp.list behind the answer shows
it. Two edits that depend on each other are sent one after the other's answer.

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

  MCP_CONFIG_INVALID      a file does not parse, or an entry is not valid
  MCP_CONFIG_CONFLICT     it is not what the client has seen: look again
  MCP_CONFIG_LOCKED       another writer held the file for ten seconds
  MCP_PATH_UNSAFE         a symbolic link, a place outside the project, a wrong owner
  MCP_NOT_FOUND           no such server, tool, session or output
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

const protocolMethods = `METHODS OF THE SUPERVISOR AND OF SESSIONS

Parameters are named first, then the result. Those with "?" may be left out.

supervisor.hello

  client         {"name", "version"} of the program that connects
  protocol       {"min", "max"}: the versions it speaks, from and to; this is 1

  supervisor     {"name", "version"}
  pid            its process
  epoch          names this run of the supervisor
  protocol       the version that is spoken from here on, a number

SUPERVISOR_PROTOCOL when there is none in common; every request is answered so then.

supervisor.info

No parameters. The document of "mcpctl supervisor status":

  schema         1, as in every document
  running        true
  pid, version, epoch   as in hello
  protocol       {"min", "max"} of what it speaks
  socket         the path of the socket
  startedAt      when it began
  clients        how many are connected
  sessions       as in session.list

supervisor.shutdown

No parameters; {} is answered, and then all servers are stopped and every connection is
closed. The very last that happens is the end of this connection.

session.open

  id             "default", or any other word for a session of one's own
  workspace      a folder in the workspace, absolute
  client         whose files are read: "native", "pi", "omp", ...; "" for the setting
  env            the whole environment, as a list of "KEY=VALUE"
  existing?      true: join what is there, and make nothing; MCP_NOT_FOUND otherwise. An
                 id beside "default" is that of a kept session then
  keep?          true: the session outlives this connection
  asDefault?     with existing: "default" means this session from here on

  session        the id for all later requests
  workspace      its root
  epoch, generation   as in mcp.status
  own?           the session has servers or overrides of its own

session.list

No parameters.

  schema         1
  sessions       each {"session", "workspace", "client", "kind", "servers", "watching",
                 "registered", "overridden"}: kind is "default", "kept" or "connection";
                 watching is "events" or "polling"; the others are counts

session.close

edit.

  session        the session: the default one, one of the connection's own, or a kept one;
                 its servers are stopped before {} is answered

`

const protocolUse = `METHODS OF FILES AND STATES

Every one of these has the parameter "session".

mcp.list

  session        the session
  all?           true: with what is never in force

The List document: all servers of the files, with the live state of those in force.

mcp.status

  session        the session

The Status document, once.

mcp.watch

  session        the session

The Status document is answered, and each newer one follows as the notification
mcp.status, until the connection or the session ends. Each is whole. A client that is
slow gets the newest and not a queue. "generation" only grows within one "epoch"; a
client that connects again takes what it gets first for the truth.

mcp.reload

edit. Reads all files now; without it they are watched.

  session        the session
  all?           true: start every server again, changed or not


  schema         1
  session        the session
  started, restarted, stopped   names of servers
  pending        names of those that reload when their calls in flight are done
  problems       as in the List document

mcp.reconnect

  session        the session
  server         the server to start again, whatever its state
  timeoutMs?     0 is a minute
  tool?          not used

{} when it is connected.

mcp.register

edit. Adds a server to this session alone, above every file, until the session ends.

  session        the session
  name           the server's name
  entry          as in a file: see mcpctl-entries(5). A value "!command" is refused
  replace?       true: replace the one this session registered under the name

{} is answered.

mcp.unregister

edit.

  session        the session
  name           the registered server that is to go

{} is answered.

mcp.setSessionOverride

edit. Sets fields on top of a server, in this session alone; a server that is switched
off ends when it is idle.

  session        the session
  server         the server; not one that the session registered
  enabled?       true, false, or null to take the field away
  exposure?      a text, or null
  toolExposure?  an object, or null
  timeout?       as in an entry, or null
  expectFingerprint?   of the server, as mcp.list shows it

{} is answered. The dryRun of mcp.setProjectOverride is refused here.

mcp.add

edit. Adds an entry to a file. In a project's file it is approved: its author is the
user. Answers the Edit document.

  session        the session
  scope?         "user", "project" or "local"; "user" when left out
  name           the server's name
  entry          the entry, written as it stands
  replace?       true: replace the entry of exactly this name
  expectFingerprint?   with replace: the entry must still be this one
  dryRun?        true: write nothing, and answer what would change

mcp.update

edit. Changes fields of an entry and nothing else. An approved entry stays approved.
Answers the Edit document.

  session        the session
  scope?         needed where several files define the name
  name           the server's name
  set?           an object of paths and values, such as {"env.LEVEL": "debug"}; written in
                 this order. A dot in a key is written '\.'
  unset?         a list of paths, taken away first; they need not be there
  entry?         in the place of set and unset: the whole entry
  expectFingerprint?   the entry must still be this one
  dryRun?        as in mcp.add

mcp.remove

edit. Takes an entry out of its file. Answers the Edit document.

  session, scope?, name, expectFingerprint?, dryRun?   as in mcp.update

mcp.setProjectOverride

edit. The user's private word for this workspace, in a file of the user's own; "enabled"
alone does what "mcpctl enable" and "disable" do. A server that this file itself defines
gets the fields. Answers the Edit document, without a fingerprint when no override is
left.

  session, server, enabled?, exposure?, toolExposure?, timeout?, expectFingerprint?
                 as in mcp.setSessionOverride
  dryRun?        as in mcp.add

mcp.approve

edit. The user's word on an entry of a project's file. Answers the Approvals document
with the rows it was about.

  session        the session
  server?        the server; may be left out with "list"
  decision?      "approve", which is meant when it is left out; "deny", which stays until
                 an approval; "revoke", which forgets both; "list", which changes nothing
  fingerprint?   with approve: what the user was shown, all 64 digits
  files?         with approve: the filesFingerprint of what the user was shown. Needed
                 where only such a file has changed since the last approval
  entryOnly?     with approve: files of the project that the entry names are not covered

Before asking the user, show the row of "list": entry, does, covers and risks, with
invisible characters made visible. MCP_CONFIG_CONFLICT means that the file has changed
while the user was reading: show it again.

mcp.shareWithRepo

edit. Copies an entry of the user's, or a private override, into the project's file, for
colleagues. Answers the Share document.

  session        the session
  server         the server
  scope?         "user" or "local": where it comes from; needed where both have the name
  envPlaceholders?   true: put references to variables in the place of secrets
  expectFingerprint?   the entry must still be this one
  dryRun?        as in mcp.add

mcp.testConnection

Connects to a server once, apart from what runs, and lists its tools. That a server
fails is a result and not an error. Answers the Test document.

  session        the session
  server?        the server; all that are enabled and in force when left out
  timeoutMs?     of the whole test of one server; 0 is the entry's own
  tool?          not used

METHODS THAT USE SERVERS

A server that is not connected is started first. "server" may be left out in the lists,
for all. What a server sent stands in them byte for byte, as the MCP specification has it.

mcp.listTools

  session, server?, timeoutMs?   as in mcp.reconnect
  tool?          only the tools of this name

The Tools document.

mcp.callTool

  session, server   as above
  tool           the tool's name, as its server has it
  arguments?     an object for the tool, passed on byte for byte
  timeoutMs?     the limit without progress; 0 is the entry's own
  progressToken?   a text: progress is sent as mcp.progress with it
  elicit?        true: this client answers mcp.elicit; without it questions are declined

The call is sent to the server once and never repeated. The result:

  schema, server, tool   1, and what was asked
  result         the CallToolResult of the server; its isError says that the tool failed
  outputId       for mcp.readOutput; null when it was not recorded
  truncated      the result here is not whole
  warning?       why it was not recorded
  ms             how long it took

mcp.listResources

  session, server?, timeoutMs?, tool?   as in mcp.reconnect

  schema         1
  servers        each {"name", "state", "resources", "templates", "error",
                 "templatesError"?}; an error says why a list is empty

mcp.readResource

  session, server, timeoutMs?   as above
  uri            the resource

  schema, server, uri   1, and what was asked
  result         the ReadResourceResult of the server
  ms             how long it took

mcp.listPrompts

  session, server?, timeoutMs?, tool?   as in mcp.reconnect

  schema         1
  servers        each {"name", "state", "prompts", "error"}

mcp.getPrompt

  session, server, timeoutMs?   as above
  prompt         its name
  arguments?     an object of texts

  schema, server, prompt   1, and what was asked
  result         the GetPromptResult of the server
  ms             how long it took

mcp.complete

  session, server, timeoutMs?   as above
  prompt?        the prompt, or
  template?      the uriTemplate of a resource
  argument       the argument that is completed
  value          what is typed of it
  context?       an object of texts: the arguments that are known

  schema, server   1, and what was asked
  values         a list of texts
  total          how many there are, or null
  hasMore        there are more than these

mcp.elicitReply

Answers an mcp.elicit, over the same connection.

  id             that of the question
  action         "accept", "decline" or "cancel"
  content?       with accept, in form mode: an object; what it leaves out gets the
                 defaults of the schema

{} is answered.

METHODS OF RECORDS

These need no session.

mcp.readOutput

  id             an outputId

  schema, id, time, workspace, server, tool   1, and which call it was
  arguments      of the call, secrets hidden
  result         as the server sent it

mcp.readLog

  server?        of this server alone
  level?         at least as severe as "debug", "info", "notice", "warning", "error", ...
  since?         not older than this time
  last?          at most so many, the newest
  follow?        true: each further record comes as mcp.log until the connection ends; one
                 such request at a time

  schema         1
  records        each {"time", "server", "level", "logger", "text"}, oldest first
  leftOut?       how many of the oldest had no room in one message

NOTIFICATIONS

mcp.status, of a watch: the Status document. "ended": true is the last of a session.

mcp.progress, for a call with a progressToken: {"token", "server", "progress", "total"?,
"message"?}.

mcp.elicit, for a call with elicit: a server asks the user something. {"id", "server",
"mode", "message", "schema"?, "url"?}: in mode "form" schema is the requestedSchema of the
server; in mode "url" show url, and open it only when the user says so. Say which server
asks. Answer with mcp.elicitReply.

mcp.log, of mcp.readLog with follow: one record.

$/cancelRequest is sent by the client: {"id"} of a request in flight.

`

const protocolDocuments = `DOCUMENTS

They are what the commands print with --json; "mcpctl schema --output VERB" has their JSON
Schemas.

List: {"schema", "workspace", "client", "handledElsewhere", "supervisor", "servers",
"problems"}. handledElsewhere is null, or {"owner", "reason", "source"}, and then no
server is run here. supervisor is {"running", "pid", "version"}. Of each server:

  name, scope, client   its name; "user", "project", "local" or "session"; whose file
  source, line, column  where the entry stands
  inForce        it is the one that counts; another of its name may wait for approval
  role?          with all: why it is never in force
  transport      {"type": "stdio", "command", "args", "cwd"}, {"type": "http", "url"}, or
                 the same with "sse"; null for an entry that is not valid
  enabled, exposure, description   as in the entry, overrides counted in
  fingerprint    of the definition; for expectFingerprint and mcp.approve
  approval       "not-needed", "pending", "approved", "changed" or "denied"
  covers         how many files of the project the approval covers
  state, detail, tools, updatedAt   as in the Status document
  overrides      each {"scope", "source", "fields"}, strongest first
  shadows        each {"scope", "source", "line", "fingerprint"}: definitions that it hides
  problems       of this entry

Of each problem: {"code", "severity", "source", "line", "column", "server", "message",
"hint"}; severity is "error" or "warning", server a name or null.

Status: {"schema", "workspace", "session", "epoch", "generation", "servers", "problems",
"ended"?}. Of each server:

  name           each name once
  state          not-running, starting, connected, needs-sign-in, failed, disconnected,
                 disabled, disabled-in-project, disabled-in-session, pending-approval,
                 pending-reload, invalid-config, handled-elsewhere or stopped
  detail         why, for people
  tools          how many, or null until they were listed
  pid?           of a stdio server
  updatedAt      when the state came, or null

Edit: {"schema", "name", "from"?, "scope", "source", "fingerprint"?, "unchanged",
"dryRun"?, "diff"?, "warnings"}. fingerprint is the entry's afterwards; unchanged says that
there was nothing to do; diff is unified, secrets hidden. Of each warning: {"message",
"hint"?}.

Share: Edit, and {"from", "variables", "leftOut"}: from is {"scope", "source", "line"} of
the entry that was copied and stays; of each variable that has to be set now {"name",
"field"}; leftOut names fields that mean nothing to anybody else.

Approvals: {"schema", "servers"}. Of each entry of a project's file:

  name, source, line    where it stands
  approval, reason      as in the List document, and why
  fingerprint    for mcp.approve
  covers         the files of the project that an approval covers
  filesFingerprint   over these files, for "files"; "" when there are none
  does           what it runs, which variables it reads and where they go
  risks          what is remarkable about that
  hidden         fields of the entry whose value is not shown whole
  entry          the entry, secrets hidden

Test: {"schema", "results"}. Of each server: {"name", "ok", "state", "protocolVersion",
"server", "tools", "resources", "prompts", "ms", "error", "warnings"}: server is {"name",
"version"} as it calls itself, tools are names, error is null or as the data of an error.

Tools: {"schema", "servers"}; of each server {"name", "state", "tools", "error"}; of each
tool {"name", "joined", "definition", "unusable"?}: joined tells the tools of several
servers apart, definition is what the server sent, unusable says why it cannot be called.

`

const protocolExample = `A DIALOGUE

">" is sent by the client and "<" by the supervisor. In truth each message is one line.

  > {"jsonrpc": "2.0", "id": 0, "method": "supervisor.hello", "params":
     {"client": {"name": "my-editor", "version": "1.0"}, "protocol": {"min": 1, "max": 1}}}
  > {"jsonrpc": "2.0", "id": 1, "method": "session.open", "params": {"id": "default",
     "workspace": "/w", "client": "native", "env": ["HOME=/h", "PATH=/usr/bin:/bin"]}}
  > {"jsonrpc": "2.0", "id": 2, "method": "mcp.watch", "params": {"session": "default"}}
  < {"jsonrpc": "2.0", "id": 0, "result": {"supervisor": {"name": "mcpctl",
     "version": "0.1.0"}, "pid": 4711, "epoch": "0123456789abcdef", "protocol": 1}}
  < {"jsonrpc": "2.0", "id": 1, "result": {"session": "default", "workspace": "/w",
     "epoch": "0123456789abcdef", "generation": 7}}
  < {"jsonrpc": "2.0", "id": 2, "result": {"schema": 1, "workspace": "/w",
     "session": "default", "epoch": "0123456789abcdef", "generation": 7, "servers":
     [{"name": "db", "state": "pending-approval", "tools": null, "updatedAt": null,
     "detail": "it comes from the project and nobody has approved it yet"}],
     "problems": []}}

The user is to decide. The editor shows what there is to know, and sends back the
fingerprints of what it has shown.

  > {"jsonrpc": "2.0", "id": 3, "method": "mcp.approve", "params":
     {"session": "default", "decision": "list", "server": "db"}}
  < {"jsonrpc": "2.0", "id": 3, "result": {"schema": 1, "servers": [{"name": "db",
     "source": "/w/.mcp.json", "line": 4, "approval": "pending",
     "reason": "it comes from the project and nobody has approved it yet", "fingerprint":
     "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
     "covers": ["tools/db.js"], "filesFingerprint":
     "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
     "does": ["runs /usr/bin/node"], "hidden": [], "risks": [],
     "entry": {"command": "node", "args": ["./tools/db.js"]}}]}}
  > {"jsonrpc": "2.0", "id": 4, "method": "mcp.approve", "params":
     {"session": "default", "server": "db", "fingerprint":
     "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "files":
     "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"}}
  < {"jsonrpc": "2.0", "method": "mcp.status", "params": {"schema": 1, "workspace": "/w",
     "session": "default", "epoch": "0123456789abcdef", "generation": 8, "servers":
     [{"name": "db", "state": "starting", "detail": "", "tools": null,
     "updatedAt": "2026-09-30T12:00:00.25Z"}], "problems": []}}
  < {"jsonrpc": "2.0", "id": 4, "result": {"schema": 1, "servers": [{"name": "db",
     "source": "/w/.mcp.json", "line": 4, "approval": "approved", "reason": "",
     "fingerprint":
     "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
     "covers": ["tools/db.js"], "filesFingerprint":
     "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
     "does": ["runs /usr/bin/node"], "hidden": [], "risks": [],
     "entry": {"command": "node", "args": ["./tools/db.js"]}}]}}
  < {"jsonrpc": "2.0", "method": "mcp.status", "params": {"schema": 1, "workspace": "/w",
     "session": "default", "epoch": "0123456789abcdef", "generation": 10, "servers":
     [{"name": "db", "state": "connected", "detail": "", "tools": 2, "pid": 4720,
     "updatedAt": "2026-09-30T12:00:00.5Z"}], "problems": []}}

A call, a call of a tool that is not there, and an edit of an entry that is another one
by now.

  > {"jsonrpc": "2.0", "id": 5, "method": "mcp.callTool", "params": {"session": "default",
     "server": "db", "tool": "query", "arguments": {"sql": "select 1"}}}
  < {"jsonrpc": "2.0", "id": 5, "result": {"schema": 1, "server": "db", "tool": "query",
     "result": {"content": [{"type": "text", "text": "1"}]}, "outputId": null,
     "truncated": false, "ms": 12}}
  > {"jsonrpc": "2.0", "id": 6, "method": "mcp.callTool", "params": {"session": "default",
     "server": "db", "tool": "qery"}}
  < {"jsonrpc": "2.0", "id": 6, "error": {"code": -32000,
     "message": "server 'db' has no tool 'qery'", "data": {"code": "MCP_NOT_FOUND",
     "message": "server 'db' has no tool 'qery'", "hint": "did you mean 'query'?",
     "server": "db", "exit": 14}}}
  > {"jsonrpc": "2.0", "id": 7, "method": "mcp.update", "params": {"session": "default",
     "name": "db", "set": {"timeout": "30s"}, "expectFingerprint":
     "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}}
  < {"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "'db' is not the entry
     that was reviewed", "data": {"code": "MCP_CONFIG_CONFLICT", "message": "'db' is not
     the entry that was reviewed", "hint": "look at it again with: mcpctl show db",
     "path": "/w/.mcp.json", "line": 4, "column": 5, "server": "db", "exit": 11}}}`
