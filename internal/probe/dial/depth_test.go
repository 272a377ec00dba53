package dial

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestDeepMessages: F6; a message is read however deep it is, and nothing that is not
// deep is lost from it.
func TestDeepMessages(t *testing.T) {
	for _, n := range []int{1, 997, 998, 999, 1000, 20_000, 1_000_000} {
		deep := strings.Repeat(`{"a":[`, n/2) + `1` + strings.Repeat(`]}`, n/2)
		text := `{"jsonrpc":"2.0","id":1,"result":{"deep":` + deep + `,"flat":"[{\"","list":[{}]}}`
		m, err := decodeMessage([]byte(text))
		if err != nil {
			t.Errorf("%d levels: %v", n, err)
			continue
		}
		var result struct {
			Deep json.RawMessage
			Flat string
			List []struct{}
		}
		raw := m.(*jsonrpc.Response).Result
		if err := json.Unmarshal(raw, &result); err != nil || result.Flat != `[{"` || len(result.List) != 1 {
			t.Errorf("%d levels: %v, %+v", n, err, result)
		}
		if cut, over := string(result.Deep) != deep, depth(raw) > deepest; cut && !over {
			t.Errorf("%d levels: cut, and does not look so", n)
		}
	}
	if _, err := decodeMessage([]byte(strings.Repeat("[", 1<<20))); err == nil {
		t.Error("half a message was read")
	}
}
