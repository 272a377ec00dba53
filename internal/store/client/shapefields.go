package client

import (
	"maps"
	"slices"
)

// fields are the names of the fields that the client's entries have.
func (f *shape) fields() []string {
	names := []string{"command", "args", "env", "url", "headers"}
	for _, a := range f.names {
		names = slices.DeleteFunc(names, func(name string) bool { return name == a.ours })
	}
	add := func(more ...string) {
		for _, name := range more {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, a := range f.names {
		add(a.theirs)
	}
	if f.typed() {
		add("type")
	}
	if f.unit != 0 && !slices.ContainsFunc(f.names, func(a alias) bool { return a.ours == "timeout" }) {
		add("timeout")
	}
	add(f.off, f.show, f.hide, f.signIn.in)
	if f.signIn.in == "" {
		add(f.signIn.theirs()...)
	}
	add(f.olderType...)
	add(f.has...)
	add(f.more...)
	for key := range f.gaps {
		add(key)
	}
	for key := range f.aside {
		add(key)
	}
	slices.Sort(names)
	return names
}

// typed tells whether its entries have a type.
func (f *shape) typed() bool {
	renamed := slices.ContainsFunc(f.names, func(a alias) bool { return a.ours == "type" })
	if f.types != nil || f.words == nil {
		return !renamed
	}
	for _, word := range f.words {
		if word != "" && word != "-" {
			return !renamed
		}
	}
	return false
}

// inside are the names in the objects of an entry, by their own names.
func (f *shape) inside() map[string][]string {
	names := maps.Clone(f.objects)
	if f.signIn.in == "" {
		return names
	}
	if names == nil {
		names = map[string][]string{}
	}
	names[f.signIn.in] = slices.Concat(names[f.signIn.in], f.signIn.theirs())
	return names
}

func (s signIn) theirs() (names []string) {
	for _, a := range s.fields {
		names = append(names, a.theirs)
	}
	return names
}
