package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"confidant/internal/chat"
)

var _ chat.Forgetting = (*Store)(nil)

// Traces implements chat.Forgetting.
func (s *Store) Traces(ctx context.Context) ([]chat.Trace, error) {
	var list []chat.Trace
	err := s.each(ctx, "SELECT u.id, t.conversation FROM traces t JOIN users u ON u.no = t.user ORDER BY t.conversation", func(r row) error {
		var t chat.Trace
		err := r.Scan(&t.UserID, &t.Source)
		list = append(list, t)
		return err
	})
	return list, err
}

// RemoveTrace implements chat.Forgetting.
func (s *Store) RemoveTrace(ctx context.Context, t chat.Trace) error {
	user, err := s.userNo(ctx, t.UserID)
	if err != nil {
		return err
	}
	for more := true; more; { // of a file
		if more, err = s.Sweep(ctx); err != nil {
			return fmt.Errorf("remove pages: %w", err)
		}
	}
	if err := s.scrubAnswers(ctx, user, t.Source); err != nil {
		return fmt.Errorf("remove quotations from answers: %w", err)
	}
	if err := s.scrubLogs(ctx, user, t.Source); err != nil {
		return fmt.Errorf("remove quotations from logs: %w", err)
	}
	for _, table := range tablesOf(user) {
		if err := s.compactWords(ctx, user, table); err != nil {
			return fmt.Errorf("remove words: %w", err)
		}
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "DELETE FROM traces WHERE conversation = ? AND user = ?", t.Source, user)
	})
	if err != nil {
		return err
	}
	return s.emptyLog(ctx)
}

// scrubAnswers takes the statements out of answers that cited the conversation.
func (s *Store) scrubAnswers(ctx context.Context, user int64, conversation string) error {
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		var cited []chat.Message
		err := w.each(ctx, "SELECT "+messageColumns+` FROM messages
			WHERE chat IN (SELECT id FROM chats WHERE user = ?) AND instr(citations, ?) > 0`, func(r row) error {
			var m chat.Message
			err := scanMessage(&m)(r)
			cited = append(cited, m)
			return err
		}, user, conversation)
		if err != nil {
			return err
		}
		for _, m := range cited {
			m, changed := m.Without(conversation)
			if !changed {
				continue
			}
			citations, err := json.Marshal(m.Citations)
			if err != nil {
				return err
			}
			if err := w.exec(ctx, "UPDATE messages SET content = ?, citations = ? WHERE id = ?", m.Content, string(citations), m.ID); err != nil {
				return err
			}
			// A summary of the chat may say it again; it is made anew when it is needed.
			if err := w.exec(ctx, "DELETE FROM summaries WHERE chat = ?", m.ChatID); err != nil {
				return err
			}
		}
		return nil
	})
}

// scrubLogs rewrites the logs of turns that had read the conversation, of those
// that have ended; a turn that runs needs its log as it is, and is one that the
// person started before they deleted.
func (s *Store) scrubLogs(ctx context.Context, user int64, conversation string) error {
	var jobs []int64
	err := s.each(ctx, `SELECT DISTINCT j.no FROM jobs j JOIN log l ON l.job = j.no
		WHERE j.user = ? AND j.state NOT IN ('queued', 'running') AND instr(l.events, ?) > 0`, func(r row) error {
		var no int64
		err := r.Scan(&no)
		jobs = append(jobs, no)
		return err
	}, user, conversation)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		err := s.write(ctx, func(ctx context.Context, w *writer) error { return w.scrubLog(ctx, job, conversation) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) scrubLog(ctx context.Context, job int64, conversation string) error {
	type stored struct {
		no  int64
		run []byte
	}
	var rows []stored
	err := w.each(ctx, "SELECT no, events FROM log WHERE job = ?", func(r row) error {
		var s stored
		err := r.Scan(&s.no, &s.run)
		rows = append(rows, s)
		return err
	}, job)
	if err != nil {
		return err
	}
	for _, s := range rows {
		events, err := decodeRun(s.run, 0, nil)
		if err != nil {
			return err
		}
		var run []byte
		for i, e := range events {
			if i > 0 {
				run = append(run, '\n')
			}
			if run, err = e.Without(conversation).AppendJSON(run); err != nil {
				return err
			}
		}
		if bytes.Equal(run, s.run) {
			continue
		}
		if err := w.exec(ctx, "UPDATE log SET events = ? WHERE no = ?", run, s.no); err != nil {
			return err
		}
	}
	return nil
}

// mergePages is how much of an index one step of its compaction writes.
const mergePages = 500

// compactWords rewrites a full-text index of a person without the words of deleted
// passages: deleting only marks them. It does so in steps, because a large index
// takes seconds.
func (s *Store) compactWords(ctx context.Context, user int64, table string) error {
	for {
		done := false
		err := s.write(ctx, func(ctx context.Context, w *writer) error {
			if err := w.ensureWords(ctx, user); err != nil {
				return err
			}
			var before, after int64
			changes := func(n *int64) error {
				return w.one(ctx, "SELECT total_changes()", func(r row) error { return r.Scan(n) })
			}
			if err := changes(&before); err != nil {
				return err
			}
			// A negative number merges all there is, step by step, into one.
			if err := w.exec(ctx, "INSERT INTO "+table+" ("+table+", rank) VALUES ('merge', ?)", -mergePages); err != nil {
				return err
			}
			if err := changes(&after); err != nil {
				return err
			}
			done = after-before < 2 // SQLite's documentation of the merge command
			return nil
		})
		if err != nil || done {
			return err
		}
	}
}

// emptyLog copies the write-ahead log back and cuts it off, so that what was
// deleted is not in the file beside either.
func (s *Store) emptyLog(ctx context.Context) error {
	return s.writer.betweenCommits(func(conn *sql.Conn) error {
		var busy, pages, copied int64
		// Readers may hold it for a moment: then the next checkpoint does it.
		return conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied)
	})
}

// eraseStep is how many rows of the largest tables one transaction deletes.
const eraseStep = 2000

// Erase implements chat.Forgetting.
func (s *Store) Erase(ctx context.Context, userID string, account bool) error {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return err
	}
	kind := 1
	if account {
		kind = 2
	}
	if err := s.write(ctx, func(ctx context.Context, w *writer) error { return w.beginErasure(ctx, user, kind) }); err != nil {
		return fmt.Errorf("begin to erase: %w", err)
	}
	for more := true; more; {
		err := s.write(ctx, func(ctx context.Context, w *writer) (err error) {
			more, err = w.eraseSome(ctx, user)
			return err
		})
		if err != nil {
			return fmt.Errorf("erase: %w", err)
		}
	}
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		if !account {
			return w.exec(ctx, "UPDATE users SET erasing = 0 WHERE no = ?", user)
		}
		if err := w.exec(ctx, "DELETE FROM tokens WHERE user = ?", user); err != nil {
			return err
		}
		return w.exec(ctx, "DELETE FROM users WHERE no = ?", user)
	})
	if err != nil {
		return fmt.Errorf("end of erasing: %w", err)
	}
	if account {
		s.mu.Lock()
		delete(s.users, userID)
		s.mu.Unlock()
	}
	return s.emptyLog(ctx)
}

