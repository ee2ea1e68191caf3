package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confidant/internal/chat"
	"confidant/internal/journal"
	"confidant/internal/library/chunk"
	"confidant/internal/library/digest"
	"confidant/internal/library/extract"
	"confidant/internal/prompt"
)

const (
	// pageBatch and chunkBatch are how many are stored in one transaction: few, so
	// that neither a crash nor those who wait for the disk lose much.
	pageBatch  = 16
	chunkBatch = 64
	// sayEvery is how often the progress of a reading is told.
	sayEvery = 500 * time.Millisecond
	// waitTogether is how many files may wait for their vectors without each of them
	// looking less often.
	waitTogether = 8
	// attempts is how often a reading is begun before a failure that is nobody's
	// fault counts as the file's.
	attempts = 5
)

// reading is one job at work on one file.
type reading struct {
	*Library
	log        *journal.Log
	job        chat.Job
	file       chat.File
	generation string
	usage      chat.Usage
	said       time.Time
}

// Handle is the journal.Handler of the library. What an attempt before it has
// stored is not read again.
func (l *Library) Handle(ctx context.Context, log *journal.Log) error {
	r := &reading{Library: l, log: log, job: log.Job()}
	var o order
	if err := json.Unmarshal(r.job.Payload, &o); err != nil {
		return fmt.Errorf("read order: %w", err)
	}
	r.generation = o.Generation
	err := r.run(ctx)
	switch {
	case err == nil:
		return r.end(chat.JobFinished)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, chat.ErrNotFound):
		return r.end(chat.JobCancelled)
	case errors.Is(err, chat.ErrStorageFull):
		return r.standStill(ctx, err)
	}
	if _, ok := errors.AsType[*chat.Error](err); !ok && log.Attempt() < attempts {
		return err // it may pass
	}
	slog.WarnContext(ctx, "a file could not be read", "file", r.job.Lane, "type", r.file.Type, "attempt", log.Attempt(), "error", prompt.Loggable(err))
	if err := r.fail(ctx, chat.AsError(err).Detail); err != nil {
		return err
	}
	return r.end(chat.JobFailed)
}

// standStill waits for room on the disk: the attempt is repeated, as often as it takes.
func (r *reading) standStill(ctx context.Context, cause error) error {
	slog.ErrorContext(ctx, "reading a file waits for room on the disk", "file", r.file.ID)
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
	return cause
}

func (r *reading) run(ctx context.Context) (err error) {
	if r.file, err = r.store.File(ctx, r.job.UserID, r.job.Lane); err != nil {
		return err
	}
	if r.file.State == chat.FileFailed { // this job said so, and died before its end
		return chat.Fail(chat.CodeUnsupported, r.file.Reason)
	}
	if r.file.Generation != r.generation {
		if err := r.publish(ctx); err != nil {
			return err
		}
	}
	if err := r.refine(ctx); err != nil {
		return err
	}
	if err := r.awaitEmbedding(ctx); err != nil {
		return err
	}
	return r.save(ctx, func(f *chat.File) {
		f.State, f.Stage, f.Reason, f.Done, f.Total = chat.FileSuccess, chat.StageDone, "", 0, 0
	})
}

// publish reads pages and chunks, and makes them seen. Only so many files are at
// this stage at once: it is what takes memory and processor.
func (r *reading) publish(ctx context.Context) error {
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	info, notes, err := r.extract(ctx)
	if err != nil {
		return err
	}
	pages, _, err := r.store.Grown(ctx, r.generation)
	if err != nil {
		return err
	}
	chunks, summary, err := r.index(ctx, pages)
	if err != nil {
		return err
	}
	if chunks == 0 && len(notes) == 0 {
		notes = append(notes, "There is no text in this file.")
	}
	r.swept()
	return r.change(ctx, func(f chat.File) (chat.File, error) {
		f.Stage, f.Done, f.Total, f.Notes, f.Pages, f.Chunks = chat.StageEmbed, 0, chunks, notes, pages, chunks
		f.Title, f.Summary, f.SummarizedBy, f.UpdatedAt = info.Title, summary, "", time.Now().UTC()
		if !info.Modified.IsZero() {
			f.Modified = info.Modified.UTC()
		}
		return r.store.Publish(ctx, f, r.generation)
	})
}

