package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/foreign"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// IsLink tells whether text is an install link.
func IsLink(text string) bool { return foreign.IsLink(text) }

// linkHint is what to do about a link that installs nothing: an address may be that of a
// server.
func linkHint(link string) string {
	known := "known are links of " + foreign.LinkPrograms + " that install an MCP server"
	if scheme := strings.ToLower(link); strings.HasPrefix(scheme, "http://") || strings.HasPrefix(scheme, "https://") {
		return known + "; a server at that address is added with: mcpctl add NAME URL"
	}
	return known
}

// LinkOffer is the server of an install link. Nothing is fetched.
func (s *Store) LinkOffer(link string, req TextRequest) (Offered, error) {
	src := &Source{Client: client.Native, Scope: User, Path: "the link", Exists: true}
	offer, err := foreign.Link(link)
	if err != nil {
		return Offered{}, &Error{Code_: CodeInvalid, Message: err.Error(), Hint_: linkHint(link)}
	}
	return s.offered(src, offer, req)
}

// foreignOffer reads a document that is no client's file; is is false when it is none.
func foreignOffer(src *Source, root *jsonc.Node, req TextRequest) (offer foreign.Offer, err error, is bool) {
	if root.Kind() != jsonc.Object {
		return offer, nil, false
	}
	var keys []string
	for _, m := range root.Members() {
		keys = append(keys, m.Key)
	}
	switch {
	case foreign.IsManifest(keys):
		dir := filepath.Dir(src.Path)
		offer, err = foreign.Manifest(root.Raw(), foreign.Bundle{Dir: dir, GOOS: runtime.GOOS, Has: func(name string) bool {
			info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
			return err == nil && info.Mode().IsRegular()
		}})
	case foreign.IsRegistry(keys):
		offer, err = foreign.Registry(root.Raw(), req.Pick)
	default:
		return offer, nil, false
	}
	return offer, err, true
}

// offered is the offer of a document that is about one server.
func (s *Store) offered(src *Source, from foreign.Offer, req TextRequest) (Offered, error) {
	shaped := *src
	if row, ok := client.Lookup(from.Shape); ok {
		shaped.Client = row.Name
	}
	name := from.Name
	if req.Name != "" {
		name = req.Name
	}
	if name == "" {
		return Offered{}, &Error{Code_: CodeUsage, Path: src.Path, Message: "it does not say the server's name", Hint_: "give it one with --name"}
	}
	shaped.add(name, from.Entry)
	shaped.Entries[0].Line, shaped.Entries[0].Column = 0, 0 // it is no text that anybody has seen
	var approvals *Approvals
	if shaped.Scope != Project {
		approvals = s.ReadApprovals()
	}
	out := Offered{From: src.Path, Offers: s.offersBy(&shaped, approvals, req.Agreed)}
	for _, note := range from.Notes {
		o := out.Offers[0]
		o.asIs = false
		o.Notes = append(o.Notes, CopyNote{note.Field, note.Message, note.Hint})
	}
	return out, nil
}

// bundle is a bundle whose files have to be unpacked before its server can run.
type bundle struct{ path, dir string }

// isArchive tells bundles by their names.
func isArchive(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".mcpb", ".dxt":
		return true
	}
	return false
}

// archiveLimit bounds a bundle's file; the largest that are published have some
// hundred megabytes.
const archiveLimit = 1 << 30

// bundleOffer is the server of a bundle. It is unpacked only when the copy is made, and
// only when the server runs files of it: into a directory of mcpctl's own that is named
// after what the bundle holds.
func (s *Store) bundleOffer(src *Source, req TextRequest) (Offered, error) {
	sum, err := atomicfile.Sum(src.Path, archiveLimit)
	if err != nil {
		return Offered{}, err
	}
	dir := filepath.Join(s.Places.State(), "bundles", sum[:16])
	var offer foreign.Offer
	err = openArchive(src.Path, func(a *foreign.Archive) error {
		text, err := a.Manifest()
		if err == nil {
			offer, err = foreign.Manifest(text, foreign.Bundle{Dir: dir, GOOS: runtime.GOOS, Has: a.Has})
		}
		return err
	})
	if err != nil {
		return Offered{}, src.invalid(err)
	}
	src.Exists = true
	out, err := s.offered(src, offer, req)
	if err == nil && offer.Files {
		out.Offers[0].files = &bundle{path: src.Path, dir: dir}
		out.Offers[0].Notes = append(out.Offers[0].Notes, CopyNote{Message: "the files of the bundle are unpacked into " + dir})
	}
	return out, err
}

func openArchive(path string, use func(*foreign.Archive) error) error {
	f, err := os.Open(path)
	if err != nil {
		return ioError("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ioError("read", path, err)
	}
	a, err := foreign.OpenArchive(f, info.Size())
	if err != nil {
		return err
	}
	return use(a)
}

// unpack unpacks the bundles whose servers are written.
func (c *Copy) unpack() error {
	for _, server := range c.Servers {
		b := server.Offer.files
		if b == nil || server.Result != CopyAdded && server.Result != CopyReplaced {
			continue
		}
		err := atomicfile.NewTree(b.dir, func(put func(name string, executable bool, content io.Reader) error) error {
			if err := openArchive(b.path, func(a *foreign.Archive) error { return a.Each(put) }); err != nil {
				return err
			}
			if sum, err := atomicfile.Sum(b.path, archiveLimit); err != nil || !strings.HasPrefix(sum, filepath.Base(b.dir)) {
				return errors.New("it changed while it was read")
			}
			return nil
		})
		if err != nil {
			return &Error{Code_: CodeIO, Path: b.path, Message: "the bundle cannot be unpacked into '" + b.dir + "'", Err: err}
		}
	}
	return nil
}
