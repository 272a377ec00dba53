package foreign

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// Limits of a bundle. The largest that are published have some hundred megabytes.
const (
	manifestLimit = 1 << 20
	bundleFiles   = 100_000
	bundleLimit   = 2 << 30 // of all files, unpacked
)

// Archive is an open bundle.
type Archive struct {
	zip   *zip.Reader
	names map[string]*zip.File
}

// OpenArchive looks at a bundle without unpacking it. It fails for a file that is no
// bundle, and for one with a file that would lie outside of it, a link, too many files
// or too much.
func OpenArchive(r io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, errors.New("the file is not a bundle: it is no zip archive")
	}
	a := &Archive{zip: z, names: map[string]*zip.File{}}
	var total uint64
	for _, f := range z.File {
		if why := a.unsafe(f); why != "" {
			return nil, fmt.Errorf("the bundle is refused: its file %q %s", f.Name, why)
		}
		if !f.FileInfo().IsDir() {
			a.names[f.Name] = f
		}
		if total += f.UncompressedSize64; total > bundleLimit || len(a.names) > bundleFiles {
			return nil, errors.New("the bundle is refused: it would unpack to more than 2 GiB, or to more than 100000 files")
		}
	}
	return a, nil
}

func (a *Archive) unsafe(f *zip.File) string {
	name := strings.TrimSuffix(f.Name, "/")
	switch mode := f.Mode(); {
	case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00:"):
		return "would lie outside of it"
	case mode&fs.ModeType != 0 && !mode.IsDir():
		return "is a link, or another thing that is no file"
	case a.names[f.Name] != nil:
		return "stands twice"
	}
	return ""
}

// Has tells whether the bundle has a file, slash separated.
func (a *Archive) Has(name string) bool { return a.names[name] != nil }

// Manifest is the text of the bundle's manifest.
func (a *Archive) Manifest() ([]byte, error) {
	f := a.names[ManifestName]
	if f == nil {
		return nil, errors.New("the file is not a bundle: it has no " + ManifestName)
	}
	r, err := f.Open()
	if err != nil {
		return nil, errors.New("the bundle's manifest cannot be read: " + err.Error())
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, manifestLimit+1))
	switch {
	case err != nil:
		return nil, errors.New("the bundle's manifest cannot be read: " + err.Error())
	case len(data) > manifestLimit:
		return nil, errors.New("the bundle's manifest is larger than 1 MiB")
	}
	return data, nil
}

// Each calls put for every file of the bundle, until one fails. What a file holds ends
// with an error when all files together are larger than the bundle says, or may be.
func (a *Archive) Each(put func(name string, executable bool, content io.Reader) error) error {
	left := int64(bundleLimit)
	for _, f := range a.zip.File {
		if a.names[f.Name] != f {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("the bundle's file %q cannot be read: %w", f.Name, err)
		}
		bounded := &bounded{r: r, left: &left}
		err = put(f.Name, f.Mode()&0o111 != 0, bounded)
		_ = r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// bounded reads until the bytes that are left for all files are used up.
type bounded struct {
	r    io.Reader
	left *int64
}

// Read is that of io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, errors.New("the bundle is refused: it unpacks to more than 2 GiB")
	}
	return n, err
}
