package sqlite_test

import (
	"errors"
	"testing"

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
	storetest.Run(t, func(t *testing.T) storetest.Store { return open(t, t.TempDir()) })
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
