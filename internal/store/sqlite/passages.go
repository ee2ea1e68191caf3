package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"confidant/internal/chat"
)

var (
	_ chat.Passages = (*Store)(nil)
	_ chat.Words    = (*Store)(nil)
)

// words is the full-text table of what one person recorded. It keeps no text of
// its own (content=”), only where words stand; passages has the text.
func words(user int64) string { return fmt.Sprintf("words_%d", user) }

// derived is the full-text table of what was made of it: summaries, facts, tasks,
// events. They are few, short and dense: among segments they would be lost, and
// would spoil the statistics.
func derived(user int64) string { return fmt.Sprintf("derived_%d", user) }

func wordsOf(user int64, kind chat.PassageKind) string {
	if kind.Derived() {
		return derived(user)
	}
	return words(user)
}

func (w *writer) putPassage(ctx context.Context, user int64, p chat.Passage) (int64, error) {
	var id int64
	err := w.one(ctx, `INSERT INTO passages (user, kind, grp, ref, position, speaker, text, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		func(r row) error { return r.Scan(&id) },
		user, p.Kind, p.GroupID, p.Ref, p.Position, p.Speaker, p.Text, millis(p.At))
	if err != nil {
		return 0, fmt.Errorf("store passage: %w", err)
	}
	if err := w.ensureWords(ctx, user); err != nil {
		return 0, err
	}
	err = w.exec(ctx, "INSERT INTO "+wordsOf(user, p.Kind)+" (rowid, title, speaker, text) VALUES (?, ?, ?, ?)", id, p.Title, p.Speaker, p.Text)
	if err != nil {
		return 0, fmt.Errorf("index passage: %w", err)
	}
	return id, nil
}

func (w *writer) ensureWords(ctx context.Context, user int64) error {
	if w.indexed[user] {
		return nil
	}
	for _, table := range []string{words(user), derived(user)} {
		// Made outside the statement cache: DDL is run once.
		_, err := w.conn.ExecContext(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS "+table+
			" USING fts5(title, speaker, text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')")
		if err != nil {
			return fmt.Errorf("make full-text table: %w", err)
		}
	}
	w.indexed[user] = true
	return nil
}

func (w *writer) deletePassages(ctx context.Context, user int64, group string) error {
	return w.deletePassagesOf(ctx, user, "grp = ?", group)
}

// deletePassagesOf removes the passages for which a condition holds, with their
// words, vectors and segments.
func (w *writer) deletePassagesOf(ctx context.Context, user int64, where string, arg any) error {
	if err := w.ensureWords(ctx, user); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM vectors WHERE passage IN (SELECT id FROM passages WHERE " + where + ")",
		"DELETE FROM " + words(user) + " WHERE rowid IN (SELECT id FROM passages WHERE " + where + ")",
		"DELETE FROM " + derived(user) + " WHERE rowid IN (SELECT id FROM passages WHERE " + where + ")",
		"DELETE FROM segments WHERE passage IN (SELECT id FROM passages WHERE " + where + ")",
		"DELETE FROM passages WHERE " + where,
	} {
		if err := w.exec(ctx, text, arg); err != nil {
			return fmt.Errorf("delete passages: %w", err)
		}
	}
	return nil
}

const passageQuery = `SELECT p.id, p.kind, p.grp, p.ref, p.position, coalesce(c.title, ''), p.speaker, p.text, p.at
	FROM passages p LEFT JOIN conversations c ON c.id = p.grp`

func scanPassage(p *chat.Passage) func(row) error {
	return func(r row) error {
		var at int64
		err := r.Scan(&p.ID, &p.Kind, &p.GroupID, &p.Ref, &p.Position, &p.Title, &p.Speaker, &p.Text, &at)
		p.At = fromMillis(at)
		return err
	}
}

// Passages implements chat.Passages.
func (s *Store) Passages(ctx context.Context, userID string, ids []int64) ([]chat.Passage, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return s.passages(ctx, userID, " WHERE p.id IN (SELECT value FROM json_each(?)) AND p.user = ?", string(list))
}

// Around implements chat.Passages.
func (s *Store) Around(ctx context.Context, userID, groupID string, from, until int) ([]chat.Passage, error) {
	return s.passages(ctx, userID, " WHERE p.grp = ? AND p.kind = 0 AND p.position BETWEEN ? AND ? AND p.user = ?", groupID, from, until)
}

// Neighbourhood implements chat.Passages.
func (s *Store) Neighbourhood(ctx context.Context, userID string, ids []int64, reach int) ([]chat.Passage, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return s.passages(ctx, userID, ` WHERE p.id IN (
			SELECT value FROM json_each(?)
			UNION
			SELECT n.id FROM json_each(?) i JOIN passages hit ON hit.id = i.value
			JOIN passages n ON n.grp = hit.grp AND n.position BETWEEN hit.position - ? AND hit.position + ?
			WHERE hit.kind = 0 AND n.kind = 0
		) AND p.user = ?`, string(list), string(list), reach, reach)
}

// Members implements chat.Passages.
func (s *Store) Members(ctx context.Context, userID string, groupIDs []string) ([]int64, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(groupIDs)
	if err != nil {
		return nil, err
	}
	var ids []int64
	err = s.each(ctx, "SELECT id FROM passages WHERE grp IN (SELECT value FROM json_each(?)) AND user = ?", func(r row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	}, string(list), user)
	return ids, err
}

// notHidden leaves out what is locked or was found to be of no worth.
const notHidden = " AND coalesce(c.locked, 0) = 0 AND coalesce(c.discarded, 0) = 0"

// passages reads a person's passages, in the order of their place; the
// condition's last parameter is the person.
func (s *Store) passages(ctx context.Context, userID, where string, args ...any) ([]chat.Passage, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	var list []chat.Passage
	err = s.each(ctx, passageQuery+where+notHidden+" ORDER BY p.position",
		func(r row) error {
			p := chat.Passage{UserID: userID}
			err := scanPassage(&p)(r)
			list = append(list, p)
			return err
		}, append(args, user)...)
	return list, err
}
