package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"confidant/internal/chat"
)

var _ chat.Passages = (*Store)(nil)

// words is the full-text table of one person. It keeps no text of its own
// (content=”), only where words stand; passages has the text.
func words(user int64) string { return fmt.Sprintf("words_%d", user) }

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
	err = w.exec(ctx, "INSERT INTO "+words(user)+" (rowid, title, speaker, text) VALUES (?, ?, ?, ?)", id, p.Title, p.Speaker, p.Text)
	if err != nil {
		return 0, fmt.Errorf("index passage: %w", err)
	}
	return id, nil
}

func (w *writer) ensureWords(ctx context.Context, user int64) error {
	if w.indexed[user] {
		return nil
	}
	// Made outside the statement cache: DDL is run once.
	_, err := w.conn.ExecContext(ctx, "CREATE VIRTUAL TABLE IF NOT EXISTS "+words(user)+
		" USING fts5(title, speaker, text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')")
	if err != nil {
		return fmt.Errorf("make full-text table: %w", err)
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
		"DELETE FROM segments WHERE passage IN (SELECT id FROM passages WHERE " + where + ")",
		"DELETE FROM passages WHERE " + where,
	} {
		if err := w.exec(ctx, text, arg); err != nil {
			return fmt.Errorf("delete passages: %w", err)
		}
	}
	return nil
}

// matchAny is the FTS5 query that any of the terms satisfies. Quoting makes
// every term data: no term can be read as an operator.
func matchAny(terms []string) string {
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
	}
	return strings.Join(quoted, " OR ")
}

// maxScored is about how many passages one search scores. Scoring one costs some
// thirty times as much as counting it, so words that very many passages have are
// looked for only in those that have a rarer word of the query, too: five times
// as fast among 100,000 passages, and with a limit of even 6 % of all passages
// recall@10 of scifact fell by no more than .003.
const maxScored = 3000

// match is the FTS5 query for the terms. The rarest select passages, as many
// terms as keep within maxScored, one at least; all terms rank them, those that
// select twice as much as the others.
func (s *Store) match(ctx context.Context, table string, terms []string) (string, error) {
	frequency := make(map[string]int, len(terms))
	for _, t := range terms {
		var n int
		err := s.one(ctx, "SELECT count(*) FROM "+table+" WHERE "+table+" MATCH ?", func(r row) error { return r.Scan(&n) }, matchAny([]string{t}))
		if err != nil {
			return "", err
		}
		frequency[t] = n
	}
	sorted := slices.Clone(terms)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(frequency[a], frequency[b]) })
	total, selecting := 0, 0
	for _, t := range sorted {
		if total += frequency[t]; total > maxScored && total > frequency[t] {
			break
		}
		selecting++
	}
	if selecting == len(sorted) {
		return matchAny(sorted[:selecting]), nil
	}
	return "(" + matchAny(sorted[:selecting]) + ") AND (" + matchAny(sorted) + ")", nil
}

// The weights of a word in the title, the speaker's name and the text.
const columnWeights = "0.3, 1.0, 1.0"

// Lexical implements chat.Passages.
func (s *Store) Lexical(ctx context.Context, q chat.LexicalQuery) ([]chat.Scored, error) {
	user, err := s.userNo(ctx, q.UserID)
	if err != nil {
		return nil, err
	}
	if len(q.Terms) == 0 {
		return nil, nil
	}
	table := words(user)
	match, err := s.match(ctx, table, q.Terms)
	if err != nil && strings.Contains(err.Error(), "no such table") {
		return nil, nil // nothing of this person was ever indexed
	}
	if err != nil {
		return nil, err
	}
	text := "SELECT f.rowid, -bm25(" + table + ", " + columnWeights + ") FROM " + table + " f"
	args := []any{match}
	where := " WHERE " + table + " MATCH ?"
	if len(q.Kinds) > 0 || !q.From.IsZero() || !q.Until.IsZero() {
		kinds, err := json.Marshal(asInts(q.Kinds))
		if err != nil {
			return nil, err
		}
		text += " JOIN passages p ON p.id = f.rowid"
		where += ` AND (? = 0 OR p.kind IN (SELECT value FROM json_each(?)))
			AND (? = 0 OR p.at >= ?) AND (? = 0 OR p.at < ?)`
		args = append(args, len(q.Kinds), string(kinds), millis(q.From), millis(q.From), millis(q.Until), millis(q.Until))
	}
	var hits []chat.Scored
	err = s.each(ctx, text+where+" ORDER BY rank LIMIT ?",
		func(r row) error {
			var h chat.Scored
			err := r.Scan(&h.ID, &h.Score)
			hits = append(hits, h)
			return err
		}, append(args, q.Limit)...)
	return hits, err
}

func asInts(kinds []chat.PassageKind) []int {
	ints := make([]int, len(kinds))
	for i, k := range kinds {
		ints[i] = int(k)
	}
	return ints
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
