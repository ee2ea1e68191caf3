package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"confidant/assets"
	"confidant/internal/chat"
	"confidant/internal/embed/uselite"
	"confidant/internal/ident"
	"confidant/internal/library"
	"confidant/internal/library/chunk"
	"confidant/internal/library/extract"
	"confidant/internal/library/extract/pdf"
	"confidant/internal/search"
	"confidant/internal/store/sqlite"
)

// measureLibrary looks at files: how fast they are read, embedded and found, and
// what memory that takes.
func measureLibrary(ctx context.Context, b *bench) ([]figure, error) {
	var all []figure
	for _, part := range []func(context.Context, *bench) ([]figure, error){measureReading, measureIngestion, measureChunkSearch} {
		figures, err := part(ctx, b)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// measureReading reads the PDFs of a folder page by page, one after the other, and
// lets poppler do the same. Then it embeds what was read, on one core.
func measureReading(ctx context.Context, b *bench) ([]figure, error) {
	paths, err := filepath.Glob(filepath.Join(b.pdfs, "*.pdf"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there is no PDF in %s: run make pdfs", b.pdfs)
	}
	wasm, err := fs.ReadFile(assets.FS(), "pdfium/pdfium.wasm")
	if err != nil {
		return nil, errors.New("PDFium is not built in: run make assets")
	}
	reader := pdf.New(wasm, filepath.Join(b.dir, "pdfium"), extract.DefaultLimits, nil)
	defer reader.Close()
	compiling, err := timed(func() error { _, err := readPDF(ctx, reader, paths[0]); return err })
	if err != nil {
		return nil, err
	}
	var ours, popplers time.Duration
	var pages []chat.FilePage
	for _, path := range paths {
		took, err := timed(func() error {
			read, err := readPDF(ctx, reader, path)
			pages = append(pages, read...)
			return err
		})
		if err != nil {
			return nil, err
		}
		ours += took
		took, err = timed(func() error { return exec.CommandContext(ctx, "pdftotext", path, os.DevNull).Run() })
		if err != nil {
			return nil, fmt.Errorf("pdftotext: %w", err)
		}
		popplers += took
	}
	rate := func(d time.Duration) float64 { return float64(len(pages)) / d.Seconds() }
	figures := []figure{
		{Name: fmt.Sprintf("files: pages of %d PDFs read a second", len(paths)), Value: rate(ours), Baseline: rate(popplers), BaselineName: "poppler's pdftotext", Unit: "pages"},
		{Name: "files: the first PDF of a new folder, PDFium compiled", Value: compiling.Seconds(), Unit: "s"},
	}
	embedded, err := measureChunkEmbedding(ctx, pages)
	return append(figures, embedded...), err
}

func readPDF(ctx context.Context, reader *pdf.Format, path string) (pages []chat.FilePage, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	document, err := reader.Open(ctx, extract.Source{Path: path, Size: info.Size(), Name: filepath.Base(path), Type: pdf.Type})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer document.Close()
	for page, err := range document.Pages(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// embedChunks is how many chunks are embedded to see how fast that is.
const embedChunks = 400

// measureChunkEmbedding embeds real chunks, evenly drawn, on one core.
func measureChunkEmbedding(ctx context.Context, pages []chat.FilePage) ([]figure, error) {
	encoder, err := uselite.Load(assets.FS(), uselite.Int8File)
	if err != nil {
		return nil, err
	}
	var texts []string
	cutter := chunk.NewCutter(encoder.CountTokens)
	var chunks []chat.Chunk
	for _, p := range pages {
		chunks = append(chunks, cutter.Page(p)...)
	}
	for _, c := range append(chunks, cutter.End()...) {
		texts = append(texts, c.Text)
	}
	step := max(1, len(texts)/embedChunks)
	var drawn []string
	for i := 0; i < len(texts) && len(drawn) < embedChunks; i += step {
		drawn = append(drawn, texts[i])
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	took, err := timed(func() error { _, err := encoder.Embed(ctx, drawn); return err })
	return []figure{
		{Name: "files: chunks on a page", Value: float64(len(texts)) / float64(len(pages)), Unit: "chunks"},
		{Name: "files: chunks embedded a second, one core", Value: float64(len(drawn)) / took.Seconds(), Unit: "chunks"},
	}, err
}

const (
	chunksOfFile   = 1000
	fewChunks      = 10_000
	manyChunks     = 100_000
	chunkQuestions = 400
)

// measureChunkSearch searches the files of one person, by keyword and meaning.
func measureChunkSearch(ctx context.Context, b *bench) ([]figure, error) {
	store, err := sqlite.Open(ctx, filepath.Join(b.dir, "chunks"))
	if err != nil {
		return nil, err
	}
	defer store.Close()
	c := newCorpus(17)
	var questions []string
	for range chunkQuestions {
		questions = append(questions, c.question())
	}
	var took [2][]time.Duration
	var words []time.Duration
	for i, count := range []int{fewChunks, manyChunks} {
		user, err := store.EnsureUser(ctx, fmt.Sprint("reads ", count))
		if err != nil {
			return nil, err
		}
		if err := c.shelve(ctx, store, user.ID, count); err != nil {
			return nil, err
		}
		find := func(core *search.Core) func(int) error {
			finder := library.Finder{Searcher: core, Pages: store}
			return func(i int) error {
				_, _, err := finder.Similar(ctx, library.SimilarQuery{UserID: user.ID, Text: questions[i]})
				return err
			}
		}
		both := find(search.New(store, store, &prepared{corpus: c}))
		if _, err := repeat(20, both); err != nil { // reads the index, warms the caches
			return nil, err
		}
		if took[i], err = repeat(chunkQuestions, both); err != nil {
			return nil, err
		}
		if words, err = repeat(chunkQuestions, find(search.New(store, store, nil))); err != nil {
			return nil, err
		}
	}
	few, many := took[0], took[1]
	return []figure{
		{Name: "files: search of 100,000 chunks, keyword + meaning, median", Value: ms(median(many)), Baseline: ms(median(few)),
			BaselineName: "10,000 chunks", Unit: "ms", Target: 20},
		{Name: "files: the same, p99", Value: ms(quantile(many, 0.99)), Baseline: ms(quantile(few, 0.99)), BaselineName: "10,000 chunks", Unit: "ms"},
		{Name: "files: the keywords alone, median", Value: ms(median(words)), Baseline: ms(median(many)), BaselineName: "keyword + meaning", Unit: "ms"},
	}, nil
}

// shelve stores files with so many chunks of a person, with their vectors.
func (c *corpus) shelve(ctx context.Context, store *sqlite.Store, userID string, count int) error {
	now := time.Now().UTC()
	for n := 0; n < count; n += chunksOfFile {
		f := chat.File{
			ID: ident.New(), UserID: userID, Name: fmt.Sprintf("file-%d.pdf", n), Type: pdf.Type, Hash: fmt.Sprint(userID, n), State: chat.FileSuccess,
			Stage: chat.StageDone, Pages: 1, CreatedAt: now, UpdatedAt: now,
		}
		generation := ident.New()
		job := chat.Job{ID: generation, Kind: library.Kind, Lane: f.ID, UserID: userID, Payload: []byte("{}"), CreatedAt: now}
		f, _, err := store.AddFile(ctx, f, job)
		if err != nil {
			return err
		}
		var text string
		chunks := make([]chat.Chunk, chunksOfFile)
		for i := range chunks {
			said := c.sentence() + " " + c.sentence()
			chunks[i] = chat.Chunk{Position: i, Page: 1, Start: len(text), End: len(text) + len(said), Text: said, Type: chat.ChunkOther}
			text += said + "\n"
		}
		if err := store.PutPages(ctx, f, generation, []chat.FilePage{{Number: 1, Text: text}}); err != nil {
			return err
		}
		if err := store.PutChunks(ctx, f, generation, chunks); err != nil {
			return err
		}
		if _, err := store.Publish(ctx, f, generation); err != nil {
			return err
		}
	}
	return c.embed(ctx, store)
}
