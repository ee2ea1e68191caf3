package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// limitPages makes SQLite believe that the disk ends after a number of pages
// beyond what the file has; 0 is no limit.
func (s *Store) limitPages(t *testing.T, more int) {
	t.Helper()
	err := s.write(t.Context(), func(ctx context.Context, w *writer) error {
		var pages int
		if err := w.conn.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
			return err
		}
		limit := pages + more
		if more == 0 {
			limit = 1 << 30
		}
		_, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", limit))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskIsToldAndLosesNothing(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	user, err := s.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, segments int) error {
		list := make([]chat.Segment, segments)
		for i := range list {
			list[i] = chat.Segment{ID: fmt.Sprint(name, i), Position: i, Text: strings.Repeat("word ", 100)}
		}
		_, _, err := s.PutConversation(t.Context(), chat.Conversation{ID: ident.New(), UserID: user.ID, Title: name, Fingerprint: name}, list, nil)
		return err
	}
	if err := put("before", 10); err != nil {
		t.Fatal(err)
	}
	s.limitPages(t, 20)
	if err := put("too much", 1000); !errors.Is(err, chat.ErrStorageFull) {
		t.Fatalf("a full disk: %v, want ErrStorageFull", err)
	}
	list, err := s.Conversations(t.Context(), user.ID, chat.ConversationQuery{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Title != "before" {
		t.Errorf("after the full disk: %v, %v; want what was there before and nothing more", list, err)
	}
	s.limitPages(t, 0)
	if err := put("too much", 1000); err != nil {
		t.Errorf("with room again: %v", err)
	}
	hits, err := s.Lexical(t.Context(), chat.LexicalQuery{UserID: user.ID, Terms: []string{"word"}, Limit: 2000})
	if err != nil || len(hits) != 1010 {
		t.Errorf("%d passages are found, %v; want 1,010", len(hits), err)
	}
}
