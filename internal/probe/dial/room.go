package dial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// roomNeeded is what the start of a server takes: both ends of three pipes, and
	// two holds on its process. Five of them stay.
	roomNeeded = 8
	// roomKept is what a start leaves: for clients who ask, files that are read, the
	// log. Of a small limit it is a quarter.
	roomKept = 12
)

// ErrNoRoom is wrapped by the error of a server for which too few descriptors were
// left. It is no fault of the server: it can start once others have ended.
var ErrNoRoom = errors.New("too few descriptors are left")

// opening is held from the look at what is left until a server has its own, or
// many that start at once would all find room for one.
var opening sync.Mutex

// checkRoom refuses to start a server with the last descriptors of this process:
// it could then neither be asked nor stopped.
func checkRoom(v *voice) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return nil
	}
	most := int(min(limit.Cur, 1<<30))
	used := most
	if entries, err := os.ReadDir("/dev/fd"); err == nil {
		used = len(entries) - 1 // without the one it was read with
	} else if errors.Is(err, fs.ErrNotExist) {
		return nil // a system without that list
	}
	if used+roomNeeded+min(roomKept, most/4) <= most {
		return nil
	}
	e := v.fail(CodeConnectFailed, fmt.Sprintf("too few descriptors are left for another server: %d of %d are in use", used, most),
		"end servers that nobody needs, or raise the limit (ulimit -n) and restart the supervisor")
	e.Err = ErrNoRoom
	return e
}

// openWithRoom opens the streams of a server, if there is room for them.
func openWithRoom(v *voice) (ours, theirs streams, err error) {
	opening.Lock()
	defer opening.Unlock()
	if err := checkRoom(v); err != nil {
		return ours, theirs, err
	}
	if ours, theirs, err = openStreams(); err != nil {
		err = v.fail(CodeConnectFailed, "cannot open pipes to the server: "+err.Error(), "")
	}
	return ours, theirs, err
}
