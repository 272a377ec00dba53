// An example client of the supervisor, of the standard library alone: it lists the
// servers of the working directory, approves one, watches it come up, and calls a tool.
//
//	go run . SERVER TOOL ARGUMENTS
//
// What it knows stands in mcpctl-protocol(7).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
)

// message is what goes over the socket, in either direction.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
		Data    struct {
			Code string `json:"code"`
			Hint string `json:"hint"`
		} `json:"data"`
	} `json:"error,omitempty"`
}

// status is what this client reads of the Status document.
type status struct {
	Servers []struct{ Name, State, Detail string }
}

// client speaks over one connection. Notifications that come while it waits for an
// answer are kept for later.
type client struct {
	conn  net.Conn
	in    *bufio.Reader
	next  int
	heard []message
}

// object is a JSON object.
type object map[string]any

func main() {
	if len(os.Args) != 4 {
		fail("usage: client SERVER TOOL ARGUMENTS")
	}
	server, tool, arguments := os.Args[1], os.Args[2], os.Args[3]
	workspace, err := os.Getwd()
	check(err)

	c := connect()
	defer c.conn.Close()
	c.call("supervisor.hello", object{"client": object{"name": "example", "version": "1"}, "protocol": object{"min": 1, "max": 1}}, nil)
	c.call("session.open", object{"id": "default", "workspace": workspace, "client": "native", "env": os.Environ()}, nil)

	var list struct {
		Servers []struct{ Name, Scope, Approval string }
	}
	c.call("mcp.list", object{"session": "default"}, &list)
	var now status
	c.call("mcp.watch", object{"session": "default"}, &now)
	for _, s := range list.Servers {
		fmt.Println("list", s.Name, s.Scope, s.Approval)
		if s.Name == server && s.Approval == "pending" {
			c.approve(server)
		}
	}
	c.await(now, server)

	var called struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	c.call("mcp.callTool", object{"session": "default", "server": server, "tool": tool, "arguments": json.RawMessage(arguments)}, &called)
	for _, part := range called.Result.Content {
		fmt.Println("call", part.Text)
	}
	if called.Result.IsError {
		fail("the tool reported an error")
	}
}

// approve shows what an entry does and approves exactly that. A real client asks the
// user in between.
func (c *client) approve(server string) {
	var rows struct {
		Servers []struct {
			Does, Risks                   []string
			Fingerprint, FilesFingerprint string
			Approval                      string
		}
	}
	c.call("mcp.approve", object{"session": "default", "decision": "list", "server": server}, &rows)
	row := rows.Servers[0]
	for _, line := range append(row.Does, row.Risks...) {
		fmt.Println("shown", line)
	}
	word := object{"session": "default", "server": server, "fingerprint": row.Fingerprint}
	if row.FilesFingerprint != "" {
		word["files"] = row.FilesFingerprint
	}
	c.call("mcp.approve", word, &rows)
	fmt.Println("approve", server, rows.Servers[0].Approval)
}

// await reads snapshots until the server is connected.
func (c *client) await(now status, server string) {
	for {
		for _, s := range now.Servers {
			switch {
			case s.Name != server:
			case s.State == "connected":
				fmt.Println("watch", s.Name, s.State)
				return
			case s.State == "failed":
				fail(s.Detail)
			}
		}
		if m := c.notification(); m.Method == "mcp.status" {
			now = status{}
			check(json.Unmarshal(m.Params, &now))
		}
	}
}

// connect starts the supervisor where there is none, and finds its socket.
func connect() *client {
	out, err := exec.Command("mcpctl", "supervisor", "start", "--no-session", "--json").Output()
	check(err)
	var info struct{ Socket string }
	check(json.Unmarshal(out, &info))
	conn, err := net.Dial("unix", info.Socket)
	check(err)
	return &client{conn: conn, in: bufio.NewReader(conn)}
}

// call sends a request and waits for its answer.
func (c *client) call(method string, params object, result any) {
	id := c.next
	c.next++
	raw, err := json.Marshal(params)
	check(err)
	line, err := json.Marshal(message{JSONRPC: "2.0", ID: &id, Method: method, Params: raw})
	check(err)
	_, err = c.conn.Write(append(line, '\n'))
	check(err)
	for {
		m := c.read()
		switch {
		case m.ID == nil:
			c.heard = append(c.heard, m)
		case *m.ID == id && m.Error != nil:
			fail(m.Error.Data.Code + ": " + m.Error.Message)
		case *m.ID == id:
			if result != nil {
				check(json.Unmarshal(m.Result, result))
			}
			return
		}
	}
}

// notification returns the next one.
func (c *client) notification() message {
	for len(c.heard) == 0 {
		if m := c.read(); m.ID == nil {
			c.heard = append(c.heard, m)
		}
	}
	m := c.heard[0]
	c.heard = c.heard[1:]
	return m
}

func (c *client) read() message {
	line, err := c.in.ReadBytes('\n')
	check(err)
	var m message
	check(json.Unmarshal(line, &m))
	return m
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(1)
}
