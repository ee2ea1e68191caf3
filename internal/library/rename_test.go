package library_test

import (
	"context"
	"errors"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/library"
	"confidant/internal/store/sqlite"
)

// moving is a store in which somebody changes a file whenever it has been looked
// at, so many times.
type moving struct {
	*sqlite.Store
	moves int
}

func (m *moving) File(ctx context.Context, userID, id string) (chat.File, error) {
	f, err := m.Store.File(ctx, userID, id)
	if err == nil && m.moves > 0 {
		m.moves--
		_, err = m.SaveFile(ctx, f)
	}
	return f, err
}

func TestRenamingAFileThatOthersChange(t *testing.T) {
	f := newFixture(t)
	file, _ := f.add("tides.txt", "The tide rises.")
	file = f.ready(file.ID)
	for _, c := range []struct {
		name  string
		moves int
		known int64 // the revision that the person saw
		want  error
	}{
		{"whatever.txt", 3, 0, nil},
		{"seen.txt", 1, file.Revision, chat.ErrConflict},
		{"forever.txt", 1000, 0, chat.ErrConflict},
	} {
		store := &moving{f.store, c.moves}
		_, err := library.New(store, f.bytes, library.Options{}).Rename(f.ctx, f.ana.ID, file.ID, c.name, c.known)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		stored, err := f.store.File(f.ctx, f.ana.ID, file.ID)
		f.ok(err)
		if renamed := stored.Name == c.name; renamed != (c.want == nil) {
			t.Errorf("%s: the name is %q", c.name, stored.Name)
		}
	}
}
