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

// written is the full-text table of the chunks of their files.
func written(user int64) string { return fmt.Sprintf("written_%d", user) }

func tableOf(user int64, shelf chat.Shelf) string {
	switch shelf {
	case chat.ShelfDerived:
		return derived(user)
	case chat.ShelfWritten:
		return written(user)
	}
	return words(user)
}

// tablesOf are all full-text tables of a person.
func tablesOf(user int64) []string { return []string{words(user), derived(user), written(user)} }

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
	err = w.exec(ctx, "INSERT INTO "+tableOf(user, p.Kind.Shelf())+" (rowid, title, speaker, text) VALUES (?, ?, ?, ?)", id, p.Title, p.Speaker, p.Text)
	if err != nil {
		return 0, fmt.Errorf("index passage: %w", err)
	}
	return id, nil
}

func (w *writer) ensureWords(ctx context.Context, user int64) error {
	if w.indexed[user] {
		return nil
	}
	for _, table := range tablesOf(user) {
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
	chosen := " IN (SELECT id FROM passages WHERE " + where + ")"
	var texts []string
	for _, table := range tablesOf(user) {
		texts = append(texts, "DELETE FROM "+table+" WHERE rowid"+chosen)
	}
	for _, table := range []string{"vectors", "segments", "chunks"} {
		texts = append(texts, "DELETE FROM "+table+" WHERE passage"+chosen)
	}
	for _, text := range append(texts, "DELETE FROM passages WHERE "+where) {
		if err := w.exec(ctx, text, arg); err != nil {
			return fmt.Errorf("delete passages: %w", err)
		}
	}
	return nil
}

// passageColumns and passageSources read a passage with its group's title. Chunks
// stand under the generation that they belong to (files.go); outside it is the file.
const (
	passageColumns = `p.id, p.kind, coalesce(f.id, p.grp), p.ref, p.position, coalesce(c.title, f.name, ''), p.speaker, p.text, p.at`
	passageSources = ` FROM passages p LEFT JOIN conversations c ON c.id = p.grp LEFT JOIN files f ON f.generation = p.grp AND f.generation <> '' AND p.kind >= 5`
)

// scanPassage reads passageColumns, with other columns before them.
func scanPassage(p *chat.Passage, before ...any) func(row) error {
	return func(r row) error {
		var at int64
		err := r.Scan(append(before, &p.ID, &p.Kind, &p.GroupID, &p.Ref, &p.Position, &p.Title, &p.Speaker, &p.Text, &at)...)
		p.At = fromMillis(at)
		return err
	}
}

// The generation that readers see of the file, or files, that a group may be.
const (
	generationOf = "(SELECT generation FROM files WHERE id = ?)"
	groupsIn     = `SELECT value FROM json_each(?1) UNION ALL
		SELECT generation FROM files WHERE id IN (SELECT value FROM json_each(?1))`
)

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
	return s.passages(ctx, userID, " WHERE p.grp IN (?, "+generationOf+") AND p.position >= 0 AND p.position BETWEEN ? AND ? AND p.user = ?", groupID, groupID, from, until)
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
			WHERE hit.position >= 0 AND n.position >= 0
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
	err = s.each(ctx, "SELECT id FROM passages WHERE grp IN ("+groupsIn+") AND user = ?2", func(r row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	}, string(list), user)
	return ids, err
}

// notHidden leaves out what is locked or was found to be of no worth, and chunks
// that are not published.
const notHidden = " AND coalesce(c.locked, 0) = 0 AND coalesce(c.discarded, 0) = 0 AND (p.kind < 5 OR f.id IS NOT NULL)"

// passages reads a person's passages, in the order of their place; the
// condition's last parameter is the person.
func (s *Store) passages(ctx context.Context, userID, where string, args ...any) ([]chat.Passage, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	var list []chat.Passage
	err = s.each(ctx, "SELECT "+passageColumns+passageSources+where+notHidden+" ORDER BY p.position",
		func(r row) error {
			p := chat.Passage{UserID: userID}
			err := scanPassage(&p)(r)
			list = append(list, p)
			return err
		}, append(args, user)...)
	return list, err
}
