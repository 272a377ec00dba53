package store

import "github.com/mcpctl/mcpctl/internal/store/jsonc"

// mend is the one safe way to mend a problem: it returns the text without it.
type mend struct {
	do func(doc *jsonc.Document) ([]byte, error)
}
