package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"confidant/assets"
	"confidant/internal/api"
	"confidant/internal/config"
	"confidant/internal/embed"
	"confidant/internal/library"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/mail"
	"confidant/internal/library/extract/ocr"
	"confidant/internal/library/extract/office"
	"confidant/internal/library/extract/opendocument"
	"confidant/internal/library/extract/pdf"
	"confidant/internal/library/extract/picture"
	"confidant/internal/library/extract/plain"
	"confidant/internal/library/extract/web"
	"confidant/internal/library/upload"
	"confidant/internal/llm"
	"confidant/internal/search"
	"confidant/internal/store/blobs"
	"confidant/internal/store/sqlite"
)

// shelves are the library, wired.
type shelves struct {
	*library.Library
	bytes  *blobs.Store
	pdf    *pdf.Format
	desk   *upload.Desk
	finder library.Finder
}

// openLibrary opens the library of a data folder: bytes in a folder of it, unless
// the configuration names another place, and what is on its way beside.
func openLibrary(ctx context.Context, data string, store *sqlite.Store, core *search.Core, embedder embed.Embedder, fast llm.Model, c config.Config) (shelves, error) {
	place := c.Library.Files
	if place == "" {
		place = filepath.Join(data, "files")
	}
	bytes, err := blobs.Open(ctx, place)
	if err != nil {
		return shelves{}, err
	}
	limits := extract.DefaultLimits
	limits.Pages = c.Library.Pages
	all, reader := formats(ctx, data, limits)
	opt := library.Options{
		Formats: all, MaxBytes: c.Limits.File, AtOnce: c.Library.AtOnce, Model: fast, ModelChunks: c.Library.ModelChunks,
	}
	finder := library.Finder{Searcher: core, Pages: store, Threshold: c.Library.Threshold}
	if embedder != nil {
		opt.Embedder, opt.Index = embedder.Model(), core.Vectors()
	}
	if counter, ok := embedder.(embed.Counter); ok {
		opt.Count = counter.CountTokens
	}
	if calibrated, ok := embedder.(embed.Calibrated); ok {
		finder.Calibrate = calibrated.Similarity
	}
	l := library.New(store, bytes, opt)
	desk, err := upload.Open(filepath.Join(data, "uploads"), l, c.Limits.File)
	if err != nil {
		return shelves{}, errors.Join(err, bytes.Close())
	}
	return shelves{Library: l, bytes: bytes, pdf: reader, desk: desk, finder: finder}, nil
}

// pdfium is the file of PDFium among the assets.
const pdfium = "pdfium/pdfium.wasm"

// formats are the kinds of files that can be read. A PDF needs PDFium, which is
// compiled once and kept in the data folder; a picture needs tesseract, where that
// is installed.
func formats(ctx context.Context, data string, limits extract.Limits) (all []extract.Format, reader *pdf.Format) {
	wasm, err := fs.ReadFile(assets.FS(), pdfium)
	if err != nil {
		slog.Warn("PDF files cannot be read: this binary was built without PDFium (make assets)")
	}
	var recognizer extract.Recognizer
	if found := ocr.Find(ctx); found != nil {
		recognizer = found
	}
	reader = pdf.New(wasm, filepath.Join(data, "cache", "pdfium"), limits, recognizer)
	return []extract.Format{
		reader,
		office.DOCX{Limits: limits}, office.PPTX{Limits: limits}, office.XLSX{Limits: limits}, office.Legacy{},
		opendocument.Format{Limits: limits},
		web.Page{Limits: limits}, web.Book{Limits: limits}, mail.Format{Limits: limits, HTML: web.Markdown},
		plain.Text{Limits: limits}, plain.Markdown{Limits: limits}, plain.CSV{Limits: limits},
		picture.Raster{Limits: limits, Recognizer: recognizer}, picture.Drawing{Limits: limits},
	}, reader
}

// forget deletes what a person has here outside the store.
func (s shelves) forget(ctx context.Context, userID string) error {
	return errors.Join(s.desk.Forget(userID), s.bytes.DeleteAll(ctx, userID))
}

// close ends what is open.
func (s shelves) close() error { return errors.Join(s.pdf.Close(), s.bytes.Close()) }

// sweepEvery is how often uploads are looked for that nobody goes on with.
const sweepEvery = time.Hour

// sweep removes them until ctx ends.
func (s shelves) sweep(ctx context.Context) {
	for {
		if err := s.desk.Sweep(time.Now()); err != nil {
			slog.ErrorContext(ctx, "remove old uploads", "error", err)
		}
		select {
		case <-time.After(sweepEvery):
		case <-ctx.Done():
			return
		}
	}
}

// rooms are what the surface needs of the library.
func (s shelves) rooms(store *sqlite.Store) api.Files {
	return api.Files{Records: store, Pages: store, Jobs: store, Library: s.Library, Pictures: s.Library, Finder: s.finder, Uploads: s.desk}
}
