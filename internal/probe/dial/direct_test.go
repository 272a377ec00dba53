package dial

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAsk: a call that does not go through the SDK is one line with an id of 32 bits; its
// answer is the server's bytes; one that nobody waits for is cancelled by its id.
func TestAsk(t *testing.T) {
	t.Parallel()
	in, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := newPipes(stdin, stdout, &voice{})
	p.start()
	t.Cleanup(func() { p.Close(); out.Close(); <-p.readDone; in.Close() })
	sent := bufio.NewReader(in)

	x := newExchange(noContent)
	x.more = []byte("\"requestState\":\n\"s\"")
	asked := make(chan error, 1)
	ask := func(ctx context.Context) {
		asked <- p.ask(x.with(ctx), "tools/call", callParams{mcp.Meta{"progressToken": "t"}, "<a>", json.RawMessage("{\n\"b\": 1.50}")})
	}
	go ask(t.Context())
	line, err := sent.ReadString('\n')
	want := `{"jsonrpc":"2.0","id":1073741825,"method":"tools/call","params":{"_meta":{"progressToken":"t"},"name":"<a>","arguments":{"b":1.50},"requestState": "s"}}` + "\n"
	if diff := cmp.Diff(want, line); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := out.WriteString(`{"jsonrpc":"2.0","id":1073741825,"result":{ "content": [], "n": 1.50 }}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; err != nil || string(x.outcome().result) != `{ "content": [], "n": 1.50 }` {
		t.Errorf("%v, %s", err, x.outcome().result)
	}

	x = newExchange(noContent)
	ctx, cancel := context.WithCancel(t.Context())
	go ask(ctx)
	if _, err := sent.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	line, err = sent.ReadString('\n')
	if err != nil || !strings.Contains(line, `"notifications/cancelled"`) || !strings.Contains(line, `"requestId":1073741826`) {
		t.Errorf("%v: %s", err, line)
	}
	<-x.cancelled
}

// TestWholeMeta: from 2026-07-28 on a call says who asks and what it can do, as all that
// goes through the SDK does.
func TestWholeMeta(t *testing.T) {
	t.Parallel()
	c := &Conn{self: &mcp.Implementation{Name: "mcpctl", Version: "1"}, able: Abilities{Form: true, URL: true, Roots: true}}
	for version, want := range map[string]string{
		lastLegacy: `{"progressToken":"t"}`,
		firstModern: `{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"roots":{}},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"mcpctl","version":"1"},"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":"t"}`,
	} {
		c.info.ProtocolVersion = version
		got, err := encode(c.whole(mcp.Meta{"progressToken": "t"}))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", version, err, diff)
		}
	}
}
