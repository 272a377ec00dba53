package dial

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

// A call whose stream has begun may have run, however its rest is refused; and
// nothing may take it for one that can be sent again.
func TestAcceptedCallIsLost(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 404, 405, 429, 302} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newWeb(t, func(w http.ResponseWriter, r *http.Request, m oddMessage) bool {
				switch {
				case m.Method == "tools/call":
					w.Header().Set("Content-Type", "text/event-stream")
					fmt.Fprint(w, "id: e1\nretry: 1\ndata: \n\n")
				case r.Method == http.MethodGet:
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(status)
				default:
					return false
				}
				return true
			})
			s.session = true
			f := s.fixture(t)
			f.options.Retries = 0
			_, err := f.connect().CallTool(t.Context(), "echo", nil, 0)
			wantError(t, err, CodeOutcomeUnknown, "may have run")
			if errors.Is(err, ErrSessionGone) {
				t.Error("it would be called again")
			}
		})
	}
}
