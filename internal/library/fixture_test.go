package library_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/bus"
	"confidant/internal/chat"
	"confidant/internal/embed"
	"confidant/internal/journal"
	"confidant/internal/library"
	"confidant/internal/library/extract"
	"confidant/internal/search"
	"confidant/internal/store/blobs"
	"confidant/internal/store/sqlite"
	"confidant/internal/store/sqlite/sqlitetest"
)

// pages is a format of which a form feed divides the pages. A page that begins with
// BROKEN cannot be read, one with FLAKY only at the second attempt, and SLOW waits
// for release.
type pages struct {
	mu      sync.Mutex
	flaked  bool
	release chan struct{}
	read    []int // the numbers of the pages that were read, in their order
}

func (*pages) Types() []string { return []string{"text/plain"} }

func (p *pages) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	content, err := os.ReadFile(s.Path)
	if err != nil {
		return nil, err
	}
	return &paged{p, strings.Split(string(content), "\f")}, nil
}

type paged struct {
	format *pages
	texts  []string
}

func (d *paged) Info() extract.Info {
	return extract.Info{Title: "Title of " + strings.Fields(d.texts[0] + " nothing")[0], Pages: len(d.texts)}
}
func (*paged) Close() error { return nil }

var errFlaky = errors.New("the disk coughed")

func (d *paged) Pages(ctx context.Context, first int) iter.Seq2[chat.FilePage, error] {
	return func(yield func(chat.FilePage, error) bool) {
		for i := first - 1; i < len(d.texts); i++ {
			page := chat.FilePage{Number: i + 1, Text: d.texts[i]}
			var err error
			switch {
			case strings.HasPrefix(page.Text, "BROKEN"):
				err = extract.Broken("The file is damaged.", nil)
			case strings.HasPrefix(page.Text, "FLAKY"):
				d.format.mu.Lock()
				if !d.format.flaked {
					d.format.flaked, err = true, errFlaky
				}
				d.format.mu.Unlock()
			case strings.HasPrefix(page.Text, "SLOW"):
				select {
				case <-d.format.release:
				case <-ctx.Done():
					err = ctx.Err()
				}
			case strings.TrimSpace(page.Text) == "":
				page.Note = extract.NotePicture
			}
			d.format.mu.Lock()
			d.format.read = append(d.format.read, page.Number)
			d.format.mu.Unlock()
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// bag is an embedder of words: texts are near as far as they share some.
type bag struct{}

var _ embed.Embedder = bag{}

func (bag) Model() string   { return "bag" }
func (bag) Dimensions() int { return 256 }
func (bag) MaxTokens() int  { return 128 }

func (bag) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 256)
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			h := fnv.New32()
			_, _ = h.Write([]byte(strings.Trim(word, ".,?!#")))
			v[h.Sum32()%256]++
		}
		list[i] = unit(v)
	}
	return list, ctx.Err()
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(max(sum, 1)))
	}
	return v
}

// fixture is a library at work.
type fixture struct {
	t      *testing.T
	ctx    context.Context
	dir    string
	store  *sqlite.Store
	bytes  *blobs.Store
	core   *search.Core
	format *pages
	ana    chat.User
	bob    chat.User

	*library.Library
	stop func()
}

func newFixture(t *testing.T, change ...func(*library.Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, ctx: t.Context(), dir: t.TempDir(), store: sqlitetest.Open(t), format: &pages{release: make(chan struct{})}}
	f.ana, f.bob = sqlitetest.User(t, f.store, "ana"), sqlitetest.User(t, f.store, "bob")
	var err error
	f.bytes, err = blobs.Open(f.ctx, filepath.Join(f.dir, "files"))
	f.ok(err)
	f.core = search.New(f.store, f.store, bag{})
	f.start(change...)
	t.Cleanup(func() { f.stop() })
	return f
}

// start runs the library as a server does; stop ends it as a crash would, in the
// middle of what it does.
func (f *fixture) start(change ...func(*library.Options)) {
	opt := library.Options{
		Formats: []extract.Format{f.format}, MaxBytes: 1 << 20, AtOnce: 2, ModelChunks: 1000,
		Embedder: bag{}.Model(), Index: f.core.Vectors(), Poll: 5 * time.Millisecond,
	}
	for _, c := range change {
		c(&opt)
	}
	f.Library = library.New(f.store, f.bytes, opt)
	jobs := journal.New(f.store, bus.NewLocal(), journal.Options{Worker: "test", Lease: time.Second, Poll: 20 * time.Millisecond, Grace: time.Millisecond})
	jobs.Handle(library.Kind, f.Handle)
	f.Wake = jobs.Wake
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.ctx))
	var running sync.WaitGroup
	running.Go(func() { _ = jobs.Run(ctx) })
	running.Go(func() { _ = f.core.Vectors().Run(ctx) })
	running.Go(func() { f.Run(ctx) })
	var once sync.Once
	f.stop = func() { once.Do(func() { cancel(); running.Wait() }) }
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// add puts a file into the library of ana.
func (f *fixture) add(name, content string) (chat.File, bool) {
	f.t.Helper()
	file, created, err := f.Add(f.ctx, f.ana.ID, library.Arrival{Path: f.arrival(content), Name: name})
	f.ok(err)
	return file, created
}

func (f *fixture) arrival(content string) string {
	f.t.Helper()
	file, err := os.CreateTemp(f.dir, "arrival-*")
	f.ok(err)
	_, err = io.Copy(file, bytes.NewReader([]byte(content)))
	f.ok(errors.Join(err, file.Close()))
	return file.Name()
}

// until waits for a file to be as wanted.
func (f *fixture) until(id string, what string, is func(chat.File) bool) chat.File {
	f.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		file, err := f.store.File(f.ctx, f.ana.ID, id)
		f.ok(err)
		if is(file) {
			return file
		}
		if time.Now().After(deadline) {
			f.t.Fatalf("the file is not %s: %+v", what, file)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (f *fixture) ready(id string) chat.File {
	f.t.Helper()
	return f.until(id, "ready", func(file chat.File) bool { return file.State == chat.FileSuccess })
}

func (f *fixture) failed(id string) chat.File {
	f.t.Helper()
	return f.until(id, "failed", func(file chat.File) bool { return file.State == chat.FileFailed })
}

// log is all that the newest job of a file has told.
func (f *fixture) log(id string) []chat.Event {
	f.t.Helper()
	for {
		job, err := f.store.LatestJob(f.ctx, f.ana.ID, id)
		f.ok(err)
		if job.State.Final() {
			events, err := f.store.Events(f.ctx, job.ID, 0)
			f.ok(err)
			return events
		}
	}
}

// similar are the texts that are found for a person.
func (f *fixture) similar(q library.SimilarQuery) []string {
	f.t.Helper()
	found, _, err := library.Finder{Searcher: f.core, Pages: f.store, Threshold: library.DefaultThreshold}.Similar(f.ctx, q)
	f.ok(err)
	texts := []string{}
	for _, s := range found {
		texts = append(texts, s.Text)
	}
	return texts
}

// chunks are all published chunks of a file, as one text each.
func (f *fixture) chunks(id string) []string {
	f.t.Helper()
	list, err := f.store.FileChunks(f.ctx, f.ana.ID, id, chat.ChunkRange{})
	f.ok(err)
	var texts []string
	for _, c := range list {
		texts = append(texts, fmt.Sprintf("%d/%d %d-%d %s %s: %s", c.Position, c.Page, c.Start, c.End, c.Type, c.Heading(), c.Text))
	}
	return texts
}
