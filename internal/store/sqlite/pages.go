package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"confidant/internal/chat"
)

var (
	_ chat.Pages       = (*Store)(nil)
	_ chat.Generations = (*Store)(nil)
)

// growing makes sure that a file is there and has that generation.
func (w *writer) growing(ctx context.Context, user int64, f chat.File, generation string) error {
	var n int
	err := w.one(ctx, "SELECT count(*) FROM files WHERE id = ? AND user = ?", func(r row) error { return r.Scan(&n) }, f.ID, user)
	if err == nil && n == 0 {
		err = chat.ErrNotFound
	}
	if err != nil {
		return err
	}
	return w.exec(ctx, "INSERT OR IGNORE INTO generations (id, user, file) VALUES (?, ?, ?)", generation, user, f.ID)
}

// PutPages implements chat.Pages.
func (s *Store) PutPages(ctx context.Context, f chat.File, generation string, pages []chat.FilePage) error {
	return s.grow(ctx, f, generation, func(ctx context.Context, w *writer, _ int64) error {
		for _, p := range pages {
			if err := w.exec(ctx, "INSERT OR REPLACE INTO pages (generation, number, label, text, note) VALUES (?, ?, ?, ?, ?)",
				generation, p.Number, p.Label, p.Text, p.Note); err != nil {
				return fmt.Errorf("store page: %w", err)
			}
		}
		return nil
	})
}

func (s *Store) grow(ctx context.Context, f chat.File, generation string, do func(ctx context.Context, w *writer, user int64) error) error {
	user, err := s.userNo(ctx, f.UserID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		if err := w.growing(ctx, user, f, generation); err != nil {
			return err
		}
		return do(ctx, w, user)
	})
}

// PutChunks implements chat.Pages.
func (s *Store) PutChunks(ctx context.Context, f chat.File, generation string, chunks []chat.Chunk) error {
	return s.grow(ctx, f, generation, func(ctx context.Context, w *writer, user int64) error {
		known, err := w.embeddedTexts(ctx, f.ID, chunks)
		if err != nil {
			return err
		}
		for _, c := range chunks {
			headings, err := json.Marshal(append([]string{}, c.Headings...))
			if err != nil {
				return err
			}
			id, err := w.putPassage(ctx, user, chat.Passage{
				Kind: chat.KindOf(c.Type), GroupID: generation, Ref: chat.ChunkID(f.ID, c.Position), Position: c.Position,
				Speaker: c.Heading(), Text: c.Text, At: f.At(),
			})
			if err != nil {
				return err
			}
			if err := w.exec(ctx, "INSERT INTO chunks (passage, page, start, finish, headings) VALUES (?, ?, ?, ?, ?)",
				id, c.Page, c.Start, c.End, string(headings)); err != nil {
				return fmt.Errorf("store chunk: %w", err)
			}
			if same, ok := known[c.Text]; ok {
				if err := w.exec(ctx, "INSERT OR IGNORE INTO vectors (passage, model, data) SELECT ?, model, data FROM vectors WHERE passage = ?", id, same); err != nil {
					return fmt.Errorf("take over a vector: %w", err)
				}
			}
		}
		return nil
	})
}

// embeddedTexts are the published chunks of a file that say the same as new ones: a
// file that is read again need not be embedded again.
func (w *writer) embeddedTexts(ctx context.Context, fileID string, chunks []chat.Chunk) (map[string]int64, error) {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	list, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	known := map[string]int64{}
	err = w.each(ctx, `SELECT p.id, p.text FROM files f JOIN passages p ON p.grp = f.generation
		WHERE f.id = ? AND f.generation <> '' AND p.position >= 0 AND p.text IN (SELECT value FROM json_each(?))`, func(r row) error {
		var id int64
		var text string
		err := r.Scan(&id, &text)
		known[text] = id
		return err
	}, fileID, string(list))
	return known, err
}

// Publish implements chat.Pages.
func (s *Store) Publish(ctx context.Context, f chat.File, generation string) (chat.File, error) {
	published := f
	err := s.grow(ctx, f, generation, func(ctx context.Context, w *writer, user int64) error {
		if err := w.exec(ctx, "UPDATE generations SET gone = 1 WHERE file = ? AND id <> ?", f.ID, generation); err != nil {
			return err
		}
		if err := w.exec(ctx, "UPDATE files SET generation = ? WHERE id = ?", generation, f.ID); err != nil {
			return err
		}
		var err error
		published, err = w.saveFile(ctx, user, f)
		return err
	})
	return published, err
}

