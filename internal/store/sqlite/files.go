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
	_ chat.Files      = (*Store)(nil)
	_ chat.FileUpkeep = (*Store)(nil)
)

const fileColumns = "f.data, f.generation, f.revision"

// scanFile reads fileColumns, with other columns before them.
func scanFile(userID string, f *chat.File, before ...any) func(row) error {
	return func(r row) error {
		var data, generation string
		var revision int64
		if err := r.Scan(append(before, &data, &generation, &revision)...); err != nil {
			return err
		}
		*f = chat.File{}
		if err := json.Unmarshal([]byte(data), f); err != nil {
			return fmt.Errorf("record of a file: %w", err)
		}
		f.UserID, f.Generation, f.Revision = userID, generation, revision
		return nil
	}
}

// AddFile implements chat.Files.
func (s *Store) AddFile(ctx context.Context, f chat.File, job chat.Job) (chat.File, bool, error) {
	user, err := s.userNo(ctx, f.UserID)
	if err != nil {
		return chat.File{}, false, err
	}
	stored, created := f, true
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		created = true // this may run again
		err := w.one(ctx, "SELECT "+fileColumns+" FROM files f WHERE f.user = ? AND f.hash = ?", scanFile(f.UserID, &stored), user, f.Hash)
		if err == nil {
			created = false
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var taken int
		if err := w.one(ctx, "SELECT count(*) FROM files WHERE id = ?", func(r row) error { return r.Scan(&taken) }, f.ID); err != nil {
			return err
		}
		if taken > 0 {
			return chat.ErrConflict
		}
		stored = f
		stored.Revision, stored.Generation = 1, ""
		data, err := json.Marshal(stored)
		if err != nil {
			return err
		}
		err = w.exec(ctx, `INSERT INTO files (id, user, hash, name, type, state, chat, generation, created_at, revision, data)
			VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, 1, ?)`,
			f.ID, user, f.Hash, f.Name, f.Type, f.State, f.ChatID, millis(f.CreatedAt), string(data))
		if err != nil {
			return fmt.Errorf("store file: %w", err)
		}
		return w.enqueue(ctx, user, &job)
	})
	return stored, created, err
}

// File implements chat.Files.
func (s *Store) File(ctx context.Context, userID, id string) (chat.File, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return chat.File{}, err
	}
	var f chat.File
	err = s.one(ctx, "SELECT "+fileColumns+" FROM files f WHERE f.id = ? AND f.user = ?", scanFile(userID, &f), id, user)
	return f, err
}

// Files implements chat.Files.
func (s *Store) Files(ctx context.Context, userID string, q chat.FileQuery) ([]chat.File, int, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, 0, err
	}
	states, err := json.Marshal(q.States)
	if err != nil {
		return nil, 0, err
	}
	types, err := json.Marshal(q.Types)
	if err != nil {
		return nil, 0, err
	}
	const where = ` FROM files f WHERE f.user = ?1
		AND (?2 = '' OR instr(lower(f.name), lower(?2)) > 0 OR instr(lower(f.data ->> 'title'), lower(?2)) > 0)
		AND (?3 = 0 OR f.state IN (SELECT value FROM json_each(?4)))
		AND (?5 = 0 OR EXISTS (SELECT 1 FROM json_each(?6) t WHERE substr(f.type, 1, length(t.value)) = t.value))
		AND (?7 = '' OR f.chat = ?7)`
	args := []any{user, q.Text, len(q.States), string(states), len(q.Types), string(types), q.ChatID}
	var total int
	if err := s.one(ctx, "SELECT count(*)"+where, func(r row) error { return r.Scan(&total) }, args...); err != nil {
		return nil, 0, err
	}
	list := []chat.File{}
	err = s.each(ctx, "SELECT "+fileColumns+where+" AND (?8 = '' OR f.id < ?8) ORDER BY f.id DESC LIMIT ?9", func(r row) error {
		var f chat.File
		err := scanFile(userID, &f)(r)
		list = append(list, f)
		return err
	}, append(args, q.Before, q.Limit)...)
	return list, total, err
}

// SaveFile implements chat.Files.
func (s *Store) SaveFile(ctx context.Context, f chat.File) (chat.File, error) {
	user, err := s.userNo(ctx, f.UserID)
	if err != nil {
		return chat.File{}, err
	}
	saved := f
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		var err error
		saved, err = w.saveFile(ctx, user, f)
		return err
	})
	return saved, err
}

