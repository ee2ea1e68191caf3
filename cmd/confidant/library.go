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
	"confidant/internal/library/extract/pdf"
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
	opt := library.Options{
		Formats: formats(data, limits), MaxBytes: c.Limits.File, AtOnce: c.Library.AtOnce, Model: fast, ModelChunks: c.Library.ModelChunks,
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
	return shelves{Library: l, bytes: bytes, desk: desk, finder: finder}, nil
}

// formats are the kinds of files that can be read. A PDF needs PDFium, which is
// compiled once and kept in the data folder.
func formats(data string, limits extract.Limits) []extract.Format {
	wasm, err := fs.ReadFile(assets.FS(), "pdfium/pdfium.wasm")
	if err != nil {
		slog.Warn("PDF files cannot be read: this binary was built without PDFium (make assets)")
	}
	return []extract.Format{
		pdf.New(wasm, filepath.Join(data, "cache", "pdfium"), limits, nil),
	}
}

// forget deletes what a person has here outside the store.
func (s shelves) forget(ctx context.Context, userID string) error {
	return errors.Join(s.desk.Forget(userID), s.bytes.DeleteAll(ctx, userID))
}

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
