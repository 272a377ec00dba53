package client

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// about tells people what the family's fields say.
func (f family) about() []string {
	facts := []string{"type: " + f.typeFacts()}
	say := func(key, text string) { facts = append(facts, key+": "+text) }
	if f.url != "" {
		say("address", f.url+", or url")
	}
	switch f.unit {
	case time.Second, time.Millisecond:
		say("timeout", unitName(f.unit))
	default:
		say("timeout", "none")
	}
	if f.disabled {
		say("switch", "disabled")
	} else {
		say("switch", "none")
	}
	say("references", f.referenceFacts())
	if f.noCwd {
		say("cwd", "none")
	}
	if f.off != "" {
		say("tools", f.off+" is toolExposure")
	}
	if f.only != "" {
		say("tools", f.only+" is toolExposure")
	}
	if words := slices.Sorted(maps.Keys(f.oauth.fields)); len(words) > 0 {
		in := ""
		if f.oauth.in != "" {
			in = " in " + f.oauth.in
		}
		say("sign-in", strings.Join(words, ", ")+in)
	}
	fields := slices.Concat(slices.Collect(maps.Keys(f.gaps)), slices.Collect(maps.Keys(f.aside)))
	if slices.Sort(fields); len(fields) > 0 {
		say("no counterpart", strings.Join(fields, ", "))
	}
	return facts
}

// typeFacts are the words for the transports, and what an address without one is.
func (f family) typeFacts() string {
	words := strings.Join(slices.Sorted(maps.Keys(f.types)), ", ")
	switch {
	case f.typeWhy != "":
		return words + "; refused without one beside an address"
	case f.urlAlone != "":
		return words + "; an address without one is " + f.urlAlone
	}
	return words
}

func (f family) referenceFacts() string {
	var forms []string
	if f.values.dollar {
		forms = append(forms, "$NAME")
	}
	if f.values.bare {
		forms = append(forms, "${NAME}")
	}
	if f.values.defaults {
		forms = append(forms, "${NAME:-default}")
	}
	if f.values.env != "" {
		forms = append(forms, "${"+f.values.env+"NAME}")
	}
	for _, word := range slices.Sorted(maps.Keys(f.values.words)) {
		forms = append(forms, "${"+word+"}")
	}
	if f.values.inputs {
		forms = append(forms, "${input:ID} as the variable ID")
	}
	if len(forms) == 0 {
		return "none"
	}
	text := strings.Join(forms, ", ")
	if plain := slices.Sorted(maps.Keys(f.plain)); len(plain) > 0 {
		text += "; none in " + strings.Join(plain, ", ")
	}
	return text
}
