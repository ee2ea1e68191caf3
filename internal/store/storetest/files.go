package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

func (f *fixture) file(owner chat.User, name string) chat.File {
	f.t.Helper()
	file := chat.File{
		ID: ident.New(), UserID: owner.ID, Name: name, Type: "application/pdf", Size: 3, Hash: "hash of " + name,
		State: chat.FileInProgress, Stage: chat.StageQueued, CreatedAt: start, UpdatedAt: start,
	}
	job := chat.Job{ID: ident.New(), Kind: "file", Lane: file.ID, UserID: owner.ID, CreatedAt: start}
	stored, created, err := f.AddFile(f.ctx, file, job)
	f.ok(err)
	if !created || stored.ID != file.ID || stored.Revision != 1 {
		f.t.Fatalf("stored %+v, created %v", stored, created)
	}
	return stored
}

// reading stores a generation of a file with a chunk for each text, two a page.
func (f *fixture) reading(file chat.File, generation string, texts ...string) {
	f.t.Helper()
	for i, text := range texts {
		page := i/2 + 1
		f.ok(f.PutPages(f.ctx, file, generation, []chat.FilePage{{Number: page, Text: fmt.Sprint("page ", page)}}))
		f.ok(f.PutChunks(f.ctx, file, generation, []chat.Chunk{{
			Position: i, Page: page, Start: i, End: i + len(text), Headings: []string{"Part", "Chapter"}, Text: text, Type: chat.ChunkTypes[i%len(chat.ChunkTypes)],
		}}))
	}
}

func testFiles(t *testing.T, f *fixture) {
	a, b := f.file(f.ana, "tides.pdf"), f.file(f.ana, "Moon.pdf")
	again := a
	again.ID = ident.New()
	same, created, err := f.AddFile(f.ctx, again, chat.Job{ID: ident.New(), Kind: "file", Lane: again.ID, UserID: f.ana.ID, CreatedAt: start})
	f.ok(err)
	if created || same.ID != a.ID {
		t.Errorf("the same content was stored twice: %+v", same)
	}
	if _, err := f.LatestJob(f.ctx, f.ana.ID, again.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a job was queued for a file that was there: %v", err)
	}
	if job, err := f.LatestJob(f.ctx, f.ana.ID, a.ID); err != nil || job.Kind != "file" {
		t.Errorf("the file's job: %+v, %v", job, err)
	}
	if _, created, err := f.AddFile(f.ctx, chat.File{ID: ident.New(), UserID: f.bob.ID, Hash: a.Hash, Name: "x", CreatedAt: start}, chat.Job{ID: ident.New(), Kind: "file", Lane: "x", UserID: f.bob.ID}); err != nil || !created {
		t.Errorf("the content that somebody else has: %v, %v", created, err)
	}
	if _, err := f.File(f.ctx, f.bob.ID, a.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a foreign file: %v", err)
	}

	a.Title, a.State, a.Notes = "On Tides", chat.FileFailed, []string{"note"}
	saved, err := f.SaveFile(f.ctx, a)
	f.ok(err)
	if _, err := f.SaveFile(f.ctx, a); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("an old revision: %v", err)
	}
	got, err := f.File(f.ctx, f.ana.ID, a.ID)
	f.ok(err)
	if got.Title != "On Tides" || got.State != chat.FileFailed || got.Revision != 2 || saved.Revision != 2 || got.UserID != f.ana.ID || !slices.Equal(got.Notes, a.Notes) {
		t.Errorf("saved %+v", got)
	}

	for name, test := range map[string]struct {
		query chat.FileQuery
		want  []string
		total int
	}{
		"all, the newest first":  {chat.FileQuery{Limit: 9}, []string{b.ID, a.ID}, 2},
		"a page":                 {chat.FileQuery{Limit: 1}, []string{b.ID}, 2},
		"the next page":          {chat.FileQuery{Limit: 1, Before: b.ID}, []string{a.ID}, 2},
		"by name, in any case":   {chat.FileQuery{Limit: 9, Text: "moon"}, []string{b.ID}, 1},
		"by title":               {chat.FileQuery{Limit: 9, Text: "on tides"}, []string{a.ID}, 1},
		"by state":               {chat.FileQuery{Limit: 9, States: []chat.FileState{chat.FileFailed, chat.FileSuccess}}, []string{a.ID}, 1},
		"by type":                {chat.FileQuery{Limit: 9, Types: []string{"image/", "application/p"}}, []string{b.ID, a.ID}, 2},
		"of another type":        {chat.FileQuery{Limit: 9, Types: []string{"image/"}}, nil, 0},
		"of a chat":              {chat.FileQuery{Limit: 9, ChatID: "x"}, nil, 0},
		"a pattern is only text": {chat.FileQuery{Limit: 9, Text: "%"}, nil, 0},
	} {
		list, total, err := f.Files(f.ctx, f.ana.ID, test.query)
		f.ok(err)
		var ids []string
		for _, file := range list {
			ids = append(ids, file.ID)
		}
		if !slices.Equal(ids, test.want) || total != test.total {
			t.Errorf("%s: %v of %d, want %v of %d", name, ids, total, test.want, test.total)
		}
	}
}

