// Package sqlitetest opens stores for the tests of those who use one.
package sqlitetest

import (
	"context"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/store/sqlite"
)

// Open returns an empty store that lives as long as the test.
func Open(t testing.TB) *sqlite.Store {
	t.Helper()
	// The test's own context ends before its clean-up, which still needs the store.
	store, err := sqlite.Open(context.WithoutCancel(t.Context()), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return store
}

// User returns the person of that name, made when there is none.
func User(t testing.TB, store *sqlite.Store, name string) chat.User {
	t.Helper()
	user, err := store.EnsureUser(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return user
}
