package commands

// lockFileTopic explains mcp.lock.json; a test holds it to the schema.
const lockFileTopic = `The lock file of a project, mcp.lock.json at the workspace root: what the servers of the
project's files were when "mcpctl lock" wrote it. It is committed; "mcpctl check" compares.

  {
    "lockfileVersion": 1,
    "servers": {
      "docs": {
        "fingerprint": "sha256:...",
        "package": {"registry": "npm", "name": "pkg", "version": "1.2.3", "origin": "pinned"},
        "protocolVersion": "2025-11-25",
        "server": {"name": "docs-server", "version": "1.2.3"},
        "tools": {
          "search": {"hash": "sha256:...", "definition": {"name": "search", "inputSchema": {}}}
        }
      }
    }
  }

It is one JSON object, indented by two spaces, keys sorted, with no times and no places of
a machine in it: two changes of it are merged like any text, and a merge that went wrong
is found when it is read. mcpctl writes it as it writes a project's file: under a lock, in
one step, never through a link, and not at all when nothing has changed. What it held
before is kept by version control, and not by "mcpctl history".

  lockfileVersion  1. A file of a higher version is refused, with MCP_CONFIG_INVALID.
  servers          the servers of the project's files, by name.

Of each server:

  fingerprint      of the entry, as "mcpctl fingerprint" prints it.
  package          what its command fetches, the first of several; missing where it fetches
                   nothing that mcpctl knows, as with a path of this machine, a verb that
                   runs what is installed, or the text of a shell. registry is npm (npx,
                   npm exec, bunx, pnpx, pnpm dlx, yarn dlx, deno run npm:...), jsr (deno run
                   jsr:...), pypi (uvx, uv tool run, uv run --with, pipx run), oci (docker
                   run, podman run, nerdctl run), git (a repository, of any of these but
                   images) or url (a file of a web server); also behind env, sudo, cmd /c,
                   or "op run --" and its like. version is the exact one, of an image the
                   digest, of a repository the whole commit, of a file its hash. origin is
                   pinned when the command names it, reported when the server said so, or
                   unknown.
  protocolVersion  the version of the protocol that was agreed on.
  server           the name and the version that the server tells of itself.
  tools            the tools that can be called, by name.

Of each tool:

  hash             over the name and the whole definition: title, description, schemas,
                   annotations, icons, _meta and what else there is; every leaf counts.
                   The order of keys and the spelling of numbers and strings do not.
  definition       what the server sent, keys sorted. What looks like a secret is "***";
                   the folder of the workspace is <workspace> and the home directory
                   <home>; characters that hide or reorder text are escaped. Of a
                   definition with nothing hidden the hash has to be right.

Where the setting pinTools is in force, or to tell of changes, what tools were approved
is taken from here when a server of the project is connected for the first time with
exactly this entry. A later lock file changes nothing about that: the user's own word,
given with "mcpctl approve --tools", counts. A lock file that does not parse, that a newer
mcpctl has written, or in which a merge has left its marks, is not taken for a missing one:
until it is mended, or the user has given his word, no tool is known to be approved.

mcpctl schema --file lock prints all this for editors.`
