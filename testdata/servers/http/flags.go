package http

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// options says how this run of the server is odd.
type options struct {
	addr, path, portfile, log string
	untilEOF                  bool
	// What every request meets first.
	needHeader   string // NAME=VALUE
	needFile     string // holds NAME=VALUE, read at each request
	redirect     string
	redirectCode int
	// What a POST meets instead of an answer.
	always     int
	fail       string // N:CODE
	failFirst  int
	failCode   int
	retryAfter string
	bigError   int
	html       bool
	// How the answers look.
	get      string
	postType string
	sse      bool
	empty200 bool
	noPing   bool
	session  bool
	drop     int
	hang     string
	sdk      bool

	legacySSE bool
}

// getStream is the value of -get that opens an event stream.
const getStream = "stream"

func parse(args []string) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("http-server", flag.ContinueOnError)
	f.SetOutput(io.Discard) // Main says what is wrong, without the list of flags

	f.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen on `HOST:PORT`")
	f.StringVar(&o.path, "path", "/mcp", "serve MCP at `PATH`, with or without a slash behind")
	f.StringVar(&o.portfile, "portfile", "", "write the port number to `FILE` once listening")
	f.StringVar(&o.log, "log", "", "append each request as a line of JSON to `FILE`")
	f.BoolVar(&o.untilEOF, "until-eof", false, "end when stdin closes")

	f.StringVar(&o.needHeader, "need-header", "", "answer 401 without the header `NAME=VALUE`")
	f.StringVar(&o.needFile, "need-header-file", "", "as -need-header, but NAME=VALUE stands in `FILE`, which may change")
	f.StringVar(&o.redirect, "redirect", "", "send requests to the path on to `PATH-OR-URL`")
	f.IntVar(&o.redirectCode, "redirect-code", 307, "redirect with `CODE`")

	f.IntVar(&o.always, "always", 0, "answer each POST with `CODE`")
	f.StringVar(&o.fail, "fail", "", "answer the first N POSTs with CODE, given as `N:CODE`")
	f.StringVar(&o.retryAfter, "retry-after", "", "say Retry-After: `VALUE` with the codes of -always and -fail")
	f.IntVar(&o.bigError, "big-error", 0, "answer each POST with 500 and a body of `BYTES`")
	f.BoolVar(&o.html, "html", false, "answer each POST with 200 and a sign-in page")

	f.StringVar(&o.get, "get", "405", "answer GET with `CODE`, or with an open event stream for \"stream\"")
	f.StringVar(&o.postType, "post-ct", "application/json", "give answers the content `TYPE`")
	f.BoolVar(&o.sse, "sse", false, "answer with event streams")
	f.BoolVar(&o.empty200, "empty-200", false, "answer requests with 200 and no body")
	f.BoolVar(&o.noPing, "no-ping", false, "answer ping as an unknown method")
	f.BoolVar(&o.session, "session", false, "hand out session ids and ask for them")
	f.IntVar(&o.drop, "drop", 0, "forget all sessions, once, after `N` POSTs; implies -session")
	f.StringVar(&o.hang, "hang", "", "never answer `METHOD`")

	f.BoolVar(&o.sdk, "sdk", false, "be the echo server with -more, by the SDK, in all revisions; -log and what every request meets first still count")
	f.BoolVar(&o.legacySSE, "legacy-sse", false, "speak the old HTTP+SSE transport and no other")

	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(os.Stderr)
		f.PrintDefaults()
	}
	if err != nil {
		return nil, err
	}
	o.session = o.session || o.drop > 0
	return o, o.check()
}

func (o *options) check() error {
	if o.fail != "" {
		n, code, found := strings.Cut(o.fail, ":")
		var errN, errCode error
		o.failFirst, errN = strconv.Atoi(n)
		o.failCode, errCode = strconv.Atoi(code)
		if !found || errN != nil || errCode != nil {
			return fmt.Errorf("-fail: want N:CODE, not %q", o.fail)
		}
	}
	if o.needHeader != "" && !strings.Contains(o.needHeader, "=") {
		return fmt.Errorf("-need-header: want NAME=VALUE, not %q", o.needHeader)
	}
	if _, err := strconv.Atoi(o.get); err != nil && o.get != getStream {
		return fmt.Errorf("-get: want a status code or %q, not %q", getStream, o.get)
	}
	return nil
}
