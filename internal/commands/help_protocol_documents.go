package commands

// The documents that several methods answer, and an example of it all.

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
  state, detail, tools, toolsChanged?, updatedAt   as in the Status document
  overrides      each {"scope", "source", "client"?, "fields"}, strongest first;
                 client: in the local file, the one whose servers alone it is for
  shadows        each {"scope", "source", "line", "fingerprint"}: definitions that it hides
  problems       of this entry

Of each problem: {"code", "severity", "source", "line", "column", "server", "message",
"hint", "rule"?}; severity is "error" or "warning", server a name or null.

Status: {"schema", "workspace", "session", "epoch", "generation", "servers", "problems",
"ended"?}. Of each server:

  name           each name once
  state          not-running, starting, connected, needs-sign-in, failed, disconnected,
                 disabled, disabled-in-project, disabled-in-session, pending-approval,
                 pending-reload, invalid-config, handled-elsewhere or stopped
  detail         why, for people; of needs-sign-in, what to sign in with. Such a server
                 connects by itself after a sign-in made by any process of the user
  tools          how many, or null until they were listed
  toolsChanged?  the tools that are not as they were approved: changed, new and gone ones.
                 With the setting pinTools calls of the first two are refused with
                 MCP_NOT_APPROVED
  pid?           of a stdio server
  updatedAt      when the state came, or null

Edit: {"schema", "name", "from"?, "scope", "source", "fingerprint"?, "unchanged",
"dryRun"?, "diff"?, "warnings"}. fingerprint is the entry's afterwards; unchanged says that
there was nothing to do; diff is unified, secrets hidden. Of each warning: {"message",
"hint"?}.

Share: Edit, and {"from", "variables", "leftOut"}: from is {"scope", "source", "line"} of
the entry that was copied and stays; of each variable that has to be set now {"name",
"field"}; leftOut names fields that mean nothing to anybody else.

Approvals: {"schema", "servers", "tools"?}. Of each entry of a project's file:

  name, source, line    where it stands
  approval, reason      as in the List document, and why
  fingerprint    for mcp.approve
  covers         the files of the project that an approval covers
  filesFingerprint   over these files, for "files"; "" when there are none
  does           what it runs, which variables it reads and where they go
  risks          what is remarkable about that
  hidden         fields of the entry whose value is not shown whole
  entry          the entry, secrets hidden

With "tools" in the request servers is empty, and of each server in tools:

  name           of the server
  fingerprint    of all tools that it lists now, for mcp.approve
  approved       of those that were approved; "" when none are known to be
  origin         how they were: "first-use", "lock-file" or "approved"
  approvedAt     when, or null
  tools          how many it lists
  changes        each {"tool", "change", "from", "to", "diff"}: change is "changed", "new"
                 or "gone", from and to are hashes of definitions, diff is unified and whole
  error          why nothing is known of it, or null

Test: {"schema", "results"}. Of each server: {"name", "ok", "state", "protocolVersion",
"server", "tools", "resources", "prompts", "resourceCount"?, "promptCount"?, "ms", "error",
"warnings"}: server is {"name", "version"} as it calls itself, tools are names, resources
and prompts tell what it announces and the counts what it listed, error is null or as the
data of an error.

Tools: {"schema", "servers"}; of each server {"name", "state", "tools", "error"}; of each
tool {"name", "joined", "definition", "unusable"?, "exposure"?, "changed"?}: exposure is
"deferred" or "hidden" where a gateway does not list it; joined tells the tools of
several servers apart, definition is what the server sent, unusable says why it cannot be
called, changed that it is not as it was approved: "changed" or "new".

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
     "source": "/w/.mcp.json", "line": 4, "column": 3, "approval": "pending",
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
     "source": "/w/.mcp.json", "line": 4, "column": 3, "approval": "approved", "reason": "",
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
