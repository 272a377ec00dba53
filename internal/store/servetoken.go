package store

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

// The bearer token of the gateway's HTTP side: a secret of the user's in a file that
// nobody else can read.

const (
	tokenName  = "serve-token"
	tokenLimit = 4 << 10
	// minToken is the shortest token that is accepted: below it one could be tried out.
	minToken = 16
)

// ServeTokenFile is the file of ServeToken, which need not be there.
func (s *Store) ServeTokenFile() string { return filepath.Join(s.Places.State(), tokenName) }

// ServeToken is the token of this user and the file it stands in, which is made when
// there is none.
func (s *Store) ServeToken(ctx context.Context) (token, path string, err error) {
	path = s.ServeTokenFile()
	target, err := atomicfile.Follow(path)
	if err != nil {
		return "", path, err
	}
	defer target.Close()
	release, err := atomicfile.Lock(ctx, s.Places.Locks(), target.Real(), lockWait)
	if err != nil {
		return "", path, err
	}
	defer release()
	if _, info, err := target.Read(tokenLimit); err != nil || info == nil {
		if err == nil {
			err = target.Replace([]byte(rand.Text()+"\n"), 0o600, false)
		}
		if err != nil {
			return "", path, err
		}
	}
	token, err = ReadToken(path)
	return token, path, err
}

// ReadToken reads a token from a file that only this user can read: MCP_PATH_UNSAFE for
// any other, MCP_CONFIG_INVALID when it holds none.
func ReadToken(path string) (string, error) {
	data, info, err := atomicfile.ReadFile(path, tokenLimit)
	if err != nil {
		return "", err
	}
	if info == nil {
		return "", &Error{Code_: CodeIO, Path: path, Message: "there is no file with a token"}
	}
	if why := readable(info); why != "" {
		return "", &Error{Code_: CodePathUnsafe, Path: path, Message: "the token is no secret: " + why, Hint_: "chmod 600 the file, and put another token into it"}
	}
	token := strings.TrimSpace(string(data))
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &Error{Code_: CodeInvalid, Path: path, Message: "a token is one word of printable ASCII"}
	}
	if token == "" {
		return "", &Error{Code_: CodeInvalid, Path: path, Message: "the file has no token", Hint_: "write one with: openssl rand -hex 16"}
	}
	if len(token) < minToken {
		return "", &Error{Code_: CodeInvalid, Path: path, Message: "the token is too short: others could guess it", Hint_: "use 16 characters or more, such as: openssl rand -hex 16"}
	}
	return token, nil
}

// readable says why others may read a file; "" when they may not.
func readable(info fs.FileInfo) string {
	if info.Mode().Perm()&0o077 != 0 {
		return "others may read its file"
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return "its file belongs to somebody else"
	}
	return ""
}
