package commands

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// mostFiles bounds what is offered of one directory.
const mostFiles = 1000

// completeFiles completes the path behind front, such as "k=@": shells do not look for
// files behind something else. A directory ends in "/" and may go on.
func completeFiles(front, path string) ([]string, cobra.ShellCompDirective) {
	dir, begun := filepath.Split(path)
	at := dir
	if at == "" {
		at = "."
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	f, err := os.Open(at)
	if err != nil {
		return nil, directive
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostFiles) // what could be read is better than nothing
	var out proposals
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, begun) || begun == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(at, name)); err == nil && info.IsDir() {
			name, directive = name+"/", directive|cobra.ShellCompDirectiveNoSpace
		}
		out.addValue(front + dir + name)
	}
	return out, directive
}

// pathWords are the words by which an argument that takes a path is called.
var pathWords = map[string]bool{"path": true, "paths": true, "file": true, "files": true, "filename": true, "filepath": true, "pathname": true,
	"dir": true, "directory": true, "directories": true, "folder": true, "folders": true, "cwd": true}

// looksLikePath tells whether the last word of an argument's name says that it is a path.
func looksLikePath(name string) bool {
	var b strings.Builder
	for _, c := range name {
		switch {
		case unicode.IsUpper(c):
			b.WriteRune(' ')
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			c = ' '
		}
		b.WriteRune(unicode.ToLower(c))
	}
	words := strings.Fields(b.String())
	return len(words) > 0 && pathWords[words[len(words)-1]]
}
