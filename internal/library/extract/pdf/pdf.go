// Package pdf reads PDF files with PDFium, compiled to WebAssembly and run in a sandbox
// for each document: one that is damaged, hostile or endless costs that document, a
// bounded memory and a bounded time, and nothing else. The sandbox sees one file, which
// it can only read, piece by piece.
package pdf

import (
	"context"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// Type is the MIME type of PDF.
const Type = "application/pdf"

// memoryPages is what one document may take: 512 MiB in pages of 64 KiB.
const memoryPages = 512 << 4

// errMissing is the error of every PDF when the program was built without PDFium.
var errMissing = chat.Fail(chat.CodeUnavailable, "PDF files cannot be read: this program was built without pdfium.wasm, which `make assets` installs.")

// Format reads PDF files. It serves any number of goroutines, each with documents of
// its own.
type Format struct {
	engine engine
	limits extract.Limits
	ocr    extract.Recognizer
	// drawing bounds how many sandboxes serve readers at once, beside the documents that
	// are read.
	drawing chan struct{}
}

var (
	_ extract.Format   = (*Format)(nil)
	_ extract.Picturer = (*Format)(nil)
)

// atOnce is how many pages are drawn or searched for readers at the same time.
const atOnce = 2

// New returns a Format that runs PDFium, whose code it compiles when the first document
// is opened. That takes seconds, and a tenth of one when cacheDir has the result; "" is
// no cache. Without code every file is refused with a sentence that says so. ocr may be
// nil; then pages that are pictures have a note only.
func New(wasm []byte, cacheDir string, limits extract.Limits, ocr extract.Recognizer) *Format {
	return &Format{
		engine:  engine{wasm: wasm, cacheDir: cacheDir, memory: memoryPages},
		limits:  limits,
		ocr:     ocr,
		drawing: make(chan struct{}, atOnce),
	}
}

// Close ends PDFium when the last open document is closed. No other can be opened.
func (f *Format) Close() error { return f.engine.close() }

// Types implements extract.Format.
func (f *Format) Types() []string { return []string{Type} }

// Open implements extract.Format.
func (f *Format) Open(ctx context.Context, s extract.Source) (extract.Document, error) {
	file, err := f.open(ctx, s.Path)
	if err != nil {
		return nil, err
	}
	d := &document{format: f, path: s.Path, file: file}
	if err := d.prepare(ctx); err != nil {
		d.drop()
		return nil, err
	}
	return d, nil
}
