package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"confidant/internal/chat"
)

// records is a table of records of one kind: an id, a person, a revision, the
// columns that queries need, and the whole record as JSON.
type records[T any] struct {
	table string
	// columns are those beside id, user, revision and data, for values.
	columns string
	values  func(T) []any
	// id and revision point into a record.
	id       func(*T) *string
	revision func(*T) *int64
	owner    func(*T) *string
	// passage is what search finds of a record, false for nothing.
	passage func(T) (chat.Passage, bool)
	// removed, when set, does what else must be done when a record is removed.
	removed func(ctx context.Context, w *writer, user int64, id string) error
}

// one returns the person's record of that id, or ErrNotFound.
func (k records[T]) one(ctx context.Context, s *Store, userID, id string) (T, error) {
	list, err := k.list(ctx, s, userID, "r.id = ? LIMIT 1", id)
	if err == nil && len(list) == 0 {
		err = chat.ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

// list returns the person's records for which a condition holds, in its order.
func (k records[T]) list(ctx context.Context, s *Store, userID, where string, args ...any) ([]T, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	list := []T{}
	err = s.each(ctx, k.query(where), k.scan(userID, &list), append([]any{user}, args...)...)
	return list, err
}

// within is list within a transaction.
func (k records[T]) within(ctx context.Context, w *writer, user int64, where string, args ...any) ([]T, error) {
	var list []T
	err := w.each(ctx, k.query(where), k.scan("", &list), append([]any{user}, args...)...)
	return list, err
}

func (k records[T]) query(where string) string {
	return "SELECT r.data, r.revision FROM " + k.table + " r WHERE r.user = ? AND " + where
}

func (k records[T]) scan(userID string, list *[]T) func(row) error {
	return func(r row) error {
		var data string
		var revision int64
		var record T
		if err := r.Scan(&data, &revision); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(data), &record); err != nil {
			return fmt.Errorf("record of %s: %w", k.table, err)
		}
		*k.revision(&record), *k.owner(&record) = revision, userID
		*list = append(*list, record)
		return nil
	}
}

// save stores changes in one transaction.
func (k records[T]) save(ctx context.Context, s *Store, userID string, changes chat.Changes[T]) error {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error { return k.change(ctx, w, user, changes) })
}

// change is save within a transaction.
func (k records[T]) change(ctx context.Context, w *writer, user int64, changes chat.Changes[T]) error {
	for _, id := range changes.Remove {
		if err := k.remove(ctx, w, user, id); err != nil {
			return err
		}
	}
	for _, record := range changes.Put {
		if err := k.put(ctx, w, user, record); err != nil {
			return err
		}
	}
	return nil
}

func (k records[T]) put(ctx context.Context, w *writer, user int64, record T) error {
	id := *k.id(&record)
	var stored, owner int64
	err := w.one(ctx, "SELECT revision, user FROM "+k.table+" WHERE id = ?", func(r row) error { return r.Scan(&stored, &owner) }, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		owner = user
	case err != nil:
		return err
	}
	if owner != user || stored != *k.revision(&record) {
		return chat.ErrConflict
	}
	*k.revision(&record) = stored + 1
	return k.write(ctx, w, user, record)
}

// write stores a record as it is, and makes it found.
func (k records[T]) write(ctx context.Context, w *writer, user int64, record T) error {
	id := *k.id(&record)
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	values := k.values(record)
	args := append([]any{id, user, *k.revision(&record), string(data)}, values...)
	marks := ""
	for range values {
		marks += ", ?"
	}
	if err := w.exec(ctx, "INSERT OR REPLACE INTO "+k.table+" (id, user, revision, data, "+k.columns+") VALUES (?, ?, ?, ?"+marks+")", args...); err != nil {
		return fmt.Errorf("store in %s: %w", k.table, err)
	}
	if k.passage == nil {
		return nil
	}
	p, found := k.passage(record)
	p.GroupID, p.Ref = id, id
	return w.replacePassage(ctx, user, p, found)
}

func (k records[T]) remove(ctx context.Context, w *writer, user int64, id string) error {
	n, err := w.affected(ctx, "DELETE FROM "+k.table+" WHERE id = ? AND user = ?", id, user)
	if err != nil || n == 0 {
		return err
	}
	if k.passage != nil {
		if err := w.deletePassages(ctx, user, id); err != nil {
			return err
		}
	}
	if k.removed != nil {
		return k.removed(ctx, w, user, id)
	}
	return nil
}

// replacePassage makes p the only passage of its kind in its group, or leaves
// none when found is false.
func (w *writer) replacePassage(ctx context.Context, user int64, p chat.Passage, found bool) error {
	var id int64
	var text, speaker string
	err := w.one(ctx, "SELECT id, text, speaker FROM passages WHERE grp = ? AND kind = ?",
		func(r row) error { return r.Scan(&id, &text, &speaker) }, p.GroupID, p.Kind)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	case found && text == p.Text && speaker == p.Speaker:
		// Its vector stays right.
		return w.exec(ctx, "UPDATE passages SET at = ? WHERE id = ?", millis(p.At), id)
	default:
		if err := w.deletePassagesOf(ctx, user, "id = ?", id); err != nil {
			return err
		}
	}
	if !found || p.Text == "" {
		return nil
	}
	_, err = w.putPassage(ctx, user, p)
	return err
}