// beginErasure makes everything unreachable: lists, search, running work.
func (w *writer) beginErasure(ctx context.Context, user int64, kind int) error {
	delete(w.indexed, user)
	for _, table := range tablesOf(user) {
		if _, err := w.conn.ExecContext(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
			return err
		}
	}
	if err := w.exec(ctx, "UPDATE users SET erasing = max(erasing, ?) WHERE no = ?", kind, user); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM signals WHERE job IN (SELECT id FROM jobs WHERE user = ?)",
		"DELETE FROM messages WHERE chat IN (SELECT id FROM chats WHERE user = ?)",
		"DELETE FROM summaries WHERE chat IN (SELECT id FROM chats WHERE user = ?)",
		"DELETE FROM segment_clients WHERE conversation IN (SELECT id FROM conversations WHERE user = ?)",
		"DELETE FROM steps WHERE conversation IN (SELECT id FROM conversations WHERE user = ?)",
	} {
		if err := w.exec(ctx, text, user); err != nil {
			return err
		}
	}
	for _, table := range []string{
		"chats", "idempotency", "mentions", "conversations", "files", "facts", "tasks", "events", "people", "folders", "personas", "shares", "traces",
	} {
		if err := w.exec(ctx, "DELETE FROM "+table+" WHERE user = ?", user); err != nil {
			return err
		}
	}
	// Whoever runs one of the jobs finds at its next commit that it is not theirs any more.
	return w.exec(ctx, "UPDATE jobs SET state = 'cancelled' WHERE user = ? AND state IN ('queued', 'running')", user)
}

// eraseSome deletes a part of what is left, and reports whether there is more.
func (w *writer) eraseSome(ctx context.Context, user int64) (more bool, err error) {
	const passages = "(SELECT id FROM passages WHERE user = ? ORDER BY id LIMIT ?)"
	const pages = "(SELECT p.generation, p.number FROM generations g JOIN pages p ON p.generation = g.id WHERE g.user = ? LIMIT ?)"
	const jobs = "(SELECT no FROM jobs WHERE user = ? ORDER BY no LIMIT ?)"
	for _, text := range []string{
		"DELETE FROM vectors WHERE passage IN " + passages,
		"DELETE FROM segments WHERE passage IN " + passages,
		"DELETE FROM chunks WHERE passage IN " + passages,
		"DELETE FROM log WHERE job IN " + jobs,
	} {
		if err := w.exec(ctx, text, user, eraseStep); err != nil {
			return false, err
		}
	}
	for _, text := range []string{
		"DELETE FROM passages WHERE id IN " + passages, "DELETE FROM pages WHERE (generation, number) IN " + pages, "DELETE FROM jobs WHERE no IN " + jobs,
	} {
		n, err := w.affected(ctx, text, user, eraseStep)
		if err != nil {
			return false, err
		}
		more = more || n == eraseStep
	}
	if !more {
		err = w.exec(ctx, "DELETE FROM generations WHERE user = ?", user)
	}
	return more, err
}

// Erasing implements chat.Forgetting.
func (s *Store) Erasing(ctx context.Context) ([]chat.Erasure, error) {
	var list []chat.Erasure
	err := s.each(ctx, "SELECT id, erasing = 2 FROM users WHERE erasing <> 0", func(r row) error {
		var e chat.Erasure
		err := r.Scan(&e.UserID, &e.Account)
		list = append(list, e)
		return err
	})
	return list, err
}
