package dial

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// A list whose pages all come in time, and go on and on, has an end.
func TestListHasATotalLimit(t *testing.T) {
	t.Parallel()
	n := 0
	s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
		if m.Method != "tools/list" {
			return false
		}
		time.Sleep(50 * time.Millisecond) // a server that takes its time
		n++
		answerWeb(w, m, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n))
		return true
	})
	f := s.fixture(t)
	f.options.StartTimeout = patience
	f.entry["timeout"] = "2s"
	_, err := f.connect().ListTools(t.Context())
	wantError(t, err, CodeTimeout, "the server's list of tools did not come to its end within 20s")
}
