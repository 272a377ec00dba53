package oauth

import (
	"encoding/json"
	"strconv"
)

// document is a JSON object of a server, read by exact keys: encoding/json's fields
// would take "Issuer" for "issuer". A value of another type counts as absent, as null
// and the empty string do: a server that is careless about what we do not need is
// still of use.
type document map[string]json.RawMessage

func readDocument(data []byte) (document, bool) {
	var d document
	return d, json.Unmarshal(data, &d) == nil && d != nil
}

func (d document) text(key string) string {
	var s string
	_ = json.Unmarshal(d[key], &s)
	return s
}

// texts is a list; given tells whether there was one at all.
func (d document) texts(key string) (list []string, given bool) {
	var raw []json.RawMessage
	if json.Unmarshal(d[key], &raw) != nil || raw == nil {
		return nil, false
	}
	for _, el := range raw {
		var s string
		if json.Unmarshal(el, &s) == nil && s != "" {
			list = append(list, s)
		}
	}
	return list, true
}

func (d document) yes(key string) bool {
	var b bool
	_ = json.Unmarshal(d[key], &b)
	return b
}

// seconds is a number, also one in quotes; 0 when there is none.
func (d document) seconds(key string) int64 {
	text := string(d[key])
	if s := d.text(key); s != "" {
		text = s
	}
	f, err := strconv.ParseFloat(text, 64)
	const sane = 100 * 365 * 24 * 60 * 60
	if err != nil || !(f > 0) {
		return 0
	}
	return int64(min(f, sane))
}
