// Lists and calls through a gateway with a generation of the TypeScript SDK, v1 or v2, of
// which the second chooses the protocol's era itself, and writes what came of it as JSON.
// Usage: node clients.mjs v1|v2 stdio COMMAND ARG... | node clients.mjs v1|v2 http URL TOKEN
const [, , generation, way, target, ...rest] = process.argv;

const modules = {
  v1: async () => {
    const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/stdio.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return { Client, StdioClientTransport, StreamableHTTPClientTransport, elicit: types.ElicitRequestSchema };
  },
  v2: async () => {
    const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { Client, StdioClientTransport, StreamableHTTPClientTransport, elicit: 'elicitation/create' };
  },
};

const { Client, StdioClientTransport, StreamableHTTPClientTransport, elicit } = await modules[generation]();
const transport =
  way === 'stdio'
    ? new StdioClientTransport({ command: target, args: rest, env: process.env, stderr: 'inherit' })
    : new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } });
const client = new Client({ name: 'sdk-' + generation, version: '1' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } });
client.setRequestHandler(elicit, async () => ({ action: 'accept', content: { name: generation } }));
await client.connect(transport);
const { tools } = await client.listTools();
const echo = await client.callTool({ name: 'echo__echo', arguments: { text: 'hello' } });
const ask = await client.callTool({ name: 'echo__ask', arguments: {} });
let progress = 0;
const hears = { onprogress: () => progress++ };
// Long enough: it forgets who listens when the progress and the answer come in one piece.
await client.callTool({ name: 'echo__sleep', arguments: { ms: 1000 } }, ...(generation === 'v1' ? [undefined, hears] : [hears]));
const { prompts } = await client.listPrompts();
const read = await client.readResource({ uri: 'echo://item/7' });
let wrong = 'nothing';
try {
  await client.callTool({ name: 'echo__none', arguments: {} });
} catch (e) {
  wrong = e.message;
}
const text = (result) => result.content.map((c) => c.text ?? '').join('');
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion?.(), tools: tools.map((t) => t.name), echo: text(echo), ask: text(ask), progress, prompts: prompts.map((p) => p.name), read: read.contents[0].text, wrong }));
await client.close();
