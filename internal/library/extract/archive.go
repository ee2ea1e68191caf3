package extract

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// What an archive may have beside its limits.
const (
	// mostParts is how many parts an archive may have. A book of a thousand
	// pictures has a few thousand.
	mostParts = 20_000
	// mostDirectory is how many bytes the list of the parts may take.
	mostDirectory = 8 << 20
)

// What is wrong with an archive, for a person.
const (
	sentenceEmpty     = "The file is empty."
	sentenceDamaged   = "The file is damaged or incomplete, and cannot be opened."
	sentenceEncrypted = "The file is encrypted. Save it without a password and add it again."
)

// Archive is a zip file whose parts are read as streams. The names of its parts are
// keys and are never used as paths.
type Archive struct {
	file  *os.File
	parts map[string]*zip.File
	names []string
	limit int64
	left  int64 // bytes that may still be unpacked
}

// OpenArchive opens a zip file. Everything that is wrong with it is Broken.
func OpenArchive(s Source, l Limits) (*Archive, error) {
	file, err := OpenFile(s)
	if err != nil {
		return nil, err
	}
	a, err := newArchive(file, l)
	if err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

// OpenFile opens the file of a source. An empty one is Broken.
func OpenFile(s Source) (*os.File, error) {
	file, err := os.Open(s.Path)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	info, err := file.Stat()
	if err == nil && info.Size() == 0 {
		err = Broken(sentenceEmpty, nil)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func newArchive(file *os.File, l Limits) (*Archive, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("size of the file: %w", err)
	}
	directory := &meter{file: file, left: mostDirectory}
	r, err := zip.NewReader(directory, info.Size())
	if sentence := compound(file); err != nil && sentence != "" {
		return nil, Broken(sentence, err)
	}
	if directory.left < 0 || err == nil && len(r.File) > mostParts {
		return nil, Broken(fmt.Sprintf("The file is an archive of more than %d parts, which is the limit.", mostParts), nil)
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, damage(err)
	}
	directory.open = true
	a := &Archive{file: file, parts: make(map[string]*zip.File, len(r.File)), limit: l.Expanded, left: l.Expanded}
	for _, f := range r.File {
		key := partKey(f.Name)
		if _, ok := a.parts[key]; !ok && !strings.HasSuffix(f.Name, "/") {
			a.parts[key] = f
			a.names = append(a.names, f.Name)
		}
	}
	return a, nil
}

// partKey: the names of parts are compared as ISO 29500-2 section 7.2.3 says,
// whatever their case; some writers use the wrong bar.
func partKey(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
}

// Names are those of all parts, in the order in which they are stored.
func (a *Archive) Names() []string { return a.names }

// Has reports whether there is a part of this name.
func (a *Archive) Has(name string) bool { return a.parts[partKey(name)] != nil }

// Close closes the file.
func (a *Archive) Close() error { return a.file.Close() }

// Again lets all parts be read once more.
func (a *Archive) Again() { a.left = a.limit }

// Open opens a part. It fails with fs.ErrNotExist when there is none of that name.
// Reading fails with Broken when the parts together are larger than the limit.
func (a *Archive) Open(name string) (io.ReadCloser, error) {
	f := a.parts[partKey(name)]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	if f.Flags&1 != 0 {
		return nil, Broken(sentenceEncrypted, nil)
	}
	r, err := f.Open()
	if err != nil {
		return nil, damage(err)
	}
	return &part{archive: a, r: r}, nil
}

// Read reads a whole part that is small by its nature. One of more than most bytes
// is Broken.
func (a *Archive) Read(name string, most int64) ([]byte, error) {
	r, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > most {
		return nil, Broken(fmt.Sprintf("A part of the file is larger than %d MB, which is the limit.", most>>20), nil)
	}
	return content, nil
}

// part is a part that is being unpacked. The bytes that really come out are
// counted, whatever the archive says that there are.
type part struct {
	archive *Archive
	r       io.ReadCloser
}

func (p *part) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.archive.left -= int64(n); p.archive.left < 0 {
		return 0, Broken(fmt.Sprintf("Unpacked, the file is larger than %d MB, which is the limit.", p.archive.limit>>20), nil)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage(err)
	}
	return n, err
}

func (p *part) Close() error { return p.r.Close() }

// damage makes errors of the format those of the file. Others, of the disk, may pass.
func damage(err error) error {
	var corrupt flate.CorruptInputError
	for _, known := range []error{zip.ErrFormat, zip.ErrAlgorithm, zip.ErrChecksum, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return Broken(sentenceDamaged, err)
		}
	}
	if errors.As(err, &corrupt) {
		return Broken(sentenceDamaged, err)
	}
	return fmt.Errorf("read the archive: %w", err)
}

// meter bounds what is read of a file while its directory is, whose length nobody
// vouches for.
type meter struct {
	file io.ReaderAt
	left int64
	open bool // without a bound
}

func (m *meter) ReadAt(b []byte, at int64) (int, error) {
	n, err := m.file.ReadAt(b, at)
	if m.open {
		return n, err
	}
	if m.left -= int64(n); m.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
