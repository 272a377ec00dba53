package client

// claudeDesktopDialect is Claude Desktop: stdio servers, values as they stand.
var claudeDesktopDialect = (&shape{
	client: "Claude Desktop",
	types:  known("stdio", "http", "sse", "streamable-http=http"),
	words:  plainWords,
	aside:  map[string]string{"alwaysAllow": approvalWhy, "autoApprove": approvalWhy},
	reads:  (*shapeReader).claudeDesktop, writes: (*shapeWriter).claudeDesktop,
}).dialect()

// claudeDesktop tells of an address, which is used for all that.
func (r *shapeReader) claudeDesktop() {
	if n := r.get("url"); n != nil && r.get("command") == nil {
		r.note(n, "Claude Desktop starts servers and ignores an entry with an address; mcpctl does not", "add it to Claude Desktop as a connector")
	}
}

func (w *shapeWriter) claudeDesktop() {
	if w.Node().Get("url") != nil {
		w.fatal("url", w.client+" starts servers and reaches none; put a bridge such as mcp-remote into 'command'")
	}
}