// extract stores the pages that are not there yet, and collects what they note.
func (r *reading) extract(ctx context.Context) (info extract.Info, notes []string, err error) {
	format := r.formats[r.file.Type]
	if format == nil {
		return info, nil, chat.Fail(chat.CodeUnsupported, "Files of the type "+r.file.Type+" cannot be read.")
	}
	path, done, err := r.bytes.Local(ctx, r.file.UserID, r.file.Hash)
	if err != nil {
		return info, nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	document, err := format.Open(ctx, extract.Source{Path: path, Size: r.file.Size, Name: r.file.Name, Type: r.file.Type})
	if err != nil {
		return info, nil, err
	}
	defer func() { err = errors.Join(err, document.Close()) }()
	info = document.Info()
	last, _, err := r.store.Grown(ctx, r.generation)
	if err != nil {
		return info, nil, err
	}
	if err := r.stage(ctx, chat.StageExtract, last, info.Pages); err != nil {
		return info, nil, err
	}
	var batch []chat.FilePage
	store := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := r.store.PutPages(ctx, r.file, r.generation, batch); err != nil {
			return err
		}
		last = batch[len(batch)-1].Number
		batch = batch[:0]
		return r.stage(ctx, chat.StageExtract, last, info.Pages)
	}
	for page, err := range document.Pages(ctx, last+1) {
		if err != nil {
			return info, nil, errors.Join(err, store())
		}
		if batch = append(batch, page); len(batch) == pageBatch {
			if err := store(); err != nil {
				return info, nil, err
			}
		}
	}
	if err := store(); err != nil {
		return info, nil, err
	}
	// What a document says of itself may be known only at its end.
	info = document.Info()
	notes, err = r.notes(ctx, last)
	return info, notes, err
}

// notes says in a few lines what the pages note.
func (r *reading) notes(ctx context.Context, last int) ([]string, error) {
	pages := map[string][]int{}
	var order []string
	err := r.eachPage(ctx, last, func(p chat.FilePage) error {
		if p.Note == "" {
			return nil
		}
		if pages[p.Note] == nil {
			order = append(order, p.Note)
		}
		pages[p.Note] = append(pages[p.Note], p.Number)
		return nil
	})
	var notes []string
	for _, note := range order {
		if n := len(pages[note]); last == 1 {
			notes = append(notes, note)
		} else if n == 1 {
			notes = append(notes, fmt.Sprintf("Page %d: %s", pages[note][0], note))
		} else {
			notes = append(notes, fmt.Sprintf("%d pages, the first of them %d: %s", n, pages[note][0], note))
		}
	}
	return notes, err
}

