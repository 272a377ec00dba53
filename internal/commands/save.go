package commands

import (
	"errors"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/commands/report"
	"github.com/mcpctl/mcpctl/internal/engine/wire"
)

// saver writes what is no text of a result into files of one directory. Their names
// are made here: a server has a say in neither the place nor the name.
type saver struct {
	dir  string
	root *os.Root
	name string // of the tool, harmless
}

// newSaver opens the directory, which is made when it is not there: before the call,
// since afterwards its result would be lost. An error is MCP_IO.
func newSaver(dir, tool string) (*saver, error) {
	root, err := openDir(dir)
	if err != nil {
		return nil, wire.NewError(wire.IO, "cannot save into '"+dir+"': "+reason(err), "")
	}
	return &saver{dir: dir, root: root, name: fileWord(tool)}, nil
}

func openDir(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func (s *saver) close() { _ = s.root.Close() } // nothing is written through it any more

// mostNames bounds the search for a name that is free.
const mostNames = 10_000

// save writes data as block number n, counted from 1, into a new file, and never into one that is
// there, nor through a link. It returns the file's path. An error is MCP_IO.
func (s *saver) save(n int, mimeType string, data []byte) (string, error) {
	stem := s.name + "-" + strconv.Itoa(n)
	for try := 1; try <= mostNames; try++ {
		name := stem + "." + extension(mimeType)
		if try > 1 {
			name = stem + "-" + strconv.Itoa(try) + "." + extension(mimeType)
		}
		f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		path := filepath.Join(s.dir, name)
		if err == nil {
			_, err = f.Write(data)
			if closed := f.Close(); err == nil {
				err = closed
			}
			if err != nil {
				_ = s.root.Remove(name) // half a file is none
			}
		}
		if err != nil {
			return "", wire.NewError(wire.IO, "cannot write '"+path+"': "+reason(err), "")
		}
		return path, nil
	}
	return "", wire.NewError(wire.IO, "'"+s.dir+"' is full of files named '"+stem+"'", "save into another directory")
}

// blob finds what is to be saved of a block; false when it is text.
func (b block) blob() (data, mimeType string, ok bool) {
	switch {
	case b.Type == "image" || b.Type == "audio":
		return b.Data, b.MimeType, true
	case b.Type == "resource" && b.Resource.Blob != nil:
		return *b.Resource.Blob, b.Resource.MimeType, true
	}
	return "", "", false
}

// saveAll saves the blobs of a result. What cannot be decoded is warned of and stays
// in the result; the first error of writing ends it.
func (a *app) saveAll(s *saver, content []block) (saved []report.Saved, err error) {
	saved = []report.Saved{}
	for i, b := range content {
		text, mimeType, ok := b.blob()
		if !ok {
			continue
		}
		data, err := decodeBase64(text)
		if err != nil {
			if a.json == "" {
				a.warn("block "+strconv.Itoa(i+1)+" of the result is not base64 and was not saved", "")
			}
			continue
		}
		path, err := s.save(i+1, mimeType, data)
		if err != nil {
			return saved, err
		}
		saved = append(saved, report.Saved{Block: i, Path: path, MimeType: mimeType, Bytes: len(data)})
	}
	return saved, nil
}

// fileWord makes a tool's name one that a file may have.
func fileWord(name string) string {
	const most = 64
	word := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
			return r
		}
		return '_'
	}, name)
	if len(word) > most {
		word = word[:most]
	}
	if word = strings.TrimLeft(word, "-"); word == "" {
		return "output"
	}
	return word
}

// extensions are those of common types. The system's own table differs from machine
// to machine, and a script should find the same name everywhere.
var extensions = map[string]string{
	"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/svg+xml": "svg", "image/bmp": "bmp",
	"image/avif": "avif", "image/tiff": "tiff", "image/x-icon": "ico",
	"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mp4": "m4a",
	"audio/ogg": "ogg", "audio/flac": "flac", "audio/aac": "aac", "audio/webm": "weba", "video/mp4": "mp4", "video/webm": "webm",
	"application/pdf": "pdf", "application/zip": "zip", "application/gzip": "gz", "application/json": "json", "application/xml": "xml",
	"text/html": "html", "text/css": "css", "text/csv": "csv", "text/markdown": "md", "text/xml": "xml", "text/javascript": "js",
}

// extension is that of a file of a MIME type; "bin" for one that is not known.
func extension(mimeType string) string {
	kind, _, err := mime.ParseMediaType(mimeType)
	known := extensions[kind]
	switch {
	case err != nil:
		return "bin"
	case known != "":
		return known
	case strings.HasPrefix(kind, "text/"):
		return "txt"
	case strings.HasSuffix(kind, "+json"):
		return "json"
	case strings.HasSuffix(kind, "+xml"):
		return "xml"
	}
	return "bin"
}
