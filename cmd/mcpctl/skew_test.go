package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// otherSupervisor is the command `other-supervisor -min N -max N -version V`: a
// supervisor of another version of mcpctl. It knows the three methods that mean the
// same in every version, and answers them with members that nobody knows yet. It has
// no other method, and ends when it is told to.
func otherSupervisor() {
	o := otherVersion{}
	flag.IntVar(&o.min, "min", 2, "the oldest protocol it speaks")
	flag.IntVar(&o.max, "max", 3, "the newest protocol it speaks")
	flag.StringVar(&o.version, "version", "99.0", "its version")
	flag.Parse()
	if err := o.serve(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "mcpctl")); err != nil {
		fmt.Fprintln(os.Stderr, "other-supervisor:", err)
		os.Exit(1)
	}
}

type otherVersion struct {
	min, max int
	version  string
}

func (o otherVersion) serve(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "supervisor-1.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	syscall.Umask(0o177)
	ln, err := net.Listen("unix", filepath.Join(dir, "supervisor-1.sock"))
	if err != nil {
		return err
	}
	ended := make(chan net.Conn)
	go func() { // ends with the process
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the connection
				if o.talk(c) {
					ended <- c
				}
				c.Close()
			}()
		}
	}()
	<-ended
	return ln.Close() // takes its file away; the connection ends with the process
}

// talk answers one client; true when it asked for the end.
func (o otherVersion) talk(c net.Conn) (end bool) {
	_ = c.SetDeadline(time.Now().Add(patience))
	greeted := false
	lines := bufio.NewReader(c)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return false
		}
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct{ Protocol struct{ Min, Max int } }
		}
		if json.Unmarshal(line, &req) != nil {
			return false
		}
		member := `"error":{"code":-32601,"message":"no method is called '` + req.Method + `'"}`
		switch {
		case req.Method == "supervisor.hello":
			version := min(req.Params.Protocol.Max, o.max)
			if greeted = version >= max(req.Params.Protocol.Min, o.min); greeted {
				member = fmt.Sprintf(`"result":{"supervisor":{"name":"mcpctl","version":%q,"mood":"fine"},"pid":%d,"epoch":"e","protocol":%d,"later":[1]}`, o.version, os.Getpid(), version)
				break
			}
			fallthrough
		case !greeted:
			member = fmt.Sprintf(`"error":{"code":-32000,"message":"no","data":{"code":"SUPERVISOR_PROTOCOL","message":"the supervisor speaks protocol %d to %d","hint":"restart it with: mcpctl supervisor restart","exit":31,"later":{}}}`, o.min, o.max)
		case req.Method == "supervisor.info":
			member = fmt.Sprintf(`"result":{"schema":1,"running":true,"pid":%d,"version":%q,"protocol":{"min":%d,"max":%d},"epoch":"e","socket":"s","startedAt":"2026-01-02T03:04:05Z","clients":1,"sessions":[{"session":"default","workspace":"/w","servers":1,"watching":"magic","later":true}],"later":null}`, os.Getpid(), o.version, o.min, o.max)
		case req.Method == "supervisor.shutdown":
			fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%s,"result":{"later":1}}`+"\n", req.ID)
			return true
		}
		fmt.Fprintf(c, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", req.ID, member)
	}
}
