package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// found is a file to import, or why it cannot be.
type found struct {
	path string
	info fs.FileInfo
	err  error
}

// walk lists the files of paths. Folders are searched with all that is in them,
// hidden files left out; links are followed, and no folder or file is visited
// twice, so a link that leads back ends there. A path that was named is never
// hidden.
func walk(paths []string) []found {
	w := walker{seen: map[string]bool{}}
	for _, p := range paths {
		w.visit(filepath.Clean(p))
	}
	return w.list
}

type walker struct {
	list []found
	seen map[string]bool
}

func (w *walker) visit(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(real)
	}
	if err != nil {
		w.list = append(w.list, found{path: path, err: reasonOf(err)})
		return
	}
	if w.seen[real] {
		return
	}
	w.seen[real] = true
	switch {
	case info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			w.list = append(w.list, found{path: path, err: reasonOf(err)})
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				w.visit(filepath.Join(path, e.Name()))
			}
		}
	case !info.Mode().IsRegular():
		w.list = append(w.list, found{path: path, err: errors.New("it is neither a file nor a folder")})
	default:
		w.list = append(w.list, found{path: path, info: info})
	}
}

// read returns the content of a file, unless it is over the limit: then it is
// not read at all.
func (f found) read(limit int64) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	if f.info.Size() > limit {
		return nil, fmt.Errorf("the file has %d bytes; the limit is %d (import-bytes)", f.info.Size(), limit)
	}
	content, err := os.ReadFile(f.path)
	if err != nil {
		return nil, reasonOf(err)
	}
	return content, nil
}

// reasonOf is an error without the path, which is told beside it.
func reasonOf(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
