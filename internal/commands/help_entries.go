package commands

// entriesTopic explains every field of an entry; a test holds it to the schema.
const entriesTopic = `The entry of one server, a member of "mcpServers" in a file of servers.

  "files": {"command": "npx", "args": ["-y", "pkg@1.2.3", "~/notes"], "env": {"KEY": "${KEY}"}}
  "docs":  {"type": "http", "url": "https://mcp.example.com/mcp", "timeout": "30s"}

How the server is spoken to. An entry has a command or a url; with both, the type
decides, and the other is ignored.

  type          stdio, http, streamable-http (which is http), or sse, the old transport.
                Without it a command means stdio and a url http.
  command       stdio: the program, by name or path. One word, never a shell line.
  args          stdio: its arguments, a list of strings.
  env           stdio: variables for the program, beside the base set; see inheritEnv.
  cwd           stdio: the folder it starts in. Default: the workspace. That of a project's
                entry must stay inside the project.
  inheritEnv    stdio: which variables of the session reach the program as well: a list
                of names, or true for all. The base set always does; see: mcpctl help
                environment.
  url           http and sse: the address, with http:// or https:// in front.
  headers       http and sse: headers of every request.
  oauth         http and sse: how to sign in, where the server asks for it: clientId,
                clientSecret, clientName, callbackPort, callbackUrl, scope, account,
                clientRegistration (auto, dcr or cimd), clientMetadataUrl,
                authServerMetadataUrl, grant (authorization_code, client_credentials or
                device_code). For client_credentials without a secret: privateKey, a
                key as PEM, and signingAlgorithm, such as ES256. What a project's file
                cannot set: privateKeyFile, the file the key stands in; allowPrivate,
                which lets the sign-in reach private addresses; and allowLegacy, which
                takes a server that publishes no metadata, or does not say S256.
  auth          {"type": "oauth", "credentialId": ID}: the stored credential to use. Not
                honoured in a project's file.
  protocolVersion  the first version of the protocol to offer. Default: negotiated.

What mcpctl does with it.

  enabled       false switches the server off. "disabled": true, as other programs
                write it, is the same. Default: enabled.
  timeout       the limit of one request, renewed by progress up to ten times. A text has
                a unit: "30s", "1500ms". A number below 1000 is seconds, and from 1000 on
                milliseconds, because programs disagree. At most 24 hours. Default: 60 s.
  lifecycle     eager connects when the session opens, and is the default; lazy on first
                use; keep-alive is eager, and the supervisor does not leave for being
                idle while it has such a server.
  shared        true: sessions beside the default one, as each client of mcpctl serve has
                one, use the default session's connection instead of one of their own,
                as long as the values come out the same. Only for a server that keeps
                nothing about who speaks to it. What it asks by itself is declined where
                it cannot be told whom it asks. The default session is opened for
                it, with its other eager servers, and stays. Default: false.
  description   one line for people.
  exposure      how a program that offers the tools to a model does so: direct, as they
                are, which is the default; deferred, to be searched for; hidden, not at
                all. codemode and codemode-deferred, as other programs write it, are
                deferred.
  toolExposure  the same for single tools: {"search": "direct", "drop_*": "hidden"}. An
                exact name counts before a pattern, and among patterns the first.

A server that asks where it may work (its roots) is told the workspace. One whose args
name folders that exist - absolute, with ~/ or with ./ in front, from its cwd - is told
those instead: some servers let the roots take the place of their arguments, and what
you wrote there must be neither widened nor lost. A test tells a server no roots and
answers no questions (elicitation), so that it may list other tools there.

An entry without command, url and type is an override: it changes the server of its name
in the file below it, and holds nothing but enabled, timeout, exposure and toolExposure.
It stands in a project's or a local file; mcpctl enable and disable write one. In the
local file those below mcpServers are for the servers of every client, as the file's own
servers are; those below clients.NAME.mcpServers are for the servers of one client alone,
and lie on top.

Values of command, args, env, cwd, url, headers, oauth.clientSecret and oauth.privateKey
may hold ${NAME} and ${NAME:-default}, and ~/ in front is the home directory in command,
args, cwd and oauth.privateKeyFile; see: mcpctl help environment. Fields that mcpctl
does not know are kept, and count in the fingerprint. A known one in another spelling,
such as "URL", makes the entry invalid.

mcpctl schema prints all this for editors.`
