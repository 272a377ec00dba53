package commands

import (
	"bytes"
	"encoding/json"
)

// Parts of JSON that somebody else wrote, taken out without touching the rest.

// member is one member of a JSON object.
type member struct {
	key   string
	value json.RawMessage
}

// members are those of an object in their order; none of what is no object. Of two
// with one name the last counts, as everywhere in JSON.
func members(raw json.RawMessage) []member {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []member
	at := map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		var m member
		if err != nil || dec.Decode(&m.value) != nil {
			return nil
		}
		m.key, _ = key.(string)
		if i, again := at[m.key]; again {
			out[i] = m
			continue
		}
		at[m.key] = len(out)
		out = append(out, m)
	}
	return out
}

// jsonList are the elements of an array; nil of what is none.
func jsonList(raw json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// jsonText is a JSON string's; "" of what is none.
func jsonText(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // what is no string is as good as none
	return s
}
