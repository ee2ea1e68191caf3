// Package pdftest opens the reader of PDFs for tests.
package pdftest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"confidant/internal/library/extract"
	"confidant/internal/library/extract/pdf"
)

// Open returns a reader with the PDFium that was installed last, which need not be
// the embedded one. It is closed when the test ends. What it compiles is kept in the
// folder bin, for the tests of all packages: with the race detector that takes half a
// minute of a core.
func Open(t testing.TB, limits extract.Limits, ocr extract.Recognizer) *pdf.Format {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile(filepath.Join(root, "assets", "pdfium", "pdfium.wasm"))
	if err != nil {
		t.Fatalf("PDFium is not here, run `make assets`: %v", err)
	}
	f := pdf.New(wasm, filepath.Join(root, "bin", "pdfium"), limits, ocr)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close PDFium: %v", err)
		}
	})
	return f
}

// moduleRoot is the folder of go.mod, at or above that of the test.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the tests run outside of their module")
		}
	}
}
