package store

import (
	"errors"
	"syscall"
)

// errorsOf joins the errors of several steps that go without saying.
func errorsOf(errs ...error) error { return errors.Join(errs...) }

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