// published is the file of a person, through its generation.
const published = " JOIN files f ON f.id = ? AND f.user = ? AND f.generation = "

// FilePages implements chat.Pages.
func (s *Store) FilePages(ctx context.Context, userID, fileID string, from, until int) ([]chat.FilePage, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	return s.filePages(ctx, published+"p.generation WHERE p.number BETWEEN ? AND ?", fileID, user, from, until)
}

// GenerationPages implements chat.Generations.
func (s *Store) GenerationPages(ctx context.Context, generation string, from, until int) ([]chat.FilePage, error) {
	return s.filePages(ctx, " WHERE p.generation = ? AND p.number BETWEEN ? AND ?", generation, from, until)
}

func (s *Store) filePages(ctx context.Context, where string, args ...any) ([]chat.FilePage, error) {
	list := []chat.FilePage{}
	err := s.each(ctx, "SELECT p.number, p.label, p.text, p.note FROM pages p"+where+" ORDER BY p.number", func(r row) error {
		var p chat.FilePage
		err := r.Scan(&p.Number, &p.Label, &p.Text, &p.Note)
		list = append(list, p)
		return err
	}, args...)
	return list, err
}

// FileChunks implements chat.Pages.
func (s *Store) FileChunks(ctx context.Context, userID, fileID string, in chat.ChunkRange) ([]chat.Chunk, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	list := []chat.Chunk{}
	err = s.each(ctx, `SELECT p.position, c.page, c.start, c.finish, c.headings, p.text, p.kind FROM passages p JOIN chunks c ON c.passage = p.id`+
		published+`p.grp
		WHERE p.position >= ?3 AND (?4 = 0 OR p.position < ?4) AND c.page >= ?5 AND (?6 = 0 OR c.page <= ?6) ORDER BY p.position`, func(r row) error {
		var c chat.Chunk
		var kind chat.PassageKind
		var headings string
		if err := r.Scan(&c.Position, &c.Page, &c.Start, &c.End, &headings, &c.Text, &kind); err != nil {
			return err
		}
		c.Type = kind.ChunkType()
		list = append(list, c)
		return json.Unmarshal([]byte(headings), &list[len(list)-1].Headings)
	}, fileID, user, in.From, in.Until, in.FirstPage, in.LastPage)
	return list, err
}

// Grown implements chat.Generations.
func (s *Store) Grown(ctx context.Context, generation string) (lastPage, chunks int, err error) {
	if err = s.one(ctx, "SELECT coalesce(max(number), 0) FROM pages WHERE generation = ?", func(r row) error { return r.Scan(&lastPage) }, generation); err != nil {
		return 0, 0, err
	}
	err = s.one(ctx, "SELECT coalesce(max(position) + 1, 0) FROM passages WHERE grp = ? AND position >= 0", func(r row) error { return r.Scan(&chunks) }, generation)
	return lastPage, chunks, err
}

// UnembeddedChunks implements chat.Generations.
func (s *Store) UnembeddedChunks(ctx context.Context, generation, model string) (int, error) {
	var n int
	err := s.one(ctx, `SELECT count(*) FROM passages p WHERE p.grp = ?
		AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND v.model = `+modelNo+`)`,
		func(r row) error { return r.Scan(&n) }, generation, model)
	return n, err
}

// Abandon implements chat.Generations.
func (s *Store) Abandon(ctx context.Context, generation string) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE generations SET gone = 1 WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM files WHERE generation = ?1 AND generation <> '')", generation)
	})
}

// sweepStep is how many chunks, or pages, one transaction deletes.
const sweepStep = 500

// Sweep implements chat.Generations.
func (s *Store) Sweep(ctx context.Context) (more bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		more = false
		var id string
		var user int64
		err := w.one(ctx, "SELECT id, user FROM generations WHERE gone = 1 LIMIT 1", func(r row) error { return r.Scan(&id, &user) })
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		more = true
		if err := w.deletePassagesOf(ctx, user, "id IN (SELECT id FROM passages WHERE grp = ? ORDER BY id LIMIT "+fmt.Sprint(sweepStep)+")", id); err != nil {
			return err
		}
		if err := w.exec(ctx, "DELETE FROM pages WHERE generation = ?1 AND number IN (SELECT number FROM pages WHERE generation = ?1 LIMIT ?2)", id, sweepStep); err != nil {
			return err
		}
		return w.exec(ctx, `DELETE FROM generations WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM passages WHERE grp = ?1)
			AND NOT EXISTS (SELECT 1 FROM pages WHERE generation = ?1)`, id)
	})
	return more, err
}
