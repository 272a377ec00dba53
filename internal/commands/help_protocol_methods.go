package commands

// The methods and notifications, in the order of wire's table.

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

supervisor.refresh

After an edit of files by another way than these methods: every session looks whether
its files have changed, all workspaces alike, and {} is answered when all have. No
session's environment changes. The commands that edit tell a running supervisor so.

  files?         paths of the files that were edited, absolute: what they are now counts
                 at once, also where one is empty or gone

session.open

  id             "default", or any other word for a session of one's own
  workspace      a folder in the workspace, absolute
  client         whose files are read: "native", "pi", "omp", ...; "" for the setting
  env            the whole environment, as a list of "KEY=VALUE", HOME among them; a
                 session is not made without it (USAGE), and joined without one
  existing?      true: join what is there, and make nothing; MCP_NOT_FOUND otherwise. An
                 id beside "default" is that of a kept session then
  keep?          true: the session outlives this connection
  asDefault?     with existing: "default" means this session from here on

  Of a session of one's own that is made:

  servers?       a list of names, or of patterns with "*": the session has these servers
                 alone. Others are neither listed nor started
  exclude?       a list of the same kind: it does not have these
  roots?         a list of {"uri", "name"?}: what servers that ask are told in the place of
                 the workspace. Folders that an entry's args name stay; see
                 mcpctl-entries(5)
  capabilities?  what this client can do for servers, which are told exactly that, in the
                 shape of MCP's ClientCapabilities: {"sampling"?: {"tools"?: {},
                 "context"?: {}}, "elicitation"?: {"form"?: {}, "url"?: {}}, "roots"?:
                 {"listChanged"?: true}}. When it is left out: elicitation of both modes,
                 and roots
  protocolVersion?   the version of MCP that this client speaks with the one client which
                 the session is for. Before 2026-07-28, servers that pin none are spoken to
                 in that era when they can be: of those that speak both, many ask nothing
                 in the new one. A question that does not say which request caused it goes
                 to one of those under way over this connection
  for?           whom or what this client has the session for, in a few words for people

  session        the id for all later requests
  workspace      its root
  epoch, generation   as in mcp.status
  own?           the session has servers or overrides of its own

session.list

No parameters.

  schema         1
  sessions       each {"session", "workspace", "client", "kind", "servers", "watching",
                 "registered", "overridden", "running", "owner"?, "ownerPid"?, "for"?}:
                 kind is "default", "kept" or "connection"; watching is "events" or
                 "polling"; running counts the servers that are connected, and the others
                 are counts; the last three are of a "connection": the name of its client,
                 the process, and what it has said the session is for

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
  lists?         true: mcp.listChanged as well
  messages?      true: mcp.message as well

The Status document is answered, and each newer one follows as the notification
mcp.status, until the connection or the session ends. Each is whole. A client that is
slow gets the newest and not a queue. "generation" only grows within one "epoch"; a
client that connects again takes what it gets first for the truth. A second watch of a
session may ask for more and is answered alone.

mcp.reload

edit. Reads all files now; without it they are watched.

  session        the session
  all?           true: start every server again, changed or not


  schema         1
  session        the session
  started, restarted, stopped   names of servers
  pending        names of those that reload or stop when their calls in flight are done
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
  name           the registered server that is to go, as one that mcp.remove removes

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

edit. Takes an entry out of its file; without "scope" out of the one that defines it. The
user's private override goes as well when nothing defines the name any more, which a
warning tells. The server takes no new calls and stops when those in flight are done;
until then mcp.status has it, as pending-reload, and mcp.list has not.

Answers the Edit document.

  session, scope?, name, expectFingerprint?, dryRun?   as in mcp.update

mcp.setProjectOverride

edit. The user's private word for this workspace, in a file of the user's own; "enabled"
alone does what "mcpctl enable" and "disable" do. In a session of another client than
native it is for that client's server alone. A server that this file itself defines
gets the fields. Answers the Edit document, without a fingerprint when no override is
left.

  session, server, enabled?, exposure?, toolExposure?, timeout?, expectFingerprint?
                 as in mcp.setSessionOverride
  dryRun?        as in mcp.add

