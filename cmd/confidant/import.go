package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"confidant/internal/chat"
	"confidant/internal/inbox"
)

type importCommand struct {
	Kind  string   `help:"What the files are, whatever their names: auto, ics, json, jsonl, md, srt, txt, vtt, document for the library, or zip for an export." enum:"auto,document,ics,json,jsonl,md,srt,txt,vtt,zip" default:"auto"`
	Wait  bool     `help:"Wait until all of it is understood and can be found by its meaning too."`
	Paths []string `arg:"" name:"path" help:"Files, and folders with all that is in them."`
}

// Run imports every file that it can, then names those that it could not. A file
// that is there already changes nothing, so it may be run again at any time.
func (i *importCommand) Run(ctx context.Context, c *commands) (err error) {
	files := walk(i.Paths)
	if len(files) == 0 {
		return fmt.Errorf("there is nothing to import in %s", strings.Join(i.Paths, ", "))
	}
	a, release, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()

	progress := newProgress(c.streams.err, len(files), "importing")
	var created, known int
	var failed []string
	var reading []arrived
	for _, f := range files {
		if ctx.Err() != nil {
			progress.end()
			return fmt.Errorf("interrupted after %d of %d files; run it again to go on", created+known+len(failed), len(files))
		}
		if f.err == nil && inbox.IsDocument(f.path, i.Kind) {
			if file, isNew, err := a.AddFile(ctx, f.path, f.info.ModTime()); err != nil {
				failed = append(failed, fmt.Sprintf("%s: %s", f.path, friendly(err)))
				progress.add(1)
			} else {
				reading = append(reading, arrived{f.path, file, isNew})
			}
			continue
		}
		taken, err := i.one(ctx, a, f, c.Config.Limits.Import)
		switch {
		case err != nil && ctx.Err() != nil:
			continue
		case err != nil:
			failed = append(failed, fmt.Sprintf("%s: %s", f.path, friendly(err)))
		case !taken.Duplicate:
			created++
			progress.line(c.streams.out, fmt.Sprintf("imported       %s (%s)", f.path, summary(taken)))
		default:
			known++
			progress.line(c.streams.out, "already there  "+f.path)
		}
		progress.add(1)
	}
	// Files are read while others arrive; what is interrupted here goes on when a
	// server runs.
	for _, r := range reading {
		f, err := waitRead(ctx, a, r.file)
		switch {
		case ctx.Err() != nil:
			progress.end()
			return fmt.Errorf("interrupted while files were read; they are read on when a server runs")
		case err != nil:
			failed = append(failed, fmt.Sprintf("%s: %s", r.path, friendly(err)))
		case r.isNew:
			created++
			progress.line(c.streams.out, fmt.Sprintf("imported       %s (%s)", r.path, pagesOf(f)))
		default:
			known++
			progress.line(c.streams.out, "already there  "+r.path)
		}
		progress.add(1)
	}
	progress.end()
	fmt.Fprintf(c.streams.out, "%d imported, %d already there, %d failed\n", created, known, len(failed))
	for _, line := range failed {
		fmt.Fprintln(c.streams.err, "failed:", line)
	}
	if i.Wait {
		if err := waitIndexed(ctx, a, c.streams); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d files could not be imported", len(failed), len(files))
	}
	return nil
}

// arrived is a file that is in the library and may not be read yet.
type arrived struct {
	path  string
	file  chat.File
	isNew bool
}

func pagesOf(f chat.File) string {
	if f.Pages == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", f.Pages)
}

// summary says what a file brought.
func summary(t inbox.Taken) string {
	switch {
	case t.Archive != nil:
		return fmt.Sprintf("%d conversations, %d chats, %d other records", t.Archive.Conversations, t.Archive.Chats, t.Archive.Records)
	case t.Calendar != nil:
		return fmt.Sprintf("%d events", t.Passages())
	}
	return fmt.Sprintf("%d passages", t.Passages())
}

func (i *importCommand) one(ctx context.Context, a assistant, f found, limit int64) (inbox.Taken, error) {
	if inbox.IsArchive(f.path, i.Kind) && f.err == nil {
		archive, err := os.Open(f.path)
		if err != nil {
			return inbox.Taken{}, reasonOf(err)
		}
		defer archive.Close()
		return a.Restore(ctx, archive, f.info.Size())
	}
	content, err := f.read(limit)
	if err != nil {
		return inbox.Taken{}, err
	}
	return a.Import(ctx, chat.Import{Name: filepath.Base(f.path), Kind: i.Kind, Content: content, Modified: f.info.ModTime()})
}

// waitIndexed waits until everything is embedded.
func waitIndexed(ctx context.Context, a assistant, s streams) error {
	most, err := a.Pending(ctx)
	if err != nil || most == 0 {
		return err
	}
	progress := newProgress(s.err, most, "understanding")
	defer progress.end()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for left := most; left > 0; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("interrupted with %d passages left; they are embedded when a server runs", left)
		}
		now, err := a.Pending(ctx)
		if err != nil {
			return err
		}
		progress.add(max(0, left-now))
		left = now
	}
	return nil
}

// progress is a bar on a terminal and lines elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer, total int, what string) progress {
	if !isTerminal(w) {
		return progress{}
	}
	return progress{progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(50*time.Millisecond))}
}

// The bar's errors are those of a terminal that went away; the work goes on.

func (p progress) add(n int) {
	if p.bar != nil {
		_ = p.bar.Add(n)
	}
}

func (p progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

func (p progress) line(w io.Writer, text string) {
	if p.bar == nil {
		fmt.Fprintln(w, text)
	}
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
