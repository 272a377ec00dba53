// An example client of the supervisor, without dependencies: it lists the servers of the
// working directory, approves one, watches it come up, and calls a tool.
//   node client.mjs SERVER TOOL ARGUMENTS
// What it knows stands in mcpctl-protocol(7).
import { execFileSync } from "node:child_process";
import net from "node:net";
import readline from "node:readline";

const [server, tool, args] = process.argv.slice(2);
const { socket } = JSON.parse(execFileSync("mcpctl", ["supervisor", "start", "--no-session", "--json"]));
const conn = net.connect(socket);
const pending = new Map();
let next = 0, now, changed = () => {};

// Requests may be under way at the same time; the id tells their answers apart.
const call = (method, params) => new Promise((resolve, reject) => {
  pending.set(next, { resolve, reject });
  conn.write(JSON.stringify({ jsonrpc: "2.0", id: next++, method, params }) + "\n");
});
readline.createInterface({ input: conn }).on("line", (line) => {
  const m = JSON.parse(line);
  if (m.id === undefined) {
    if (m.method === "mcp.status") { now = m.params; changed(); }
    return;
  }
  const { resolve, reject } = pending.get(m.id);
  pending.delete(m.id);
  if (m.error) reject(new Error(`${m.error.data.code}: ${m.error.message}`)); else resolve(m.result);
});
conn.on("close", () => pending.forEach(({ reject }) => reject(new Error("the supervisor went away"))));

try {
  await call("supervisor.hello", { client: { name: "example", version: "1" }, protocol: { min: 1, max: 1 } });
  const env = Object.entries(process.env).map(([k, v]) => `${k}=${v}`);
  const { session } = await call("session.open", { id: "new", workspace: process.cwd(), client: "native", env });
  const list = await call("mcp.list", { session });
  const first = await call("mcp.watch", { session });
  now ??= first; // a newer status may have come in the same piece
  for (const s of list.servers) {
    console.log("list", s.name, s.scope, s.approval);
    if (s.name !== server || s.approval !== "pending") continue;
    // A real client asks the user between these two.
    const [row] = (await call("mcp.approve", { session, decision: "list", server })).servers;
    for (const line of [...row.does, ...row.risks]) console.log("shown", line);
    const word = { session, server, fingerprint: row.fingerprint, ...(row.filesFingerprint && { files: row.filesFingerprint }) };
    console.log("approve", server, (await call("mcp.approve", word)).servers[0].approval);
  }
  for (let s; (s = now.servers.find((x) => x.name === server))?.state !== "connected"; ) {
    if (s?.state === "failed") throw new Error(s.detail);
    await new Promise((resolve) => (changed = resolve));
  }
  console.log("watch", server, "connected");
  const { result } = await call("mcp.callTool", { session, server, tool, arguments: JSON.parse(args) });
  for (const part of result.content) console.log("call", part.text);
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
conn.end();