func testGenerations(t *testing.T, f *fixture) {
	file := f.file(f.ana, "sea.pdf")
	query := chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"tide"}, Limit: 50}
	f.reading(file, "one", "the tide rises", "the moon", "a tide of paper", "the end")
	if found := f.found(query); len(found) != 0 {
		t.Errorf("found before it was published: %q", found)
	}
	if pages, err := f.FilePages(f.ctx, f.ana.ID, file.ID, 1, 9); err != nil || len(pages) != 0 {
		t.Errorf("pages before they were published: %v, %v", pages, err)
	}
	if page, chunks, err := f.Grown(f.ctx, "one"); err != nil || page != 2 || chunks != 4 {
		t.Errorf("grown to page %d, %d chunks, %v", page, chunks, err)
	}
	file.State, file.Summary = chat.FileSuccess, "About a zebra."
	file, err := f.Publish(f.ctx, file, "one")
	f.ok(err)
	if file.Generation != "one" || file.Revision != 2 {
		t.Errorf("published %+v", file)
	}
	if found := f.found(query); !slices.Equal(found, []string{"the tide rises", "a tide of paper"}) && !slices.Equal(found, []string{"a tide of paper", "the tide rises"}) {
		t.Errorf("found %q", found)
	}
	byType := query
	byType.Kinds = []chat.PassageKind{chat.PassageAnswer}
	if found := f.found(byType); !slices.Equal(found, []string{"a tide of paper"}) {
		t.Errorf("of one type: %q", found)
	}
	byFile := query
	byFile.GroupIDs = []string{file.ID}
	if found := f.found(byFile); len(found) != 2 {
		t.Errorf("of the file: %q", found)
	}
	byFile.GroupIDs = []string{"another"}
	if found := f.found(byFile); len(found) != 0 {
		t.Errorf("of another file: %q", found)
	}
	if found := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"zebra"}, Limit: 5}); len(found) != 1 {
		t.Errorf("by the summary: %q", found)
	}
	ids, err := f.Members(f.ctx, f.ana.ID, []string{file.ID})
	f.ok(err)
	around, err := f.Around(f.ctx, f.ana.ID, file.ID, 0, 1)
	f.ok(err)
	if len(ids) != 5 || len(around) != 2 || around[0].GroupID != file.ID || around[0].Title != "sea.pdf" || around[0].Speaker != "Part › Chapter" {
		t.Errorf("%d members, around %+v", len(ids), around)
	}
	chunks, err := f.FileChunks(f.ctx, f.ana.ID, file.ID, chat.ChunkRange{From: 1, Until: 3})
	f.ok(err)
	if onPage, err := f.FileChunks(f.ctx, f.ana.ID, file.ID, chat.ChunkRange{FirstPage: 2, LastPage: 2}); err != nil || len(onPage) != 2 || onPage[0].Position != 2 {
		t.Errorf("of the second page: %+v, %v", onPage, err)
	}
	if len(chunks) != 2 || chunks[1].Page != 2 || chunks[1].Start != 2 || chunks[1].Type != chat.ChunkAnswer || !slices.Equal(chunks[0].Headings, []string{"Part", "Chapter"}) {
		t.Errorf("chunks %+v", chunks)
	}
	if n, err := f.UnembeddedChunks(f.ctx, "one", "m"); err != nil || n != 5 {
		t.Errorf("%d without a vector, %v", n, err)
	}

	// Another reading replaces it in one step.
	f.reading(file, "two", "another tide")
	if found := f.found(query); len(found) != 2 {
		t.Errorf("while the next generation grows: %q", found)
	}
	file, err = f.Publish(f.ctx, file, "two")
	f.ok(err)
	if found := f.found(query); !slices.Equal(found, []string{"another tide"}) {
		t.Errorf("after it was published: %q", found)
	}
	for more := true; more; {
		more, err = f.Sweep(f.ctx)
		f.ok(err)
	}
	if page, chunks, err := f.Grown(f.ctx, "one"); err != nil || page != 0 || chunks != 0 {
		t.Errorf("the old generation still has page %d, %d chunks, %v", page, chunks, err)
	}

	// Nothing is another person's.
	for name, n := range map[string]func() (int, error){
		"pages": func() (int, error) { p, err := f.FilePages(f.ctx, f.bob.ID, file.ID, 1, 9); return len(p), err },
		"chunks": func() (int, error) {
			c, err := f.FileChunks(f.ctx, f.bob.ID, file.ID, chat.ChunkRange{})
			return len(c), err
		},
		"around": func() (int, error) { p, err := f.Around(f.ctx, f.bob.ID, file.ID, 0, 9); return len(p), err },
		"found":  func() (int, error) { q := query; q.UserID = f.bob.ID; return len(f.found(q)), nil },
	} {
		if n, err := n(); err != nil || n != 0 {
			t.Errorf("%s of a foreign file: %d, %v", name, n, err)
		}
	}
	if err := f.PutPages(f.ctx, chat.File{ID: file.ID, UserID: f.bob.ID}, "three", nil); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("pages into a foreign file: %v", err)
	}
}

