// Command copy is the floor of a listing and of an edit: it reads a file, and
// with a second argument writes it back as it was, durably. Benchmarks divide by it.
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err == nil && len(os.Args) > 2 {
		err = replace(os.Args[1], data)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".copy-*")
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return dir.Sync()
}