// eachPage reads the pages of the generation that grows.
func (r *reading) eachPage(ctx context.Context, last int, do func(chat.FilePage) error) error {
	for from := 1; from <= last; from += pageBatch {
		pages, err := r.store.GenerationPages(ctx, r.generation, from, from+pageBatch-1)
		if err != nil {
			return err
		}
		for _, p := range pages {
			if err := do(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// index stores the chunks that are not there yet, and returns how many there are
// and a summary of the file.
func (r *reading) index(ctx context.Context, pages int) (chunks int, summary string, err error) {
	_, there, err := r.store.Grown(ctx, r.generation)
	if err != nil {
		return 0, "", err
	}
	cutter, about := chunk.NewCutter(r.opt.Count), digest.Digest{}
	var batch []chat.Chunk
	store := func() error {
		if err := r.store.PutChunks(ctx, r.file, r.generation, batch); err != nil {
			return err
		}
		batch = batch[:0]
		return nil
	}
	if err := r.stage(ctx, chat.StageIndex, 0, pages); err != nil {
		return 0, "", err
	}
	add := func(list []chat.Chunk) error {
		for _, c := range list {
			chunks++
			if c.Position < there {
				continue
			}
			if batch = append(batch, c); len(batch) == chunkBatch {
				if err := store(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = r.eachPage(ctx, pages, func(p chat.FilePage) error {
		about.Add(p.Text)
		if err := add(cutter.Page(p)); err != nil {
			return err
		}
		return r.stage(ctx, chat.StageIndex, p.Number, pages)
	})
	if err == nil {
		err = add(cutter.End())
	}
	if err == nil && len(batch) > 0 {
		err = store()
	}
	if r.opt.Index != nil {
		r.opt.Index.Wake()
	}
	return chunks, about.Summary(), err
}

// awaitEmbedding tells how far the embedding is until all chunks have their vectors.
func (r *reading) awaitEmbedding(ctx context.Context) error {
	if r.opt.Embedder == "" || r.opt.Index == nil {
		return nil
	}
	r.opt.Index.Wake()
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	for {
		left, err := r.store.UnembeddedChunks(ctx, r.generation, r.opt.Embedder)
		if err != nil || left == 0 {
			return err
		}
		if _, err := r.store.File(ctx, r.file.UserID, r.file.ID); err != nil {
			return err // deleted meanwhile
		}
		if err := r.stage(ctx, chat.StageEmbed, max(0, r.file.Chunks-left), r.file.Chunks); err != nil {
			return err
		}
		select {
		case <-time.After(r.opt.Poll * time.Duration(1+r.waiting.Load()/waitTogether)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// stage tells, now and then, how far the reading is: in the log for those who
// follow it, in the record for those who look.
func (r *reading) stage(ctx context.Context, stage chat.FileStage, done, total int) error {
	if stage == r.file.Stage && time.Since(r.said) < sayEvery {
		return nil
	}
	r.said = time.Now()
	if _, err := r.log.Append("", chat.Progress{Step: string(stage), State: string(chat.StepRunning), Done: done, Total: total}); err != nil {
		return err
	}
	return r.save(ctx, func(f *chat.File) { f.Stage, f.Done, f.Total = stage, done, total })
}

// save changes the file's record, over whatever a person changed meanwhile.
func (r *reading) save(ctx context.Context, change func(*chat.File)) error {
	return r.change(ctx, func(f chat.File) (chat.File, error) {
		change(&f)
		f.UpdatedAt = time.Now().UTC()
		return r.store.SaveFile(ctx, f)
	})
}

func (r *reading) change(ctx context.Context, do func(chat.File) (chat.File, error)) error {
	for {
		f, err := do(r.file)
		if err == nil {
			r.file = f
			return nil
		}
		if !errors.Is(err, chat.ErrConflict) {
			return err
		}
		if r.file, err = r.store.File(ctx, r.file.UserID, r.file.ID); err != nil {
			return err
		}
	}
}

// fail gives a file up. What an earlier reading published stays.
func (r *reading) fail(ctx context.Context, reason string) error {
	if r.file.ID == "" { // not even its record could be read
		return nil
	}
	if err := r.store.Abandon(ctx, r.generation); err != nil {
		return err
	}
	r.swept()
	err := r.save(ctx, func(f *chat.File) { f.State, f.Reason, f.Done, f.Total = chat.FileFailed, reason, 0, 0 })
	if err == nil {
		_, err = r.log.Append("", chat.Progress{Step: string(r.file.Stage), State: string(chat.StepFailed), Detail: reason})
	}
	return err
}

func (r *reading) end(state chat.JobState) error {
	_, err := r.log.AppendWith([]chat.Effect{chat.EndJob{State: state}}, "", chat.TurnClosed{Usage: r.usage})
	return err
}
