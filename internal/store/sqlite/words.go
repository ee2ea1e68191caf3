package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"confidant/internal/chat"
)

// matchAny is the FTS5 query that any of the terms satisfies. Quoting makes
// every term data: no term can be read as an operator.
func matchAny(terms []string) string { return quoted(terms, " OR ") }

func quoted(terms []string, operator string) string {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
	}
	return strings.Join(list, operator)
}

// maxScored is about how many passages one search scores. Scoring one costs some
// thirty times as much as counting it, so words that very many passages have are
// looked for only in those that have a rarer word of the query, too. With 2,000
// instead of 1,000 recall@10 of scifact (16,300 passages) was the same.
const maxScored = 1000

// match is the FTS5 query for the terms. The rarest select passages, as many
// terms as keep within maxScored, one at least; all terms rank them, those that
// select twice as much as the others. A phrase selects, too.
func match(q chat.LexicalQuery, frequencies []int) string {
	order := make([]int, len(q.Terms))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(frequencies[a], frequencies[b]) })
	sorted := make([]string, len(order))
	total, selecting := 0, 0
	enough := false
	for i, term := range order {
		sorted[i] = q.Terms[term]
		n := frequencies[term]
		if total += n; enough || total > maxScored && total > n {
			enough = true
			continue
		}
		selecting++
	}
	found := matchAny(sorted[:selecting])
	if selecting < len(sorted) {
		found = "(" + found + ") AND (" + matchAny(sorted) + ")"
	}
	if len(q.Phrases) > 0 {
		phrases := quoted(q.Phrases, " AND ")
		if found == "" {
			return phrases
		}
		return "(" + phrases + ") AND (" + phrases + " OR " + matchAny(sorted) + ")"
	}
	return found
}

// The weights of a word in the title, the speaker's name and the text.
const columnWeights = "0.3, 1.0, 1.0"

// noTable says that nothing of a person was ever indexed.
func noTable(err error) bool { return err != nil && strings.Contains(err.Error(), "no such table") }

// Lexical implements chat.Words.
func (s *Store) Lexical(ctx context.Context, q chat.LexicalQuery) ([]chat.Scored, error) {
	user, err := s.userNo(ctx, q.UserID)
	if err != nil || len(q.Terms) == 0 && len(q.Phrases) == 0 {
		return nil, err
	}
	var hits []chat.Scored
	for _, shelf := range chat.Shelves {
		if len(q.Kinds) > 0 && !slices.ContainsFunc(q.Kinds, func(k chat.PassageKind) bool { return k.Shelf() == shelf }) {
			continue
		}
		found, err := s.lexical(ctx, user, tableOf(user, shelf), q)
		if noTable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		hits = append(hits, found...)
	}
	slices.SortStableFunc(hits, func(a, b chat.Scored) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), q.Limit)], nil
}

func (s *Store) lexical(ctx context.Context, user int64, table string, q chat.LexicalQuery) ([]chat.Scored, error) {
	frequencies := q.Passages
	if len(frequencies) != len(q.Terms) {
		var err error
		if frequencies, err = s.frequencies(ctx, table, q.Terms); err != nil {
			return nil, err
		}
	}
	text := "SELECT f.rowid, -bm25(" + table + ", " + columnWeights + ") FROM " + table + " f"
	args := []any{match(q, frequencies)}
	where := " WHERE " + table + " MATCH ?"
	if table == words(user) {
		q.Kinds = nil // it has one only
	}
	if len(q.Kinds) > 0 || len(q.GroupIDs) > 0 || !q.From.IsZero() || !q.Until.IsZero() {
		kinds, err := json.Marshal(asInts(q.Kinds))
		if err != nil {
			return nil, err
		}
		groups, err := json.Marshal(q.GroupIDs)
		if err != nil {
			return nil, err
		}
		text += " JOIN passages p ON p.id = f.rowid"
		where += ` AND (? = 0 OR p.kind IN (SELECT value FROM json_each(?))) AND (? = 0 OR p.grp IN (SELECT value FROM json_each(?)
				UNION ALL SELECT generation FROM files WHERE id IN (SELECT value FROM json_each(?))))
			AND (? = 0 OR p.at >= ?) AND (? = 0 OR p.at < ?)`
		args = append(args, len(q.Kinds), string(kinds), len(q.GroupIDs), string(groups), string(groups), millis(q.From), millis(q.From), millis(q.Until), millis(q.Until))
	}
	var hits []chat.Scored
	err := s.each(ctx, text+where+" ORDER BY rank LIMIT ?",
		func(r row) error {
			var h chat.Scored
			err := r.Scan(&h.ID, &h.Score)
			hits = append(hits, h)
			return err
		}, append(args, q.Limit)...)
	return hits, err
}

// frequencies counts the passages that have each of the terms.
func (s *Store) frequencies(ctx context.Context, table string, terms []string) ([]int, error) {
	counts := make([]int, len(terms))
	for i, t := range terms {
		err := s.one(ctx, "SELECT count(*) FROM "+table+" WHERE "+table+" MATCH ?",
			func(r row) error { return r.Scan(&counts[i]) }, matchAny([]string{t}))
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Frequencies implements chat.Words. How many passages and words there are stands
// in the record that FTS5 itself reads for BM25 (fts5_index.c, "averages
// record"); counting them would take longer than all the rest of a search.
func (s *Store) Frequencies(ctx context.Context, userID string, shelf chat.Shelf, terms []string) (chat.Frequencies, error) {
	none := chat.Frequencies{Of: make([]int, len(terms))}
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return none, err
	}
	table := tableOf(user, shelf)
	var record []byte
	err = s.one(ctx, "SELECT block FROM "+table+"_data WHERE id = 1", func(r row) error { return r.Scan(&record) })
	if noTable(err) || errors.Is(err, sql.ErrNoRows) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	f := none
	sizes := varints(record)
	if len(sizes) == 0 || sizes[0] == 0 {
		return none, nil
	}
	f.Passages = int(sizes[0])
	if len(sizes) != 4 {
		return none, fmt.Errorf("averages of %s have %d numbers, want 4", table, len(sizes))
	}
	f.Length = float64(sizes[3]) / float64(sizes[0])
	f.Of, err = s.frequencies(ctx, table, terms)
	return f, err
}

// varints reads SQLite's numbers: seven bits a byte, the highest first, the ninth
// byte whole.
func varints(data []byte) []uint64 {
	var list []uint64
	for len(data) > 0 {
		var v uint64
		n := 0
		for n < len(data) {
			b := data[n]
			n++
			if n == 9 {
				v = v<<8 | uint64(b)
				break
			}
			v = v<<7 | uint64(b&0x7f)
			if b < 0x80 {
				break
			}
		}
		list = append(list, v)
		data = data[n:]
	}
	return list
}

func asInts(kinds []chat.PassageKind) []int {
	ints := make([]int, len(kinds))
	for i, k := range kinds {
		ints[i] = int(k)
	}
	return ints
}
