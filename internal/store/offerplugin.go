package store

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
	"github.com/mcpctl/mcpctl/internal/store/client"
	"github.com/mcpctl/mcpctl/internal/store/foreign"
	"github.com/mcpctl/mcpctl/internal/store/jsonc"
)

// pluginOffers are the servers of a plugin or an extension, whose manifest, or whose file of
// servers, was named. They count only where it is installed; a copy of them runs what lies
// in the plugin's folder. is is false when the file is no plugin's.
func (s *Store) pluginOffers(src *Source, data []byte, req TextRequest) (out Offered, err error, is bool) {
	if req.As != "" || !filepath.IsAbs(src.Path) {
		return Offered{}, nil, false
	}
	if !foreign.IsPlugin(src.Path) {
		return s.besidePlugin(src, data, req)
	}
	doc, err := jsonc.Parse(data)
	if err != nil || doc.Root() == nil || doc.Root().Kind() != jsonc.Object {
		return Offered{}, nil, false
	}
	p, err := foreign.ReadPlugin(src.Path, doc.Root().Raw())
	if err != nil {
		return Offered{}, src.invalid(err), true
	}
	out = Offered{From: src.Path}
	if p.Inline {
		err = s.addPlugin(&out, src, p, data, req)
	}
	for _, file := range p.Files {
		if err != nil {
			break
		}
		err = s.addPluginFile(&out, src, p, file, req)
	}
	if err == nil && len(out.Offers) == 0 {
		err = &Error{Code_: CodeNotFound, Path: src.Path, Message: "the plugin has no servers"}
	}
	return out, err, true
}

// pluginIn is the manifest of the plugin in a folder; "" when it holds none.
func pluginIn(folder string) string {
	for _, name := range foreign.PluginManifests {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// besidePlugin are the servers of a file that lies where a plugin has its own.
func (s *Store) besidePlugin(src *Source, data []byte, req TextRequest) (Offered, error, bool) {
	root := filepath.Dir(src.Path)
	for _, name := range foreign.PluginBeside(src.Path) {
		manifest := filepath.Join(root, filepath.FromSlash(name))
		text, _, _, err := atomicfile.ReadInside(root, filepath.FromSlash(name), projectLimit)
		if err != nil || text == nil {
			continue
		}
		doc, err := jsonc.Parse(text)
		if err != nil || doc.Root() == nil {
			continue
		}
		p, err := foreign.ReadPlugin(manifest, doc.Root().Raw())
		if err != nil {
			return Offered{}, src.invalid(err), true
		}
		out := Offered{From: src.Path}
		err = s.addPlugin(&out, src, p, data, req)
		return out, err, true
	}
	return Offered{}, nil, false
}

// addPluginFile adds the servers of a file of the plugin.
func (s *Store) addPluginFile(out *Offered, src *Source, p foreign.Plugin, file string, req TextRequest) error {
	at := *src
	at.Path = filepath.Join(p.Root, filepath.FromSlash(file))
	data, info, _, err := atomicfile.ReadInside(p.Root, filepath.FromSlash(file), projectLimit)
	switch {
	case err != nil:
		return err
	case info == nil && p.Maybe:
		return nil
	case info == nil:
		return &Error{Code_: CodeNotFound, Path: at.Path, Message: "the plugin's manifest names this file, which is not there", Err: os.ErrNotExist}
	}
	return s.addPlugin(out, &at, p, data, req)
}

// addPlugin adds the servers of a text, below mcpServers or bare.
func (s *Store) addPlugin(out *Offered, src *Source, p foreign.Plugin, data []byte, req TextRequest) error {
	data, asked := p.Fill(data)
	row, _ := client.Lookup(p.Shape)
	shaped := *src
	shaped.Client, shaped.keys, shaped.root, shaped.Problems = row.Name, row.Servers, p.Root, nil
	doc, err := jsonc.Parse(data)
	if err == nil && doc.Root() != nil && doc.Root().Kind() == jsonc.Object && shaped.servers(doc) == nil {
		if data, err = shaped.wrapped(doc, req.Name); err != nil {
			return err
		}
	}
	if shaped.parse(jsonc.Parse(data)); shaped.Broken {
		return shaped.firstError()
	}
	out.Problems = append(out.Problems, shaped.Problems...)
	for _, o := range s.fromFile(&shaped, req).Offers {
		o.asIs = false
		for _, variable := range slices.Sorted(maps.Keys(asked)) {
			if strings.Contains(string(o.own), "${"+variable+"}") {
				o.Notes = append(o.Notes, CopyNote{Message: "set the variable " + variable + ", which is '" + asked[variable] + "' of the plugin's configuration"})
			}
		}
		if strings.Contains(string(o.own), p.Root) {
			o.Notes = append(o.Notes, CopyNote{Message: "it runs files of the plugin in " + p.Root + ", which have to stay there"})
		}
		out.Offers = append(out.Offers, o)
	}
	return nil
}
