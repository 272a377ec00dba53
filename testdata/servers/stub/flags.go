package stub

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options says how this run of the server is odd. Its zero value, with the
// defaults of parse, is a server that behaves.
type options struct {
	// What it leaves for the test to read.
	mark, markEnd, record string
	instructions          string
	// What it writes besides the protocol.
	noise, noiseEach *string // nil: none; an empty text is an empty line
	noiseJSON        bool
	stderrText       string
	stderrBytes      int
	logText, logger  string
	// When and how it starts and ends.
	sleep, exitAfter      time.Duration
	exit                  *int // nil: does not leave by itself
	exitOn                names
	exitOnDiscover        bool
	killSelf              bool
	ignoreTerm, ignoreEOF bool
	child, childSetsid    string
	childForked           string
	// What it answers.
	version, description string
	caps, tools          names
	schema, outputSchema string
	toolsFile            string
	serverInfo           string
	page                 int
	cursor               string
	hang, deny           names
	silentBeforeInit     bool
	pad, hugeLine        int
	growOnCall           bool
	shrinkOnCall         bool
	notify               int
	rawResult            string
	crlf                 bool
	gather               int
	pause                time.Duration
	modern               bool
	// What it offers beside tools, and asks the client.
	resources, templates, prompts, complete names
	manyResources, noResource, elicitTimes  int
	elicit, elicitSchema, elicitMessage     string
	elicitURL, elicitOn                     string
	completes, endless                      bool
	ask, askEarly, askOn, askParams, embed  string
	subscribe                               bool
	logs                                    int
	changes                                 names
	progresses                              int
	progressPause                           time.Duration
}

// names is a list of words with commas between them.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

// Set replaces the list; an empty text is the empty list.
func (n *names) Set(s string) error {
	*n = strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
	return nil
}

func (n names) has(word string) bool { return slices.Contains(n, word) }

// The ways in which -cursor lets tools/list page.
const (
	cursorAdvance = "advance" // ends after the last tool
	cursorStuck   = "stuck"   // the first page for ever, always under the same cursor
	cursorEmpty   = "empty"   // the last page has the cursor ""
	cursorNull    = "null"    // the last page has the cursor null
	cursorEndless = "endless" // behind the last tool come made-up ones, without end
)

