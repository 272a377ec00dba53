package supervisor

import "golang.org/x/sys/unix"

// noCore sets the soft limit on core files to 0.
func noCore() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		return err
	}
	limit.Cur = 0
	return unix.Setrlimit(unix.RLIMIT_CORE, &limit)
}
