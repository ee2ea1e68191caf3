package sqlite_test

import (
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite"
)

// shelved stores a file that says the canary wherever a file can, and a turn that
// quoted it.
func shelved(t *testing.T, s *sqlite.Store, user chat.User) (file chat.File, turn string) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	file = chat.File{
		ID: ident.New(), UserID: user.ID, Name: canary + ".pdf", Title: canary, Summary: canary, Type: "application/pdf", Hash: "h",
		State: chat.FileInProgress, CreatedAt: time.Now().UTC().Truncate(time.Millisecond), Notes: []string{canary}, Reason: canary,
	}
	file, _, err := s.AddFile(ctx, file, chat.Job{ID: ident.New(), Kind: "file", Lane: file.ID, UserID: user.ID, CreatedAt: file.CreatedAt})
	ok(err)
	for _, generation := range []string{"seen", "unseen"} { // one is published, one is being read
		ok(s.PutPages(ctx, file, generation, []chat.FilePage{{Number: 1, Label: canary, Text: canary, Note: canary}}))
		ok(s.PutChunks(ctx, file, generation, []chat.Chunk{{Page: 1, Headings: []string{canary}, Text: "the " + canary + " sings", Type: chat.ChunkOther}}))
		if generation == "seen" {
			file, err = s.Publish(ctx, file, generation)
			ok(err)
		}
	}
	passages, err := s.Unembedded(ctx, "m", 100)
	ok(err)
	var vectors []chat.Vector
	for _, p := range passages {
		vectors = append(vectors, chat.Vector{ID: p.ID, UserID: user.ID, Data: []float32{1, 2}})
	}
	ok(s.PutVectors(ctx, "m", vectors))
	citation := chat.Citation{N: 1, Kind: chat.CitesPage, FileID: file.ID, Page: 1, ChunkID: chat.ChunkID(file.ID, 0), Title: canary, Quote: canary}
	return file, quotes(t, s, user, citation, "The "+canary+" sings[1]("+file.ID+"). It rains.[2]")
}

func TestNothingIsLeftOfADeletedFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ana, err := s.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	file, turnID := shelved(t, s, ana)
	if before := left(t, dir); len(before) < 10 {
		t.Fatalf("the canary is only in %v: the test looks for too little", before)
	}
	if err := s.DeleteFile(t.Context(), ana.ID, file.ID); err != nil {
		t.Fatal(err)
	}
	removeTrace(t, s)
	checkForgotten(t, s, dir, ana, turnID)
}

func TestNothingIsLeftOfAPersonsFiles(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ana, err := s.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	shelved(t, s, ana)
	if err := s.Erase(t.Context(), ana.ID, true); err != nil {
		t.Fatal(err)
	}
	if places := left(t, dir); len(places) > 0 {
		t.Errorf("the canary is left in %v", places)
	}
	if rows := rowsOf(t, dir); len(rows) > 0 {
		t.Errorf("rows of the person are left in %v", rows)
	}
}
