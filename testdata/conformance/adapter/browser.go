package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// frames takes what mcpctl writes, and opens the page that a frame of `login --json`
// names while the command goes on.
type frames struct {
	all      bytes.Buffer
	seen     int // bytes of all that were looked at
	browsers sync.WaitGroup
}

// Write implements io.Writer.
func (f *frames) Write(p []byte) (int, error) {
	f.all.Write(p)
	for {
		rest := f.all.Bytes()[f.seen:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		f.seen += end + 1
		var frame struct{ Type, URL string }
		if json.Unmarshal(rest[:end], &frame) == nil && frame.Type == "authorize" {
			f.browsers.Go(func() { browse(frame.URL) })
		}
	}
}

// browse opens a page and follows its redirects, as a browser does in which the user
// has nothing to fill in. What comes of it mcpctl tells.
func browse(url string) {
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err == nil {
		resp.Body.Close()
	}
}
