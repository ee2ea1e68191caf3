package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"confidant/internal/search"
	"confidant/internal/search/measure"
	"confidant/internal/store/sqlite"
)

type benchCommand struct {
	Retrieval retrievalCommand `cmd:"" help:"Ask questions whose answers are known, and count what is found."`
	Pages     pagesCommand     `cmd:"" help:"Ask for sentences of PDFs, and count how often their page is found."`
}

type retrievalCommand struct {
	Documents string `required:"" type:"existingfile" placeholder:"FILE" help:"JSON lines: id, text, and perhaps time, session, scope, speaker, title."`
	Queries   string `required:"" type:"existingfile" placeholder:"FILE" help:"JSON lines: id, text, relevant_ids, and perhaps scope, category."`
	K         []int  `name:"k" default:"5,10,20" help:"Cut-offs of the recall."`
	Explain   int    `placeholder:"N" help:"Show what the N worst questions found, and why."`
	JSON      bool   `name:"json" help:"Print one JSON object."`
	WordsOnly bool   `help:"Search by words only, which needs no embedding."`
}

// Run imports the documents into a temporary folder, as an import would, asks the
// questions as they would be asked, and prints what was found.
func (b *retrievalCommand) Run(ctx context.Context, c *commands) (err error) {
	if len(b.K) == 0 || slices.Min(b.K) < 1 || slices.Max(b.K) > 100 {
		return errors.New("k is a list of numbers from 1 to 100, such as 5,10,20")
	}
	documents, err := readSet(b.Documents, measure.ReadDocuments)
	if err != nil {
		return err
	}
	questions, err := readSet(b.Queries, measure.ReadQuestions)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "confidant-retrieval-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	words := search.New(store, store, nil)
	core := words
	if !b.WordsOnly {
		embedder, err := newEmbedder(c.Config.Models)
		if err != nil {
			return err
		}
		core = search.New(store, store, embedder)
	}
	report, library, answers, err := b.measure(ctx, c, store, core, words, documents, questions)
	if err != nil {
		return err
	}
	if b.JSON {
		return json.NewEncoder(c.streams.out).Encode(report)
	}
	if err := measure.Print(c.streams.out, report, b.K); err != nil {
		return err
	}
	for _, a := range measure.Worst(answers, b.Explain) {
		measure.Explain(c.streams.out, a, library)
	}
	return nil
}

func (b *retrievalCommand) measure(ctx context.Context, c *commands, store *sqlite.Store, core, words *search.Core,
	documents []measure.Document, questions []measure.Question) (r measure.Report, l *measure.Library, answers []measure.Answer, err error) {
	bar := newProgress(c.streams.err, len(documents), "importing")
	done := 0
	l, err = measure.Import(ctx, store, documents, func(n int) { bar.add(n - done); done = n })
	bar.end()
	if err != nil {
		return r, l, nil, err
	}
	if v := core.Vectors(); v != nil {
		if err := embedAll(ctx, c, v); err != nil {
			return r, l, nil, err
		}
	}
	ask := func(core measure.Searcher, what string) (measure.Outcome, []measure.Answer, error) {
		bar := newProgress(c.streams.err, len(questions), what)
		defer bar.end()
		return l.Ask(ctx, core, questions, b.K, func(int) { bar.add(1) })
	}
	if r.Keywords, _, err = ask(measure.Keywords{Store: store}, "asking by keywords"); err != nil {
		return r, l, nil, err
	}
	if r.Words, _, err = ask(words, "asking by words"); err != nil {
		return r, l, nil, err
	}
	r.Outcome, answers, err = ask(core, "asking")
	return r, l, answers, err
}

// embedAll reads everything for its meaning, and tells how far it is.
func embedAll(ctx context.Context, c *commands, v *search.Vectors) error {
	most, err := v.Pending(ctx)
	if err != nil {
		return err
	}
	bar := newProgress(c.streams.err, most, "reading for meaning")
	defer bar.end()
	left := most
	for left > 0 {
		n, err := v.Embed(ctx)
		if err != nil {
			return fmt.Errorf("embed: %w", err)
		}
		if n == 0 {
			break
		}
		bar.add(n)
		left -= n
	}
	return nil
}

// readSet reads a file of JSON lines.
func readSet[T any](path string, read func(io.Reader) ([]T, error)) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return list, nil
}