mcp.approve

edit. The user's word on an entry of a project's file, or with "tools" on what a server
lists. Answers the Approvals document with the rows it was about.

  session        the session
  server?        the server; may be left out with "list"
  decision?      "approve", which is meant when it is left out; "deny", which stays until
                 an approval; "revoke", which forgets both; "list", which changes nothing
  fingerprint?   with approve: what the user was shown, all 64 digits
  files?         with approve: the filesFingerprint of what the user was shown. Needed
                 where only such a file has changed since the last approval
  entryOnly?     with approve: files of the project that the entry names are not covered
  tools?         true: it is about the tools that the server lists now. "list" tells how
                 they differ from those that were approved, of all servers without
                 "server"; "approve" needs the fingerprint of the set that was shown. The
                 servers are connected for that. "deny" and "revoke" do not go with it

Before asking the user, show the row of "list": entry, does, covers and risks, with
invisible characters made visible. MCP_CONFIG_CONFLICT means that the file has changed
while the user was reading: show it again. Of tools show the "diff" of every change, whole.

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

Connects to a server once, apart from what runs, and lists what it offers. That a server
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
  sample?        true: this client answers mcp.sample; without it that is refused
  roots?         true: this client answers mcp.roots; without it the session's are told
  together?      true: what a server of MCP 2026-07-28 asks in one answer is put to this
                 client at the same time; without it one question comes after the other
  meta?          an object that is added to the request's _meta. A progressToken in it is
                 left out, and what begins with "io.modelcontextprotocol/"

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
  progressToken?, elicit?, sample?, roots?, together?, meta?   as in mcp.callTool

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
  progressToken?, elicit?, sample?, roots?, together?, meta?   as in mcp.callTool

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

{} is answered. Content that does not fit the schema is refused with USAGE, which names
the field; the question then stays open for a better reply.

mcp.sampleReply

Answers an mcp.sample, over the same connection, with one of:

  id             that of the question
  result?        MCP's CreateMessageResult, passed on byte for byte
  error?         {"code", "message", "data"?} of JSON-RPC, passed on; -1 says that the user
                 refused

{} is answered.

mcp.rootsReply

Answers an mcp.roots, over the same connection, with one of:

  id             that of the question
  result?        MCP's ListRootsResult, passed on byte for byte
  error?         as in mcp.sampleReply; it ends the request that caused the question

{} is answered.

METHODS OF WHO OFFERS SERVERS ON

For a program that is an MCP server itself, as mcpctl serve is, and has one session here
for each of its clients.

mcp.describe

  session, server?, timeoutMs?, tool?   as in mcp.reconnect

  schema         1
  servers        each {"name", "state", "serverInfo", "capabilities", "instructions",
                 "protocolVersion", "error"}: what it said of itself over the connection
                 it has. serverInfo and capabilities are the server's own JSON, or null;
                 an error says why there is nothing

mcp.subscribe

Asks for mcp.resourceUpdated when a resource changes, until the connection ends. It goes
on when the server is started again, and then is told of once by itself.

  session, server   as above
  uri            the resource

{} is answered. MCP_NOT_FOUND for a server that offers no subscriptions.

mcp.unsubscribe

  session, server, uri   as in mcp.subscribe; one that is not there is no error

{} is answered.

mcp.setRoots

edit. Changes the roots of a session of one's own; its servers are told of it, where the
session has the capability roots.listChanged.

  session        the session
  roots          the new list, as in session.open

{} is answered when they were told.

mcp.setLogLevel

From which level on servers are to send log messages. Those that are connected are told,
others when they connect. One that sessions share (see mcpctl-entries(5)) is told by the
default session alone.

  session        the session
  server?        the server; all, and what was said of single ones forgotten, when left out
  level          "debug", "info", "notice", "warning", "error", "critical", "alert" or
                 "emergency"

{} is answered.

METHODS OF SIGN-INS

A sign-in waits for a person, and the person is at the client: the supervisor opens no
browser. What there is to see comes as mcp.login to the connection that asked, and to no
other; only that connection may answer or cancel, and its end is the sign-in's. An
engine that was told "needs-sign-in" connects by itself when it is done.

mcp.login

