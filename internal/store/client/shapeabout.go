package client

import (
	"cmp"
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
	say("timeout", unitName(f.unit))
	say("switch", cmp.Or(f.off, "none"))
	say("references", f.referenceFacts())
	if !slices.Contains(f.has, "cwd") {
		say("cwd", "none")
	}
	for _, list := range []string{f.hide, f.show} {
		if list != "" {
			say("tools", list+" is toolExposure")
		}
	}
	say("sign-in", f.signInFacts())
	unsaid := slices.Collect(maps.Keys(f.gaps))
	unsaid = slices.AppendSeq(unsaid, maps.Keys(f.aside))
	slices.Sort(unsaid)
	say("no counterpart", strings.Join(unsaid, ", "))
	return append(facts, f.facts...)
}

// typeFacts are the words for the transports, and what an address without one is.
func (f *shape) typeFacts() string {
	words := slices.Sorted(maps.Keys(f.types))
	if f.types == nil && f.words == nil {
		words = []string{"as in mcpctl's own"} // it is only read
	} else if f.types == nil {
		for _, transport := range []string{"stdio", "http", "sse"} {
			switch word, can := f.words[transport]; {
			case !can:
				words = append(words, "not "+transport)
			case word == transport:
				words = append(words, word)
			case word != "" && word != "-":
				words = append(words, word+" for "+transport)
			}
		}
	}
	text := strings.Join(words, ", ")
	switch {
	case text == "":
		return "none; the client finds out"
	case f.typeWhy != "":
		return text + "; refused without one beside an address"
	case f.urlAlone != "":
		return text + "; an address without one is " + f.urlAlone
	}
	return text
}

func (f *shape) referenceFacts() string {
	forms := f.spelling.facts()
	switch {
	case forms == "":
		return "none"
	case f.resolved == nil || len(f.resolved) >= len(everyField):
		return forms
	}
	return forms + " in " + strings.Join(f.resolved, ", ")
}

// facts are the references that there are.
func (s spelling) facts() string {
	var forms []string
	say := func(is bool, form string) {
		if is {
			forms = append(forms, form)
		}
	}
	say(s.dollar, "$NAME")
	say(s.bare, "${NAME}")
	say(s.defaults, "${NAME:-default}")
	say(s.env != "", "${"+s.env+"NAME}")
	for _, word := range slices.Sorted(maps.Keys(s.words)) {
		say(true, "${"+word+"}")
	}
	say(s.inputs, "${input:ID} as the variable ID")
	say(s.forms != "", s.forms)
	return strings.Join(forms, ", ")
}

func (f *shape) signInFacts() string {
	var words []string
	for _, a := range f.signIn.fields {
		if a.ours != "" {
			words = append(words, a.theirs)
		}
	}
	text := strings.Join(words, ", ")
	if f.signIn.in != "" && text != "" {
		return text + " in " + f.signIn.in
	}
	return text
}
