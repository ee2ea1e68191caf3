package library_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library"
)

const book = "# Tides\n\nA tide is the rise of the sea. The moon pulls the water twice a day.\f" +
	"# Harbours\n\nHarbours are dredged in spring so that ships can enter them.\f\f" +
	"What causes the tides?\n\nQuestion: name two seas without tides."

func TestAFileIsRead(t *testing.T) {
	f := newFixture(t)
	file, created := f.add("../../etc/tides.txt", book)
	if !created || file.Name != "tides.txt" || file.State != chat.FileInProgress || file.Type != "text/plain" {
		t.Fatalf("added %+v", file)
	}
	file = f.ready(file.ID)
	if file.Pages != 4 || file.Chunks != 3 || file.Stage != chat.StageDone || file.Title != "Title of #" ||
		!slices.Equal(file.Notes, []string{"Page 3: This page is a picture without text."}) {
		t.Errorf("read: %+v", file)
	}
	if !strings.Contains(file.Summary, "moon pulls") {
		t.Errorf("summary %q", file.Summary)
	}
	found := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: "when are harbours dredged"})
	if len(found) == 0 || !strings.Contains(found[0], "dredged in spring") {
		t.Errorf("found %q", found)
	}
	content, err := f.Content(f.ctx, file)
	f.ok(err)
	data, err := io.ReadAll(content)
	f.ok(errors.Join(err, content.Close()))
	if string(data) != book {
		t.Errorf("the bytes are %q", data)
	}
	// The log tells the way.
	events := f.log(file.ID)
	var steps []string
	for _, e := range events {
		if p, ok := e.Body.(chat.Progress); ok && !slices.Contains(steps, p.Step) {
			steps = append(steps, p.Step)
		}
	}
	if _, closed := events[len(events)-1].Body.(chat.TurnClosed); !closed || !slices.Contains(steps, "extract") || !slices.Contains(steps, "index") {
		t.Errorf("the log tells of %v and ends with %T", steps, events[len(events)-1].Body)
	}
}

func TestTheSameContentIsStoredOnce(t *testing.T) {
	f := newFixture(t)
	first, _ := f.add("a.txt", book)
	again, created := f.add("b.txt", book)
	if created || again.ID != first.ID {
		t.Errorf("stored twice: %+v", again)
	}
	// Two at once, of another person.
	path := f.arrival(book)
	ids := make(chan string, 8)
	for range cap(ids) {
		go func() {
			file, _, err := f.Add(f.ctx, f.bob.ID, library.Arrival{Path: path, Name: "c.txt"})
			if err != nil {
				t.Error(err)
			}
			ids <- file.ID
		}()
	}
	one := <-ids
	for range cap(ids) - 1 {
		if id := <-ids; id != one || id == first.ID {
			t.Errorf("stored as %s and %s; ana's is %s", id, one, first.ID)
		}
	}
	hashes, err := f.bytes.Hashes(f.ctx, f.bob.ID)
	f.ok(err)
	if len(hashes) != 1 {
		t.Errorf("%d copies of the bytes", len(hashes))
	}
	f.ready(first.ID)
}

func TestFailures(t *testing.T) {
	f := newFixture(t)
	broken, _ := f.add("broken.txt", "fine\fBROKEN\ffine")
	flaky, _ := f.add("flaky.txt", "The tide is fine.\fFLAKY sea")
	unknown, created := f.add("x.bin", "\x00\x01\x02\x03 what is this")
	fine, _ := f.add("fine.txt", "The moon is fine.")
	if !created || unknown.Type == "text/plain" {
		t.Fatalf("%+v", unknown)
	}
	if file := f.failed(broken.ID); file.Reason != "The file is damaged." || file.Pages != 0 {
		t.Errorf("broken: %+v", file)
	}
	if file := f.failed(unknown.ID); !strings.Contains(file.Reason, unknown.Type) {
		t.Errorf("unknown: %+v", file)
	}
	f.ready(fine.ID)
	if file := f.ready(flaky.ID); file.Pages != 2 {
		t.Errorf("what passes is tried again: %+v", file)
	}
	if found := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: "fine"}); len(found) != 2 {
		t.Errorf("found %q, want one chunk of each file that could be read", found)
	}
	if _, err := f.Retry(f.ctx, f.ana.ID, fine.ID); chat.AsError(err).Code != chat.CodeConflict {
		t.Errorf("retry of what did not fail: %v", err)
	}
	again, err := f.Retry(f.ctx, f.ana.ID, broken.ID)
	if err != nil || again.State != chat.FileInProgress || again.Reason != "" {
		t.Errorf("retry: %+v, %v", again, err)
	}
	f.failed(broken.ID)

	if _, _, err := f.Add(f.ctx, f.ana.ID, library.Arrival{Path: f.arrival(strings.Repeat("x", 1<<20+1)), Name: "large"}); chat.AsError(err).Code != chat.CodeTooLarge || !strings.Contains(err.Error(), "file_bytes") {
		t.Errorf("too large: %v", err)
	}
	for _, id := range []string{"nothing", broken.ID} {
		if _, err := f.Reprocess(f.ctx, f.bob.ID, id); !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("of somebody else: %v", err)
		}
	}
}