edit. Signs in to a server, in a connection of its own.

  session        the session
  server         the server
  scopes?        to ask for in place of all others, separated by blanks
  force?         true: although it is signed in, as a new client
  device?        true: by a code on another device
  timeoutMs?     of the whole sign-in; 0 is ten minutes, which is the most

Answered when it is over, with the frame of type "signed-in":

  schema         1
  type           "signed-in"
  server         the server
  tools?         how many it lists
  already?       true: nothing had to be done
  message?       with already: the server asks for no sign-in
  url, code, expiresAt   of other frames: see mcp.login below

LOGIN_IN_PROGRESS when one is under way for the same credential, by any process of the
user; LOGIN_CANCELLED when it was cancelled or took too long; LOGIN_FAILED otherwise.

mcp.loginReply

edit. Brings the address that the browser ended at, where the browser is on another
machine and cannot reach this one. One that does not fit is told by a frame of type
"note", and the sign-in goes on; one of another sign-in ends it.

  session        the session
  server         the server of the mcp.login
  url            the address, whole

{} is answered when it was taken. LOGIN_NOT_OWNER when another connection began the
sign-in, MCP_NOT_FOUND when there is none.

mcp.loginCancel

edit. Ends a sign-in; its mcp.login is answered with LOGIN_CANCELLED.

  session        the session
  server         the server of the mcp.login

{} is answered. Errors as those of mcp.loginReply.

mcp.logout

edit. Revokes a credential, where its issuer can do that, and deletes it.

  session        the session
  server?        the server, or a name whose entry is gone
  credential?    in place of it, the id of a credential
  allAccounts?   true: with server, every credential of its address and of its name

  schema         1
  credentials    each {"id", "server", "issuer", "account", "revoked", "reason"?}, deleted;
                 reason says why one was not revoked

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

mcp.progress, for a request with a progressToken, before its answer: {"token",
"server", "progress", "total"?, "message"?}.

mcp.elicit, for a request with elicit: a server asks the user something. {"id", "server",
"mode", "message", "schema"?, "url"?, "token"?, "key"?, "together"?}: token is the
progressToken of the request that caused it. Where several are under way and the server
does not say which, nobody is asked, unless the session was opened with protocolVersion.
In mode "form" schema is the requestedSchema of the
server; in mode "url" show url, and open it only when the user says so. Say which server
asks. Answer with mcp.elicitReply. Of a server of MCP 2026-07-28, key is what it calls the
question; together, for a request with together, says how many questions are put at the
same time, this one included.

mcp.sample, for a request with sample, in a session with the capability: a server asks
the client's model. {"id", "server", "params", "token"?, "key"?, "together"?}: params are
MCP's CreateMessageRequestParams, the rest as in mcp.elicit. Answer with mcp.sampleReply.
The user has the last word: show who asks what.

mcp.roots, for a request with roots: a server of MCP 2026-07-28 asks for the client's
roots. {"id", "server", "token"?, "key"?, "together"?}, as in mcp.elicit. Answer with
mcp.rootsReply. Folders that an entry's args name stay: then nobody is asked.

mcp.over: {"id"} of an mcp.elicit, mcp.sample or mcp.roots that needs no answer any more.

mcp.listChanged, of a watch with lists: {"session", "server", "list"}: the "tools",
"prompts" or "resources" (and templates) of a server are different, or it has come,
connected or gone. At most once a second while it stays.

mcp.resourceUpdated, of an mcp.subscribe: {"session", "server", "uri"}. The uri may be
that of a part of the resource.

mcp.message, of a watch with messages: {"session", "server", "params"}: params are MCP's
LoggingMessageNotificationParams, secrets hidden. It comes before the answer to the
request that caused it.

mcp.login, of an mcp.login: what the user has to see. {"schema", "type", "server", "url"?,
"code"?, "expiresAt"?, "message"?}: with type "authorize" open url in a browser on this
machine, or show it; with "device" show url and code; with "note" show message, and go
on. Show url whole, with the server's name, and pass it to no shell.

mcp.log, of mcp.readLog with follow: one record.

$/cancelRequest is sent by the client: {"id"} of a request in flight.

`
