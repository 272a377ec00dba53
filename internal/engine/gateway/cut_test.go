package gateway

import (
	"encoding/json"
	"testing"
)

func TestTextSaysValue(t *testing.T) {
	for _, row := range []struct {
		text, value string
		want        bool
	}{
		{`{"b":[1.50], "a":1}`, `{"a":1,"b":[1.50]}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`plain`, `{"result":"plain"}`, true},
		{`[1,2]`, `{"result":[1, 2]}`, true},
		{`1`, `{"result":1,"more":2}`, false},
		{`plain`, `"plain"`, true},
		{`{"a":1} and more`, `{"a":1}`, false},
		{`x`, ``, false},
		{`x`, `{`, false},
	} {
		if got := says(row.text, json.RawMessage(row.value)); got != row.want {
			t.Errorf("%s says %s: %t", row.text, row.value, got)
		}
	}
}
