package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"confidant/internal/chat"
	"confidant/internal/config"
	"confidant/internal/library"
	"confidant/internal/library/measure"
	"confidant/internal/search"
)

type pagesCommand struct {
	PDFs    string `name:"pdfs" required:"" type:"existingdir" placeholder:"DIR" help:"Folder of PDFs."`
	Probes  int    `default:"300" help:"How many sentences to ask for."`
	Seed    uint64 `default:"1" help:"Chooses the sentences."`
	Explain int    `placeholder:"N" help:"Show what the N worst answers of each form found."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Run takes in the PDFs as an import does, in a temporary folder, and asks for
// sentences of which poppler says on which page they stand.
func (b *pagesCommand) Run(ctx context.Context, c *commands) (err error) {
	if b.Probes < 1 {
		return errors.New("probes is the number of sentences to ask for, at least 1")
	}
	documents, err := measure.ReadFolder(ctx, b.PDFs)
	if err != nil {
		return err
	}
	probes, err := measure.Probes(documents, b.Probes, b.Seed)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "confidant-pages-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	a, err := Open(ctx, dir, plainly(c.Config))
	if err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- a.Run(working) }()
	defer func() {
		stop()
		err = errors.Join(err, <-done, a.Close())
	}()
	user, err := a.Store.EnsureUser(ctx, ownerName)
	if err != nil {
		return err
	}
	if err := takeIn(ctx, local{a, user}, documents, c.streams); err != nil {
		return err
	}
	report, answers, err := b.ask(ctx, c, a, user.ID, probes)
	if err != nil {
		return err
	}
	if b.JSON {
		return json.NewEncoder(c.streams.out).Encode(report)
	}
	if err := measure.Print(c.streams.out, report); err != nil {
		return err
	}
	for _, form := range measure.Forms {
		for _, answer := range measure.Worst(answers[form], b.Explain) {
			measure.Explain(c.streams.out, answer)
		}
	}
	return nil
}

// plainly is a configuration without language models, so that figures can be
// compared, and with files in the data folder. An embedder's server keeps its
// address and key, and the models that these select.
func plainly(c config.Config) config.Config {
	if c.Models.Embedder == "builtin" || c.Models.Embedder == "none" {
		c.Models = config.Models{Embedder: c.Models.Embedder, IdleTime: c.Models.IdleTime}
	}
	c.Library.Files = ""
	return c
}

// takeIn imports the documents and waits until they can be found by their meaning.
func takeIn(ctx context.Context, a local, documents []measure.Document, s streams) error {
	bar := newProgress(s.err, len(documents), "reading")
	defer bar.end()
	var files []chat.File
	for _, d := range documents {
		f, _, err := a.AddFile(ctx, d.Path, time.Time{})
		if err != nil {
			return fmt.Errorf("%s: %s", filepath.Base(d.Path), friendly(err))
		}
		files = append(files, f)
	}
	for _, f := range files {
		if _, err := waitRead(ctx, a, f); err != nil {
			return fmt.Errorf("%s: %s", f.Name, friendly(err))
		}
		bar.add(1)
	}
	bar.end()
	return waitIndexed(ctx, a, s)
}

// ask asks in each form, with the search as it is and without the embedder.
func (b *pagesCommand) ask(ctx context.Context, c *commands, a *Assistant, userID string, probes []measure.Probe) (measure.Report, map[measure.Form][]measure.Answer, error) {
	whole := a.library.finder
	whole.Threshold = 0 // it is the order that is measured
	keywords := library.Finder{Searcher: search.New(a.Store, a.Store, nil), Pages: a.Store}
	bar := newProgress(c.streams.err, 2*len(measure.Forms)*len(probes), "asking")
	defer bar.end()
	report, answers := measure.Report{}, map[measure.Form][]measure.Answer{}
	for _, form := range measure.Forms {
		with, err := measure.Ask(ctx, whole, userID, probes, form, func() { bar.add(1) })
		if err != nil {
			return nil, nil, err
		}
		without, err := measure.Ask(ctx, keywords, userID, probes, form, func() { bar.add(1) })
		if err != nil {
			return nil, nil, err
		}
		answers[form] = with
		report[form] = measure.Pair{Whole: measure.OutcomeOf(with), Keywords: measure.OutcomeOf(without)}
	}
	return report, answers, nil
}
