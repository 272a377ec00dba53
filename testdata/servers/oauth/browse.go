package oauth

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// browseTimeout bounds a page; it is for a broken build.
const browseTimeout = 20 * time.Second

// Browse is a browser without a screen: it notes its arguments in the file $OPENED, if
// there is one, and opens the one URL, following five redirects at most. With
// $BROWSE_PRINT it follows none and prints where it was sent to; with $BROWSE_NOTHING
// it only notes.
func Browse() {
	if path := os.Getenv("OPENED"); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintf(f, "%d:%s\n", len(os.Args)-1, strings.Join(os.Args[1:], " "))
			f.Close()
		}
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "fakebrowser: want one URL")
		os.Exit(2)
	}
	if os.Getenv("BROWSE_NOTHING") != "" {
		os.Exit(0)
	}
	most := 5
	if os.Getenv("BROWSE_PRINT") != "" {
		most = 0
	}
	client := &http.Client{Timeout: browseTimeout, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > most {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	resp, err := client.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakebrowser:", err)
		os.Exit(1)
	}
	resp.Body.Close()
	if most == 0 {
		fmt.Println(resp.Header.Get("Location"))
	}
	if resp.StatusCode >= 400 {
		fmt.Fprintln(os.Stderr, "fakebrowser:", resp.Status)
		os.Exit(1)
	}
	os.Exit(0)
}
