package sqlite

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math"

	"confidant/internal/chat"
)

var (
	_ chat.Vectors      = (*Store)(nil)
	_ chat.VectorModels = (*Store)(nil)
)

const modelNo = "(SELECT no FROM models WHERE name = ?)"

// Unembedded implements chat.Vectors. All passages up to a mark are known to
// have a vector, so that a question that is asked often does not scan them again.
func (s *Store) Unembedded(ctx context.Context, model string, limit int) ([]chat.Passage, error) {
	s.mu.Lock()
	mark := s.embedded[model]
	s.mu.Unlock()
	var passages []chat.Passage
	err := s.each(ctx, `SELECT u.id, `+passageColumns+passageSources+` JOIN users u ON u.no = p.user
		WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = `+modelNo+`)
		ORDER BY p.id LIMIT ?`,
		func(r row) error {
			var p chat.Passage
			err := scanPassage(&p, &p.UserID)(r)
			passages = append(passages, p)
			return err
		}, mark, model, limit)
	if err != nil {
		return nil, err
	}
	if len(passages) > 0 {
		s.mu.Lock()
		s.embedded[model] = max(s.embedded[model], passages[0].ID-1)
		s.mu.Unlock()
	}
	return passages, nil
}

// Pending implements chat.Vectors.
func (s *Store) Pending(ctx context.Context, model string) (int, error) {
	s.mu.Lock()
	mark := s.embedded[model]
	s.mu.Unlock()
	var n int
	err := s.one(ctx, `SELECT count(*) FROM passages p
		WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = `+modelNo+`)`,
		func(r row) error { return r.Scan(&n) }, mark, model)
	return n, err
}

// PutVectors implements chat.Vectors. A passage that was deleted meanwhile is left out.
func (s *Store) PutVectors(ctx context.Context, model string, vectors []chat.Vector) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.exec(ctx, "INSERT OR IGNORE INTO models (name) VALUES (?)", model); err != nil {
			return fmt.Errorf("store model: %w", err)
		}
		for _, v := range vectors {
			if err := w.exec(ctx, `INSERT OR REPLACE INTO vectors (passage, model, data)
				SELECT id, `+modelNo+`, ? FROM passages WHERE id = ?`, model, encodeVector(v.Data), v.ID); err != nil {
				return fmt.Errorf("store vector: %w", err)
			}
		}
		return nil
	})
}

// LoadVectors implements chat.Vectors.
func (s *Store) LoadVectors(ctx context.Context, model, userID string) iter.Seq2[chat.Vector, error] {
	return func(yield func(chat.Vector, error) bool) {
		user, err := s.userNo(ctx, userID)
		if err != nil {
			yield(chat.Vector{}, err)
			return
		}
		stmt, err := s.query(ctx, `SELECT p.id, p.kind, p.at, v.data FROM passages p JOIN vectors v ON v.passage = p.id
			WHERE p.user = ? AND v.model = `+modelNo+` ORDER BY p.id`)
		if err != nil {
			yield(chat.Vector{}, err)
			return
		}
		rows, err := stmt.QueryContext(ctx, user, model)
		if err != nil {
			yield(chat.Vector{}, storeError(err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			v := chat.Vector{UserID: userID}
			var at int64
			var data []byte
			err := rows.Scan(&v.ID, &v.Kind, &at, &data)
			v.At, v.Data = fromMillis(at), decodeVector(data)
			if !yield(v, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(chat.Vector{}, storeError(err))
		}
	}
}

// ExactVectors implements chat.Vectors.
func (s *Store) ExactVectors(ctx context.Context, model string, ids []int64) ([][]float32, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	place := make(map[int64]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	exact := make([][]float32, len(ids))
	err = s.each(ctx, "SELECT passage, data FROM vectors WHERE passage IN (SELECT value FROM json_each(?)) AND model = "+modelNo,
		func(r row) error {
			var id int64
			var data []byte
			err := r.Scan(&id, &data)
			exact[place[id]] = decodeVector(data)
			return err
		}, string(list), model)
	return exact, err
}

// VectorModels implements chat.VectorModels.
func (s *Store) VectorModels(ctx context.Context) ([]string, error) {
	var names []string
	err := s.each(ctx, "SELECT m.name FROM models m JOIN vectors v ON v.model = m.no GROUP BY m.no ORDER BY count(*) DESC", func(r row) error {
		var name string
		err := r.Scan(&name)
		names = append(names, name)
		return err
	})
	return names, err
}

// dropStep is how many vectors one transaction deletes.
const dropStep = 2000

// DropVectors implements chat.VectorModels.
func (s *Store) DropVectors(ctx context.Context, model string) (more bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		n, err := w.affected(ctx, `DELETE FROM vectors WHERE (passage, model) IN
			(SELECT passage, model FROM vectors WHERE model = `+modelNo+` LIMIT ?)`, model, dropStep)
		more = n == dropStep
		return err
	})
	return more, err
}

func encodeVector(v []float32) []byte {
	data := make([]byte, 0, 4*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

func decodeVector(data []byte) []float32 {
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}