func testDeleteFile(t *testing.T, f *fixture) {
	file := f.file(f.ana, "gone.pdf")
	f.reading(file, "g", "the tide rises")
	_, err := f.Publish(f.ctx, file, "g")
	f.ok(err)
	if err := f.DeleteFile(f.ctx, f.bob.ID, file.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("deleting a foreign file: %v", err)
	}
	f.ok(f.DeleteFile(f.ctx, f.ana.ID, file.ID))
	if found := f.found(chat.LexicalQuery{UserID: f.ana.ID, Terms: []string{"tide"}, Limit: 5}); len(found) != 0 {
		t.Errorf("found %q", found)
	}
	if _, err := f.File(f.ctx, f.ana.ID, file.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	if err := f.PutChunks(f.ctx, file, "g", nil); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("chunks for it: %v", err)
	}
	traces, err := f.Traces(f.ctx)
	f.ok(err)
	if len(traces) != 1 || traces[0].Source != file.ID {
		t.Fatalf("traces %+v", traces)
	}
	f.ok(f.RemoveTrace(f.ctx, traces[0]))
	if _, chunks, err := f.Grown(f.ctx, "g"); err != nil || chunks != 0 {
		t.Errorf("%d chunks are left, %v", chunks, err)
	}
	// The same content may come again.
	file.ID, file.CreatedAt = ident.New(), start.Add(time.Hour)
	if _, created, err := f.AddFile(f.ctx, file, chat.Job{ID: ident.New(), Kind: "file", Lane: file.ID, UserID: f.ana.ID}); err != nil || !created {
		t.Errorf("added again: %v, %v", created, err)
	}
}