func (w *writer) saveFile(ctx context.Context, user int64, f chat.File) (chat.File, error) {
	var stored chat.File
	err := w.one(ctx, "SELECT "+fileColumns+" FROM files f WHERE f.id = ? AND f.user = ?", scanFile(f.UserID, &stored), f.ID, user)
	if err != nil {
		return f, err
	}
	if stored.Revision != f.Revision {
		return f, chat.ErrConflict
	}
	f.Revision, f.Generation = stored.Revision+1, stored.Generation
	data, err := json.Marshal(f)
	if err != nil {
		return f, err
	}
	if err := w.exec(ctx, "UPDATE files SET name = ?, type = ?, state = ?, chat = ?, revision = ?, data = ? WHERE id = ?",
		f.Name, f.Type, f.State, f.ChatID, f.Revision, string(data), f.ID); err != nil {
		return f, fmt.Errorf("store file: %w", err)
	}
	if f.Generation == "" {
		return f, nil
	}
	return f, w.putFilePassage(ctx, user, f)
}

// putFilePassage makes a file found by its name and its summary.
func (w *writer) putFilePassage(ctx context.Context, user int64, f chat.File) error {
	text := f.Name
	if f.Title != "" && f.Title != f.Name {
		text += "\n" + f.Title
	}
	if f.Summary != "" {
		text += "\n" + f.Summary
	}
	return w.replacePassage(ctx, user, chat.Passage{
		Kind: chat.PassageFile, GroupID: f.Generation, Ref: f.ID, Position: -2, Title: f.Name, Text: text, At: f.At(),
	}, true)
}

// DeleteFile implements chat.Files. What it said is unreachable at once, and swept
// away in steps: a book has more chunks than one transaction should hold up others for.
func (s *Store) DeleteFile(ctx context.Context, userID, id string) error {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		n, err := w.affected(ctx, "DELETE FROM files WHERE id = ? AND user = ?", id, user)
		if err != nil {
			return err
		}
		if n == 0 {
			return chat.ErrNotFound
		}
		if err := w.exec(ctx, "INSERT OR IGNORE INTO traces (conversation, user) VALUES (?, ?)", id, user); err != nil {
			return err
		}
		for _, text := range []string{
			"UPDATE generations SET gone = 1 WHERE file = ?",
			"DELETE FROM signals WHERE job IN (SELECT id FROM jobs INDEXED BY jobs_of_lane WHERE lane = ?)",
			"DELETE FROM log WHERE job IN (SELECT no FROM jobs INDEXED BY jobs_of_lane WHERE lane = ?)",
			"DELETE FROM jobs WHERE lane = ?",
		} {
			if err := w.exec(ctx, text, id); err != nil {
				return fmt.Errorf("delete file: %w", err)
			}
		}
		return nil
	})
}

// RetypeChunks implements chat.FileUpkeep.
func (s *Store) RetypeChunks(ctx context.Context, generation string, types map[int]chat.ChunkType) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		for position, t := range types {
			if err := w.exec(ctx, "UPDATE passages SET kind = ? WHERE grp = ? AND position = ?", chat.KindOf(t), generation, position); err != nil {
				return fmt.Errorf("store the type of a chunk: %w", err)
			}
		}
		return nil
	})
}

// HasContent implements chat.FileUpkeep.
func (s *Store) HasContent(ctx context.Context, userID, hash string) (bool, error) {
	var n int
	err := s.one(ctx, "SELECT count(*) FROM files f JOIN users u ON u.no = f.user WHERE u.id = ? AND f.hash = ?",
		func(r row) error { return r.Scan(&n) }, userID, hash)
	return n > 0, err
}

// Stranded implements chat.FileUpkeep.
func (s *Store) Stranded(ctx context.Context) ([]chat.File, error) {
	var list []chat.File
	err := s.each(ctx, "SELECT u.id, "+fileColumns+` FROM files f JOIN users u ON u.no = f.user WHERE f.state = 'in_progress'
		AND NOT EXISTS (SELECT 1 FROM jobs j INDEXED BY jobs_lane WHERE j.lane = f.id AND j.state IN ('queued', 'running'))`, func(r row) error {
		var f chat.File
		var user string
		err := scanFile("", &f, &user)(r)
		f.UserID = user
		list = append(list, f)
		return err
	})
	return list, err
}