func TestReprocessing(t *testing.T) {
	f := newFixture(t)
	file, _ := f.add("slow.txt", "The tide rises.")
	file = f.ready(file.ID)
	before := f.chunks(file.ID)
	generation := file.Generation
	if _, err := f.Reprocess(f.ctx, f.ana.ID, file.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Reprocess(f.ctx, f.ana.ID, file.ID); chat.AsError(err).Code != chat.CodeConflict {
		t.Errorf("twice at once: %v", err)
	}
	file = f.until(file.ID, "read again", func(now chat.File) bool { return now.State == chat.FileSuccess && now.Generation != generation })
	if after := f.chunks(file.ID); !slices.Equal(before, after) {
		t.Errorf("read again: %q, before %q", after, before)
	}
	if found := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: "tide rises"}); len(found) != 1 {
		t.Errorf("found %q", found)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		page, chunks, err := f.store.Grown(f.ctx, generation)
		f.ok(err)
		if page == 0 && chunks == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the old reading is still there: page %d, %d chunks", page, chunks)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestDeletingAFileThatIsRead(t *testing.T) {
	f := newFixture(t)
	file, _ := f.add("slow.txt", "The tide rises.\fSLOW\fThe end.")
	other, _ := f.add("other.txt", "The moon.")
	f.until(file.ID, "being read", func(now chat.File) bool { return now.Stage == chat.StageExtract })
	f.ok(f.Delete(f.ctx, f.ana.ID, file.ID))
	close(f.format.release)
	f.ready(other.ID)
	if _, err := f.store.File(f.ctx, f.ana.ID, file.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
	if found := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: "tide"}); len(found) != 0 {
		t.Errorf("found %q", found)
	}
	if _, err := f.Content(f.ctx, file); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("its bytes: %v", err)
	}
	if err := f.Delete(f.ctx, f.bob.ID, other.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("somebody else's: %v", err)
	}
	// It may come again.
	file, created := f.add("slow.txt", "The tide rises.\fSLOW\fThe end.")
	if !created {
		t.Error("it was not stored anew")
	}
	f.ready(file.ID)
}

func TestAReadingGoesOnAfterACrash(t *testing.T) {
	var texts []string
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("# Chapter %d\n\nThe %dth tide rises over the sand, and nobody counts it.", i, i))
	}
	content := strings.Join(texts, "\f")
	undisturbed := newFixture(t)
	whole, _ := undisturbed.add("whole.txt", content)
	undisturbed.ready(whole.ID)

	f := newFixture(t)
	texts[40] = "SLOW" + texts[40][4:]
	file, _ := f.add("whole.txt", strings.Join(texts, "\f"))
	job, err := f.store.LatestJob(f.ctx, f.ana.ID, file.ID)
	f.ok(err)
	for page := 0; page < 32; { // the page that is slow is the 41st
		page, _, err = f.store.Grown(f.ctx, job.ID)
		f.ok(err)
	}
	f.stop()
	close(f.format.release)
	f.format.mu.Lock()
	f.format.read = nil
	f.format.mu.Unlock()
	f.start()
	f.ready(file.ID)
	if first := f.format.read[0]; first != 33 {
		t.Errorf("it went on with page %d", first)
	}
	want := undisturbed.chunks(whole.ID)
	got := f.chunks(file.ID)
	for i := range want {
		if i != 40 && (i >= len(got) || got[i] != want[i]) {
			t.Fatalf("chunk %d differs from an undisturbed reading", i)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d chunks, undisturbed %d", len(got), len(want))
	}
}

func TestManyFilesAtOnce(t *testing.T) {
	f := newFixture(t)
	const many = 200
	var ids []string
	for i := range many {
		file, _ := f.add(fmt.Sprintf("%d.txt", i), fmt.Sprintf("Number %d of the tides.", i))
		ids = append(ids, file.ID)
	}
	for _, id := range ids {
		f.ready(id)
	}
	_, total, err := f.store.Files(f.ctx, f.ana.ID, chat.FileQuery{States: []chat.FileState{chat.FileSuccess}})
	f.ok(err)
	if total != many {
		t.Errorf("%d files are ready", total)
	}
}

func TestCleanName(t *testing.T) {
	for name, want := range map[string]string{
		"a.pdf": "a.pdf", "../../etc/passwd": "passwd", `C:\temp\b.doc`: "b.doc", "a\x00b\n.txt": "ab.txt", "": "unnamed", "..": "unnamed", "dir/": "unnamed",
		"evil\u202efdp.exe": "evilfdp.exe", "\xffx": "x", strings.Repeat("é", 300): strings.Repeat("é", 127),
		// The ending stays, and no character is cut in two.
		strings.Repeat("é", 300) + ".pdf": strings.Repeat("é", 125) + ".pdf", strings.Repeat("明", 100) + ".文書": strings.Repeat("明", 82) + ".文書",
		strings.Repeat("a", 300) + "." + strings.Repeat("b", 15): strings.Repeat("a", 239) + "." + strings.Repeat("b", 15),
		strings.Repeat("a", 300) + "." + strings.Repeat("b", 16): strings.Repeat("a", 255), "a." + strings.Repeat("b", 300): "a." + strings.Repeat("b", 253),
	} {
		if got := library.CleanName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
