package jsonc

import (
	"fmt"
	"strings"
	"testing"
)

var server = []string{"mcpServers", "b"}

const two = `{"command":"two","args":["-y","pkg"],"env":{"K":"v"}}`

var additions = []edit{
	{
		name: "tabs, comment behind the last entry",
		old:  lines(`{`, `	"mcpServers": {`, `		"a": {"command": "one"} // about a`, `	}`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `	"mcpServers": {`, `		"a": {"command": "one"}, // about a`,
			`		"b": {"command": "two"}`, `	}`, `}`),
	},
	{
		name: "two spaces, expanded sibling",
		old:  lines(`{`, `  "mcpServers": {`, `    "a": {`, `      "command": "one"`, `    }`, `  }`, `}`),
		set:  two,
		want: lines(`{`, `  "mcpServers": {`, `    "a": {`, `      "command": "one"`, `    },`, `    "b": {`,
			`      "command": "two",`, `      "args": ["-y", "pkg"],`, `      "env": {`, `        "K": "v"`, `      }`,
			`    }`, `  }`, `}`),
	},
	{
		name: "four spaces, expanded arrays, flat env",
		old: lines(`{`, `    "mcpServers": {`, `        "a": {`, `            "args": [`, `                "x"`,
			`            ],`, `            "env": { "A": "1" }`, `        }`, `    }`, `}`),
		set: two,
		want: lines(`{`, `    "mcpServers": {`, `        "a": {`, `            "args": [`, `                "x"`,
			`            ],`, `            "env": { "A": "1" }`, `        },`, `        "b": {`,
			`            "command": "two",`, `            "args": [`, `                "-y",`, `                "pkg"`,
			`            ],`, `            "env": { "K": "v" }`, `        }`, `    }`, `}`),
	},
	{
		name: "CRLF, no newline at the end",
		old:  "{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"one\"}\r\n  }\r\n}",
		set:  `{"command":"two"}`,
		want: "{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"one\"},\r\n    \"b\": {\"command\": \"two\"}\r\n  }\r\n}",
	},
	{
		name: "CRLF, comment behind the last entry",
		old:  crlf(lines(`{`, `  "mcpServers": {`, `    "a": {"command": "one"} // about a`, `  }`, `}`)),
		set:  `{"command":"two"}`,
		want: crlf(lines(`{`, `  "mcpServers": {`, `    "a": {"command": "one"}, // about a`,
			`    "b": {"command": "two"}`, `  }`, `}`)),
	},
	{
		name: "byte order mark",
		old:  byteOrderMark + lines(`{`, `  "mcpServers": {`, `    "a": {"command": "one"}`, `  }`, `}`),
		set:  `{"command":"two"}`,
		want: byteOrderMark + lines(`{`, `  "mcpServers": {`, `    "a": {"command": "one"},`, `    "b": {"command": "two"}`,
			`  }`, `}`),
	},
	{
		name: "one line",
		old:  `{"mcpServers": {"a": {"command": "one", "args": ["x"]}}}`,
		set:  two,
		want: `{"mcpServers": {"a": {"command": "one", "args": ["x"]}, ` +
			`"b": {"command": "two", "args": ["-y", "pkg"], "env": {"K": "v"}}}}`,
	},
	{
		name: "one line, minified",
		old:  `{"mcpServers":{"a":{"command":"one"}}}`,
		set:  two,
		want: `{"mcpServers":{"a":{"command":"one"},"b":{"command":"two","args":["-y","pkg"],"env":{"K":"v"}}}}`,
	},
	{
		name: "one line, padded braces, empty table",
		old:  `{ "keep": "me", "mcpServers": {} }` + "\n",
		set:  `{"command":"two"}`,
		want: `{ "keep": "me", "mcpServers": { "b": { "command": "two" } } }` + "\n",
	},
	{
		name: "one line, block comment behind the entry",
		old:  `{"mcpServers": {"a": {"command": "one"} /* a */}}`,
		set:  `{"command":"two"}`,
		want: `{"mcpServers": {"a": {"command": "one"} /* a */, "b": {"command": "two"}}}`,
	},
	{
		name: "one line, trailing comma",
		old:  `{"mcpServers": {"a": {"command": "one"}, /* end */ }}`,
		set:  `{"command":"two"}`,
		want: `{"mcpServers": {"a": {"command": "one"}, /* end */ "b": {"command": "two"}, }}`,
	},
	{
		name: "empty table in expanded object",
		old:  lines(`{`, `  "x": [1, 2],`, `  "mcpServers": {}`, `}`),
		set:  two,
		want: lines(`{`, `  "x": [1, 2],`, `  "mcpServers": {`, `    "b": {`, `      "command": "two",`,
			`      "args": ["-y", "pkg"],`, `      "env": {`, `        "K": "v"`, `      }`, `    }`, `  }`, `}`),
	},
	{
		name: "empty table with a blank that becomes indentation",
		old:  lines(`{`, `  "mcpServers": { }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "mcpServers": {`, `    "b": {`, `      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "empty table with a blank that cannot",
		old:  lines(`{`, `	"mcpServers": { }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `	"mcpServers": { `, `		"b": {`, `			"command": "two"`, `		}`, `	}`, `}`),
	},
	{
		name: "empty table over two lines",
		old:  lines(`{`, `  "mcpServers": {`, `  }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "mcpServers": {`, `    "b": {`, `      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "table with comments only",
		old:  lines(`{`, `  "mcpServers": { // add yours`, `    // "x": {},`, `  }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "mcpServers": { // add yours`, `    // "x": {},`, `    "b": {`, `      "command": "two"`, `    }`,
			`  }`, `}`),
	},
	{
		name: "table with a comment on its only line",
		old:  lines(`{`, `  "mcpServers": { /* none */ }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "mcpServers": { /* none */`, `    "b": {`, `      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "one-line table with a comment",
		old:  `{"mcpServers": {/* none */}}`,
		set:  `{"command":"two"}`,
		want: `{"mcpServers": {/* none */ "b": {"command": "two"}}}`,
	},
	{
		name: "trailing commas and a commented entry",
		old: lines(`// mine`, `{`, `  "mcpServers": {`, `    "a": { "command": "one", /* one */ "args": ["x,y",], }, // a`,
			`    // "b": { "command": "nope" },`, `  },`, `}`),
		set: `{"command":"two","args":["z"]}`,
		want: lines(`// mine`, `{`, `  "mcpServers": {`, `    "a": { "command": "one", /* one */ "args": ["x,y",], }, // a`,
			`    "b": { "command": "two", "args": ["z"] },`, `    // "b": { "command": "nope" },`, `  },`, `}`),
	},
	{
		name: "trailing commas in expanded entries",
		old:  lines(`{`, `  "mcpServers": {`, `    "a": {`, `      "command": "one",`, `    },`, `  },`, `}`),
		set:  `{"command":"two","args":["z"]}`,
		want: lines(`{`, `  "mcpServers": {`, `    "a": {`, `      "command": "one",`, `    },`, `    "b": {`,
			`      "command": "two",`, `      "args": ["z"],`, `    },`, `  },`, `}`),
	},
	{
		name: "comments above and between, foreign keys, odd spacing",
		old: lines(`{`, `  // servers for the whole team`, `  "editorHints": { "ratio": 30.0, "zeta": 1, "alpha": 2 },`,
			`  "mcpServers": {`, `    "alpha": { "command": "x", "x-note": {"b":1,"a":[ ]} }, // keep me`,
			`    /* "old": { "command": "old-server" }, */`, `    "gamma": { "command": "y" }`, `  }`, `}`),
		set: `{"command":"two"}`,
		want: lines(`{`, `  // servers for the whole team`, `  "editorHints": { "ratio": 30.0, "zeta": 1, "alpha": 2 },`,
			`  "mcpServers": {`, `    "alpha": { "command": "x", "x-note": {"b":1,"a":[ ]} }, // keep me`,
			`    /* "old": { "command": "old-server" }, */`, `    "gamma": { "command": "y" },`,
			`    "b": { "command": "two" }`, `  }`, `}`),
	},
	{
		name: "brace behind the last entry, first entry behind the brace",
		old:  lines(`{ "mcpServers": { "a": {"command": "one"},`, `    "c": {"command": "three"} } }`),
		set:  `{"command":"two"}`,
		want: lines(`{ "mcpServers": { "a": {"command": "one"},`, `    "c": {"command": "three"},`,
			`    "b": {"command": "two"} } }`),
	},
	{
		name: "line comment forces a new line",
		old:  lines(`{ "mcpServers": { "a": {"command": "one"} // about a`, `} }`),
		set:  `{"command":"two"}`,
		want: lines(`{ "mcpServers": { "a": {"command": "one"}, // about a`, `  "b": {"command": "two"}`, `} }`),
	},
	{
		name: "empty lines between entries",
		old: lines(`{`, `  "mcpServers": {`, `    "a": {"command": "one"},`, ``, `    "c": {"command": "three"}`, ``, `  }`,
			`}`),
		set: `{"command":"two"}`,
		want: lines(`{`, `  "mcpServers": {`, `    "a": {"command": "one"},`, ``, `    "c": {"command": "three"},`, ``,
			`    "b": {"command": "two"}`, ``, `  }`, `}`),
	},
	{
		name: "mixed indentation: the nearest counts",
		old:  lines(`{`, `  "x": 1,`, `  "mcpServers": {`, `	"a": {`, `	    "command" : "one"`, `	}`, `  }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "x": 1,`, `  "mcpServers": {`, `	"a": {`, `	    "command" : "one"`, `	},`, `	"b": {`,
			`	    "command" : "two"`, `	}`, `  }`, `}`),
	},
	{
		name: "mixed line ends: the nearest counts",
		old:  "{\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\n}\n",
		set:  `{"command":"two"}`,
		want: "{\n  \"mcpServers\": {\r\n    \"a\": {},\r\n    \"b\": {\r\n      \"command\": \"two\"\r\n    }\r\n  }\n}\n",
	},
	{
		name: "missing table is added behind the last member",
		old:  lines(`{`, `  "settings": {`, `    "allowInstall": false`, `  }`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "settings": {`, `    "allowInstall": false`, `  },`, `  "mcpServers": {`, `    "b": {`,
			`      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "missing table is expanded beside a flat object",
		old:  lines(`{`, `  "settings": {"allowInstall": false}`, `}`),
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "settings": {"allowInstall": false},`, `  "mcpServers": {`, `    "b": {`,
			`      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "missing table in one line",
		old:  `{"servers":{"g":{"command":"python"}}}`,
		set:  `{"command":"two"}`,
		want: `{"servers":{"g":{"command":"python"}},"mcpServers":{"b":{"command":"two"}}}`,
	},
	{
		name: "empty object",
		old:  "{}\n",
		set:  `{"command":"two"}`,
		want: lines(`{`, `  "mcpServers": {`, `    "b": {`, `      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "empty text",
		old:  "",
		set:  `{"command":"two","args":["x"]}`,
		want: lines(`{`, `  "mcpServers": {`, `    "b": {`, `      "command": "two",`, `      "args": ["x"]`, `    }`, `  }`, `}`),
	},
	{
		name: "blank text",
		old:  "\n  \n",
		set:  `{"command":"two"}`,
		want: "\n  \n" + lines(`{`, `  "mcpServers": {`, `    "b": {`, `      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "comment only",
		old:  "// nothing yet\n",
		set:  `{"command":"two"}`,
		want: lines(`// nothing yet`, `{`, `  "mcpServers": {`, `    "b": {`, `      "command": "two"`, `    }`, `  }`, `}`),
	},
	{
		name: "comment only, CRLF, byte order mark, no last line end",
		old:  byteOrderMark + "// nothing\r\n// yet",
		set:  `{"command":"two"}`,
		want: byteOrderMark + crlf(lines(`// nothing`, `// yet`, `{`, `  "mcpServers": {`, `    "b": {`,
			`      "command": "two"`, `    }`, `  }`, `}`)),
	},
	{
		name: "byte order mark only",
		old:  byteOrderMark,
		set:  `1`,
		want: byteOrderMark + lines(`{`, `  "mcpServers": {`, `    "b": 1`, `  }`, `}`),
	},
	{
		name: "comment behind the document",
		old:  "{} // end",
		set:  `1`,
		want: "{\n  \"mcpServers\": {\n    \"b\": 1\n  }\n} // end",
	},
	{
		name: "numbers and escapes keep their spelling",
		old:  `{"x":9007199254740993,"y":30.0,"z":1e400,"w":1E-7,"s":"caf\u00e9 \/ \ud83d\ude00","mcpServers":{}}`,
		set:  `{"n":123456789012345678901234567890,"e":1E-7,"s":"\u00e9\/\ud83d\ude00\u003c"}`,
		want: `{"x":9007199254740993,"y":30.0,"z":1e400,"w":1E-7,"s":"caf\u00e9 \/ \ud83d\ude00",` +
			`"mcpServers":{"b":{"n":123456789012345678901234567890,"e":1E-7,"s":"\u00e9\/\ud83d\ude00\u003c"}}}`,
	},
	{
		name: "a long array is not put on one line",
		old:  lines(`{`, `  "mcpServers": {`, `  }`, `}`),
		set:  `["` + strings.Repeat("x", 60) + `","` + strings.Repeat("y", 60) + `"]`,
		want: lines(`{`, `  "mcpServers": {`, `    "b": [`, `      "`+strings.Repeat("x", 60)+`",`,
			`      "`+strings.Repeat("y", 60)+`"`, `    ]`, `  }`, `}`),
	},
}

func TestAdd(t *testing.T) {
	for _, e := range additions {
		e.path = server
		t.Run(e.name, func(t *testing.T) {
			e.run(t)
			if _, err := oneBlock(e.old, e.want); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLongLine: a megabyte on one line gets a member in time that grows with its length. Nothing measures it; it took
// a minute when it grew with the square.
func TestLongLine(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"a":{"b":1}`)
	for i := range 75000 {
		fmt.Fprintf(&b, `,"k%d":"v"`, i)
	}
	b.WriteString("}")
	out, err := parse(t, b.String()).Set([]string{"a", "c"}, []byte("2"))
	if want := strings.Replace(b.String(), `"b":1`, `"b":1,"c":2`, 1); err != nil || string(out) != want {
		t.Errorf("%v, %.60s", err, out)
	}
}