func parse(args []string) (*options, error) {
	o := &options{tools: names{"echo"}, caps: names{"tools", "listChanged"}}
	f := flag.NewFlagSet("stub-server", flag.ContinueOnError)
	f.SetOutput(io.Discard) // Run says what is wrong, without the list of flags

	f.StringVar(&o.mark, "mark", "", "append a line about this process to `FILE` at the start")
	f.StringVar(&o.markEnd, "mark-end", "", "append a line to `FILE` when stdin closes or SIGTERM comes")
	f.StringVar(&o.record, "record", "", "append every line read to `FILE`")

	f.Func("noise", "write the line `TEXT` to stdout first", setText(&o.noise))
	f.Func("noise-each", "write the line `TEXT` to stdout before each answer", setText(&o.noiseEach))
	f.BoolVar(&o.noiseJSON, "noise-json", false, "write a JSON line that is no JSON-RPC to stdout first")
	f.StringVar(&o.stderrText, "stderr-text", "", "write the line `TEXT` to stderr at the start")
	f.IntVar(&o.stderrBytes, "stderr-bytes", 0, "write `N` bytes in lines to stderr at the start")
	f.StringVar(&o.logText, "log-text", "", "send `TEXT` as notifications/message after initialize")

	f.StringVar(&o.logger, "logger", "", "with -log-text: as the logger `NAME`")
	f.DurationVar(&o.sleep, "sleep", 0, "wait for `DURATION` before the first read")
	f.Func("exit", "leave with status `CODE`, at once or when -exit-after says", setInt(&o.exit))
	f.DurationVar(&o.exitAfter, "exit-after", 0, "leave `DURATION` after the start")
	f.Var(&o.exitOn, "exit-on", "leave with status 7 when one of `METHOD,...` arrives")
	f.BoolVar(&o.exitOnDiscover, "exit-on-discover", false, "leave with status 1 unless initialize comes first")
	f.BoolVar(&o.killSelf, "kill-self", false, "die of SIGKILL at the start")
	f.BoolVar(&o.ignoreTerm, "ignore-term", false, "ignore SIGTERM; a child does too")
	f.BoolVar(&o.ignoreEOF, "ignore-eof", false, "stay when stdin closes")
	f.StringVar(&o.child, "child", "", "start a child that sleeps, write its pid to `FILE`")
	f.StringVar(&o.childSetsid, "child-setsid", "", "the same with a child in a session of its own, pid in `FILE`")

	f.StringVar(&o.childForked, "child-forked", "", "the same with a child that nobody is the parent of, pid in `FILE`")

	f.IntVar(&o.gather, "gather", 0, "keep the answers to tools/call until `N` are asked for, and give them in no order")
	f.DurationVar(&o.pause, "pause", 0, "with -gather, rest for up to `DURATION` before each answer")
	f.StringVar(&o.instructions, "instructions", "", "say `TEXT` of itself in the handshake")
	f.StringVar(&o.version, "version", "", "answer with the protocol `VERSION`, asked for or not")
	f.Var(&o.caps, "caps", "announce `NAME,...` as capabilities; listChanged belongs to tools")
	f.Var(&o.tools, "tools", "offer `NAME,...`")
	f.StringVar(&o.description, "description", "A stub.", "describe each tool with `TEXT`")
	f.StringVar(&o.schema, "schema", `{"type":"object"}`, "give each tool the input schema `JSON`; none if empty")
	f.StringVar(&o.outputSchema, "output-schema", "", "give each tool the output schema `JSON`")
	f.StringVar(&o.serverInfo, "server-info", `{"name":"stub","version":"1.0.0"}`, "say `JSON` of itself")
	f.StringVar(&o.toolsFile, "tools-file", "", "answer tools/list with what `FILE` holds at that time, a JSON list, and take calls of any tool")
	f.IntVar(&o.page, "page", 0, "list `N` tools per page; 0 lists all on one")
	f.StringVar(&o.cursor, "cursor", cursorAdvance, "page like `advance|stuck|empty|null|endless`")
	f.Var(&o.hang, "hang", "never answer `METHOD,...`")
	f.Var(&o.deny, "deny", "answer `METHOD,...` as unknown methods")
	noPing := f.Bool("no-ping", false, "the same as ping in -deny")
	f.BoolVar(&o.silentBeforeInit, "silent-before-init", false, "answer nothing before initialize")
	f.IntVar(&o.pad, "pad", 0, "put `BYTES` of padding into each answer to tools/list")
	f.IntVar(&o.hugeLine, "huge-line", 0, "make the first answer to tools/call a line of `BYTES`")
	f.BoolVar(&o.growOnCall, "grow-on-call", false, "add a tool with each call and say so")
	f.BoolVar(&o.shrinkOnCall, "shrink-on-call", false, "drop the last tool with each call and say so")
	f.IntVar(&o.notify, "notify", 1, "say so `N` times")
	f.StringVar(&o.rawResult, "raw-result", "", "answer each tools/call with the result `JSON`")
	f.BoolVar(&o.crlf, "crlf", false, "end lines with CR LF")

	f.BoolVar(&o.modern, "modern", false, "speak 2026-07-28: answer server/discover, ask in the answers of calls")
	f.Var(&o.resources, "resources", "offer `URI,...`; bytes where it has \"blob\", two parts where it has \"parts\"")
	f.IntVar(&o.manyResources, "many-resources", 0, "offer `N` more, stub://many/0 and so on")
	f.IntVar(&o.noResource, "no-resource-code", codeNoResource, "refuse other resources with `CODE`")
	f.Var(&o.templates, "templates", "offer the templates `URI,...`, as in stub://item/{id}")
	f.Var(&o.prompts, "prompts", "offer `NAME,...`, each with the arguments name, required, and style")
	f.Var(&o.complete, "complete", "complete every argument from `WORD,...`")
	f.StringVar(&o.elicit, "elicit", "", "ask the user in each call: `form|url`; or \"required\", a page before the first")
	f.StringVar(&o.elicitSchema, "elicit-schema", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, "ask for the form `JSON`")
	f.StringVar(&o.elicitMessage, "elicit-message", "What is your name?", "ask with `TEXT`")
	f.StringVar(&o.elicitOn, "elicit-on", "", "ask when `METHOD` arrives, and not in calls")
	f.StringVar(&o.elicitURL, "elicit-url", "https://example.com/visit?id=1", "send the user to `URL`")
	f.IntVar(&o.elicitTimes, "elicit-times", 1, "with -elicit required, refuse `N` calls")
	f.BoolVar(&o.completes, "elicit-complete", false, "say at once that the page was visited")
	f.BoolVar(&o.endless, "elicit-endless", false, "ask again whatever is answered, with -modern")
	f.StringVar(&o.embed, "embed", "", "with -modern and -elicit also ask for `METHOD`")
	f.StringVar(&o.ask, "ask", "", "send the request `METHOD` in each call and say what the client answered")
	f.StringVar(&o.askOn, "ask-on", "tools/call", "with -ask: not in calls but when `METHOD` arrives")
	f.StringVar(&o.askParams, "ask-params", "{}", "with -ask: give it the parameters `JSON`")
	f.BoolVar(&o.subscribe, "subscribe", false, "take subscriptions to resources, and say in each call that all of them have changed")
	f.IntVar(&o.logs, "logs", 0, "send `N` log messages in each call, of the levels debug and warning in turn, as the client wants")
	f.Var(&o.changes, "changes", "say after each call that the lists `NAME,...` have changed: prompts, resources")
	f.StringVar(&o.askEarly, "ask-early", "", "send the request `METHOD` once, before the answer to tools/list")
	f.IntVar(&o.progresses, "progress", 0, "send `N` notifications of progress in each call")
	f.DurationVar(&o.progressPause, "progress-pause", 0, "wait for `DURATION` after each")

	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(os.Stderr)
		f.PrintDefaults()
	}
	if err != nil {
		return nil, err
	}
	if *noPing {
		o.deny = append(o.deny, "ping")
	}
	o.offers()
	return o, o.check()
}

func setText(to **string) func(string) error {
	return func(s string) error {
		*to = &s
		return nil
	}
}

func setInt(to **int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		*to = &n
		return err
	}
}

// check refuses what would make a test pass for the wrong reason.
func (o *options) check() error {
	for flag, text := range map[string]string{
		"server-info": o.serverInfo, "schema": o.schema, "output-schema": o.outputSchema, "raw-result": o.rawResult,
		"elicit-schema": o.elicitSchema, "ask-params": o.askParams,
	} {
		if text != "" && !json.Valid([]byte(text)) {
			return fmt.Errorf("-%s: not JSON: %q", flag, text)
		}
	}
	switch o.cursor {
	case cursorAdvance, cursorStuck, cursorEmpty, cursorNull, cursorEndless:
	default:
		return fmt.Errorf("-cursor: no such way to page: %q", o.cursor)
	}
	switch o.elicit {
	case "", elicitForm, elicitPage, elicitRequired:
	default:
		return fmt.Errorf("-elicit: no such question: %q", o.elicit)
	}
	if o.page < 0 || o.pad < 0 || o.hugeLine < 0 || o.stderrBytes < 0 {
		return errors.New("a number of bytes or tools is negative")
	}
	return nil
}
