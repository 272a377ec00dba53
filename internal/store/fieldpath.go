package store

import "strings"

// FieldPath splits the path of a field, such as env.KEY, at its dots; a dot in a key
// is written '\.', and a backslash '\\'. No key is empty.
func FieldPath(text string) (path []string, ok bool) {
	path, rest, ok := cutPath(text, `.\`, "")
	return path, ok && rest == ""
}

// FieldAssignment splits PATH=VALUE; a '=' in a key is written '\='. Without a '='
// value is "" and assigned false.
func FieldAssignment(text string) (path []string, value string, assigned, ok bool) {
	path, rest, ok := cutPath(text, `.=\`, "=")
	value, assigned = strings.CutPrefix(rest, "=")
	return path, value, assigned, ok
}

// cutPath reads keys up to one of the characters of end, or to the end of the text. A
// backslash takes a character of special as it is.
func cutPath(text, special, end string) (path []string, rest string, ok bool) {
	var key strings.Builder
	for i := 0; ; i++ {
		over := i == len(text) || strings.IndexByte(end, text[i]) >= 0
		switch {
		case over || text[i] == '.':
			if key.Len() == 0 {
				return nil, "", false
			}
			path = append(path, key.String())
			if over {
				return path, text[i:], true
			}
			key.Reset()
		case text[i] == '\\' && i+1 < len(text) && strings.IndexByte(special, text[i+1]) >= 0:
			i++
			key.WriteByte(text[i])
		default:
			key.WriteByte(text[i])
		}
	}
}
