package client

import (
	"maps"
	"slices"
	"strings"
)

// about tells people what the shape's fields say.
func (f *shape) about() []string {
	var facts []string
	say := func(key, text string) {
		if text != "" {
			facts = append(facts, key+": "+text)
		}
	}
	say("type", f.typeFacts())
	for _, a := range f.names {
		if a.ours != "" {
			say("names", a.theirs+" is "+a.ours)
		}
	}
	say("address", f.address)
	if f.unit == 0 {
		say("timeout", "none")
	} else {
		say("timeout", unitName(f.unit))
	}
	if f.off == "" {
		say("switch", "none")
	} else {
		say("switch", f.off)
	}
	say("references", f.referenceFacts())
	if !slices.Contains(f.has, "cwd") {
		say("cwd", "none")
	}
	for _, list := range []string{f.hide, f.show} {
		if list != "" {
			say("tools", list+" is toolExposure")
		}
	}
	var signIn []string
	for _, a := range f.oauth {
		if a.ours != "" {
			signIn = append(signIn, a.theirs)
		}
	}
	say("sign-in", strings.Join(signIn, ", "))
	say("editions", f.editions)
	say("layers", f.layers)
	say("no counterpart", strings.Join(slices.Sorted(maps.Keys(f.theirs)), ", "))
	return facts
}

// typeFacts are the words for the transports.
func (f *shape) typeFacts() string {
	var words []string
	for _, transport := range []string{"stdio", "http", "sse"} {
		word, can := f.words[transport]
		switch {
		case !can:
			words = append(words, "not "+transport)
		case word != "" && word != "-" && word != transport:
			words = append(words, word+" for "+transport)
		case word == transport:
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "none; the client finds out"
	}
	return strings.Join(words, ", ")
}

func (f *shape) referenceFacts() string {
	switch {
	case f.spelling.forms == "":
		return "none"
	case len(f.resolved) >= len(everyField):
		return f.spelling.forms
	}
	return f.spelling.forms + " in " + strings.Join(f.resolved, ", ")
}
