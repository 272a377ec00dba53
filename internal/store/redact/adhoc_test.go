package redact

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestAdhoc(t *testing.T) {
	b, _ := os.ReadFile(os.Getenv("CORPUS"))
	n := 0
	for _, l := range strings.Split(string(b), "\n") {
		if g := Text(l); g != l {
			n++
			if len(l) < 220 {
				fmt.Printf("- %s\n+ %s\n", strings.TrimSpace(l), strings.TrimSpace(g))
			}
		}
	}
	fmt.Println(n, len(strings.Split(string(b), "\n")))
}
