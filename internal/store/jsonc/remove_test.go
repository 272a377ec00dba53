package jsonc

import "testing"

var removals = []edit{
	{
		name: "first",
		old:  lines(`{`, `  "a": {"x": 1}, // about a`, `  "b": 2 // about b`, `}`),
		path: []string{"a"},
		want: lines(`{`, `  "b": 2 // about b`, `}`),
	},
	{
		name: "last, comments behind both",
		old:  lines(`{`, `  "a": {"x": 1}, // about a`, `  "b": 2 // about b`, `}`),
		path: []string{"b"},
		want: lines(`{`, `  "a": {"x": 1} // about a`, `}`),
	},
	{
		name: "last, no comments",
		old:  lines(`{`, `	"a": {`, `		"x": 1`, `	},`, `	"b": {`, `		"x": 1`, `	}`, `}`),
		path: []string{"b"},
		want: lines(`{`, `	"a": {`, `		"x": 1`, `	}`, `}`),
	},
	{
		name: "middle, comment above stays",
		old:  lines(`{`, `  "a": 1,`, `  // about b`, `  "b": {`, `    "x": 1`, `  },`, `  "c": 3`, `}`),
		path: []string{"b"},
		want: lines(`{`, `  "a": 1,`, `  // about b`, `  "c": 3`, `}`),
	},
	{
		name: "last, comment above stays",
		old:  lines(`{`, `  "a": 1, // about a`, `  // about b`, `  "b": 2`, `}`),
		path: []string{"b"},
		want: lines(`{`, `  "a": 1 // about a`, `  // about b`, `}`),
	},
	{
		name: "last, trailing comma",
		old:  lines(`{`, `  "a": 1,`, `  "b": 2, // about b`, `}`),
		path: []string{"b"},
		want: lines(`{`, `  "a": 1,`, `}`),
	},
	{
		name: "only one",
		old:  lines(`{`, `  "mcpServers": {`, `    "a": {`, `      "command": "one"`, `    } // about a`, `  }`, `}`),
		path: []string{"mcpServers", "a"},
		want: lines(`{`, `  "mcpServers": {}`, `}`),
	},
	{
		name: "only one, trailing comma, CRLF, byte order mark",
		old:  byteOrderMark + crlf(lines(`{`, `  "mcpServers": {`, `    "a": {},`, `  },`, `}`)),
		path: []string{"mcpServers", "a"},
		want: byteOrderMark + crlf(lines(`{`, `  "mcpServers": {},`, `}`)),
	},
	{
		name: "only one beside comments",
		old:  lines(`{`, `  "mcpServers": { // yours`, `    "a": {} /* about a */`, `    // more`, `  }`, `}`),
		path: []string{"mcpServers", "a"},
		want: lines(`{`, `  "mcpServers": { // yours`, `    // more`, `  }`, `}`),
	},
	{
		name: "only one behind a comment on its line",
		old:  `{ /* yours */ "a": 1 }`,
		path: []string{"a"},
		want: `{ /* yours */ }`,
	},
	{name: "one line, first", old: `{ "a": 1, "b": 2 }`, path: []string{"a"}, want: `{ "b": 2 }`},
	{name: "one line, last", old: `{ "a": 1, "b": 2 }`, path: []string{"b"}, want: `{ "a": 1 }`},
	{name: "one line, middle", old: `{"a":1,"b":2,"c":3}`, path: []string{"b"}, want: `{"a":1,"c":3}`},
	{name: "one line, last, trailing comma", old: `{ "a": 1, "b": 2, }`, path: []string{"b"}, want: `{ "a": 1, }`},
	{name: "one line, only one", old: `{ "a": 1 }`, path: []string{"a"}, want: `{}`},
	{
		name: "one line, comments of the neighbours",
		old:  `{ "a": 1 /* a */, /* b */ "b": 2, /* c */ "c": 3 }`,
		path: []string{"b"},
		want: `{ "a": 1 /* a */, /* b */ /* c */ "c": 3 }`,
	},
	{
		name: "one line, last, comments around",
		old:  `{ "a": 1 /* a */, /* b */ "b": 2 /* end */ }`,
		path: []string{"b"},
		want: `{ "a": 1 /* a */ /* b */ }`,
	},
	{
		name: "shares its first line with the one before",
		old:  lines(`{`, `  "a": 1, "b": 2,`, `  "c": 3`, `}`),
		path: []string{"b"},
		want: lines(`{`, `  "a": 1,`, `  "c": 3`, `}`),
	},
	{
		name: "shares its last line with the next one",
		old:  lines(`{`, `  "a": 1, "b": 2,`, `  "c": 3`, `}`),
		path: []string{"a"},
		want: lines(`{`, `  "b": 2,`, `  "c": 3`, `}`),
	},
	{
		name: "behind the brace",
		old:  lines(`{ "a": 1,`, `  "b": 2 }`),
		path: []string{"a"},
		want: lines(`{`, `  "b": 2 }`),
	},
	{
		name: "in front of the brace",
		old:  lines(`{ "a": 1,`, `  "b": 2 }`),
		path: []string{"b"},
		want: lines(`{ "a": 1 }`),
	},
	{
		name: "comment over several lines is not its own",
		old:  lines(`{`, `  "a": 1, /* about`, `  b */ "b": 2`, `}`),
		path: []string{"a"},
		want: lines(`{`, `  /* about`, `  b */ "b": 2`, `}`),
	},
	{
		name: "empty lines do not pile up",
		old:  lines(`{`, `  "a": 1,`, ``, `  "b": 2,`, ``, `  "c": 3`, `}`),
		path: []string{"b"},
		want: lines(`{`, `  "a": 1,`, ``, `  "c": 3`, `}`),
	},
	{
		name: "no empty line is left at the top",
		old:  lines(`{`, `  "a": 1,`, ``, `  "b": 2`, `}`),
		path: []string{"a"},
		want: lines(`{`, `  "b": 2`, `}`),
	},
	{
		name: "comma in front",
		old:  lines(`{ "a": 1`, `, "b": 2`, `}`),
		path: []string{"b"},
		want: lines(`{ "a": 1`, ``, `}`),
	},
	{name: "slash", old: `{"m":{"acme/db":1,"ok":2}}`, path: []string{"m", "acme/db"}, want: `{"m":{"ok":2}}`},
	{name: "tilde", old: `{"m":{"ok":2,"~1":1}}`, path: []string{"m", "~1"}, want: `{"m":{"ok":2}}`},
	{name: "empty name", old: `{"m":{"a":1,"":[],"ok":2}}`, path: []string{"m", ""}, want: `{"m":{"a":1,"ok":2}}`},
	{name: "escaped name", old: `{"m":{"\u65e5\u672c":null,"ok":2}}`, path: []string{"m", "日本"}, want: `{"m":{"ok":2}}`},
	{name: "value that is not an entry", old: `{"m":{"n":null}}`, path: []string{"m", "n"}, want: `{"m":{}}`},
}

func TestRemove(t *testing.T) {
	for _, e := range removals {
		t.Run(e.name, func(t *testing.T) {
			e.run(t)
			if _, err := oneBlock(e.want, e.old); err != nil {
				t.Error(err)
			}
		})
	}
}

// What was added goes again without a trace, unless the object was empty and written in another way.
func TestAddThenRemove(t *testing.T) {
	for _, e := range additions {
		t.Run(e.name, func(t *testing.T) {
			before, err := Parse([]byte(e.old))
			if err != nil {
				t.Fatal(err)
			}
			if before.Root() == nil || before.Root().Get("mcpServers") == nil ||
				len(before.Root().Get("mcpServers").Members()) == 0 {
				t.Skip("the table is empty")
			}
			d, err := Parse([]byte(e.want))
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Remove(server)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != e.old && e.name != "line comment forces a new line" {
				t.Errorf("got %q, want %q", got, e.old)
			}
		})
	}
}
