package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/store/atomicfile"
)

const (
	// fileVersion is the format of the file of credentials. A newer one is refused,
	// not guessed at.
	fileVersion = 1
	fileLimit   = 16 << 20
	fileName    = "credentials.json"
)

// credentialFile is the file as it is written.
type credentialFile struct {
	Version     int          `json:"version"`
	Sum         string       `json:"sum"` // over Credentials, so that damage is never taken for a token
	Credentials []credential `json:"credentials"`
}

func (f *credentialFile) sum() string {
	data, err := json.Marshal(f.Credentials)
	if err != nil {
		return "" // never: they are strings and times
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (k *Keeper) path() string { return filepath.Join(k.places.State(), fileName) }

// read reads the file; a missing one is empty. It fails closed with MCP_IO.
func (k *Keeper) read() (*credentialFile, error) {
	file, damaged, err := k.load()
	if damaged {
		return nil, k.fault("the stored credentials are damaged", "sign in again; the damaged file is then kept aside")
	}
	return file, err
}

func (k *Keeper) load() (file *credentialFile, damaged bool, err error) {
	data, info, err := atomicfile.ReadFile(k.path(), fileLimit)
	if err != nil {
		return nil, false, err
	}
	file = &credentialFile{Version: fileVersion}
	if info == nil {
		return file, false, nil
	}
	if why := exposed(info); why != "" {
		return nil, false, k.fault("the stored credentials "+why, "see who did that; then: chmod 600 '"+k.path()+"'")
	}
	var read credentialFile
	switch err := json.Unmarshal(data, &read); {
	case err == nil && read.Version > fileVersion:
		return nil, false, k.fault(fmt.Sprintf("the stored credentials have version %d, this mcpctl knows %d", read.Version, fileVersion), "update mcpctl")
	case err != nil, read.Version < 1, read.sum() != read.Sum:
		return nil, true, nil
	}
	return &read, false, nil
}

// exposed says why somebody else may have read or written the tokens.
func exposed(info fs.FileInfo) string {
	if info.Mode().Perm()&0o077 != 0 {
		return "are open to other users"
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return "belong to another user"
	}
	return ""
}

func (k *Keeper) fault(message, hint string) error {
	return &Error{Code_: CodeIO, Message: k.path() + ": " + message, Hint_: hint}
}

// change rewrites the file under its lock. A damaged one is first moved aside, and
// what is stored is stored anew: nothing of it was of use.
func (k *Keeper) change(ctx context.Context, edit func(*credentialFile)) error {
	return k.rewrite(ctx, edit, false)
}

// writable writes the file as it is, to find out whether it can be written: before a
// token is used up for one that could not be stored.
func (k *Keeper) writable(ctx context.Context) error {
	return k.rewrite(ctx, func(*credentialFile) {}, true)
}

// SetAside moves a store that is damaged out of the way, so that a sign-in can begin
// anew; nothing of it was of use. One that is sound, or not to be read for another
// reason, is left alone.
func (k *Keeper) SetAside(ctx context.Context) error {
	if _, damaged, err := k.load(); err != nil || !damaged {
		return nil
	}
	return k.writable(ctx)
}

func (k *Keeper) rewrite(ctx context.Context, edit func(*credentialFile), always bool) error {
	target, err := atomicfile.Follow(k.path())
	if err != nil {
		return err
	}
	defer target.Close()
	release, err := atomicfile.Lock(ctx, k.places.Locks(), target.Real(), fileWait)
	if err != nil {
		return err
	}
	defer release()
	file, damaged, err := k.load()
	if err != nil {
		return err
	}
	if damaged {
		if err := target.Aside(fileName + ".corrupt-" + k.now().UTC().Format("20060102T150405Z")); err != nil {
			return err
		}
		file = &credentialFile{Version: fileVersion}
	}
	before := file.sum()
	if edit(file); file.sum() == before && !always {
		return nil
	}
	file.Sum = file.sum()
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return target.Replace(append(data, '\n'), 0o600, false)
}
