// Command hello is the floor of every command line built on cobra: sixteen
// commands that do nothing. Benchmarks divide by it.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "hello", Version: "1", Run: func(*cobra.Command, []string) { fmt.Println("hello") }}
	for i := range 16 {
		root.AddCommand(&cobra.Command{Use: fmt.Sprintf("verb%d", i), Short: "does nothing", Run: func(*cobra.Command, []string) {}})
	}
	if root.Execute() != nil {
		os.Exit(1)
	}
}
