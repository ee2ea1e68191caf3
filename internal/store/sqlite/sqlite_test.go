package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/store/sqlite"
	"confidant/internal/store/storetest"
)

func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store {
		s := open(t, t.TempDir())
		t.Cleanup(func() { sqlite.CheckPlans(t, s) })
		return s
	})
}

func TestTheFolderIsTakenByOneProcess(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	if _, err := sqlite.Open(t.Context(), dir); !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("second Open: %v, want ErrInUse", err)
	}
	shared, err := sqlite.OpenShared(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shared.EnsureUser(t.Context(), "ana"); err != nil {
		t.Errorf("a small change beside the process that has the folder: %v", err)
	}
	if err := shared.Close(); err != nil {
		t.Error(err)
	}
}

// A file of the first version, with a conversation in it, is brought up to date.
func TestAnOldFileIsMigrated(t *testing.T) {
	dir := t.TempDir()
	old, err := sql.Open("sqlite", filepath.Join(dir, "confidant.db"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("schema/1.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Exec(string(schema) + `; PRAGMA user_version = 1;
		INSERT INTO users VALUES (1, 'u', 'ana', 1);
		INSERT INTO conversations VALUES ('c', 1, 'Old talk', 'note', 5000, 6000, 7000, '["Ana"]', 1, 'f');
		INSERT INTO passages VALUES (1, 1, 0, 'c', 'c.0', 0, 'Ana', 'hello', 5000);
		INSERT INTO segments VALUES (1, -1, -1);`); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	c, err := s.Conversation(t.Context(), "u", "c")
	if err != nil {
		t.Fatal(err)
	}
	if c.Title != "Old talk" || c.Status != chat.StatusCompleted || c.Shown != chat.Private || c.Revision != 1 {
		t.Errorf("migrated: %+v", c)
	}
	segments, err := s.Segments(t.Context(), "u", "c", 0, 9)
	if err != nil || len(segments) != 1 || segments[0].Text != "hello" {
		t.Errorf("segments %+v, %v", segments, err)
	}
}
