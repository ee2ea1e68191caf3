// Package measure tells how well pages of files are found: it takes sentences of
// PDFs, asks for them, and counts how often the page on which they stand comes
// first. Which page that is says poppler, not the reader that is measured.
package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Document is a PDF as poppler reads it.
type Document struct {
	Path  string
	Pages []string // their texts, the first page's first
}

// Name is the name of its file.
func (d Document) Name() string { return filepath.Base(d.Path) }

// ReadFolder reads the PDFs of a folder, in the order of their names. It needs
// poppler's pdftotext.
func ReadFolder(ctx context.Context, dir string) ([]Document, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there is no PDF in %s", dir)
	}
	var documents []Document
	for _, path := range paths {
		pages, err := pagesOf(ctx, path)
		if err != nil {
			return nil, err
		}
		documents = append(documents, Document{path, pages})
	}
	return documents, nil
}

func pagesOf(ctx context.Context, path string) ([]string, error) {
	var said bytes.Buffer
	read := exec.CommandContext(ctx, "pdftotext", "-enc", "UTF-8", path, "-")
	read.Stderr = &said
	text, err := read.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("pdftotext is not installed; it comes with poppler-utils")
	}
	if err != nil {
		return nil, fmt.Errorf("pdftotext %s: %w: %s", filepath.Base(path), err, strings.TrimSpace(said.String()))
	}
	// Nobody asks with ligatures.
	pages := strings.Split(norm.NFKC.String(string(text)), "\f")
	return pages[:len(pages)-1], nil // a form feed ends each page, the last one's too
}
