package client

// claudeDesktopDialect is Claude Desktop: stdio servers, values as they stand.
var claudeDesktopDialect = family{
	title: "Claude Desktop",
	types: known("stdio", "http", "sse", "streamable-http=http"),
	noCwd: true,
	oddWrite: func(w *writer, f family) {
		if w.Node().Get("url") != nil {
			w.fatal("url", f.title+" starts servers and reaches none; put a bridge such as mcp-remote into 'command'")
		}
	},
	odd: func(r *familyReading) {
		if n := r.entry.Get("url"); n != nil && r.entry.Get("command") == nil {
			r.note(n, "Claude Desktop starts servers and ignores an entry with an address; mcpctl does not", "add it to Claude Desktop as a connector")
		}
	},
	aside: map[string]string{"alwaysAllow": approvalWhy, "autoApprove": approvalWhy},
}.dialect()
