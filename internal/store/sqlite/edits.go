package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
)

var _ chat.ConversationEdits = (*Store)(nil)

// summaryPosition keeps a summary from being the neighbour of a segment.
const summaryPosition = -2

// edit runs a change of one conversation in a transaction, as it is stored then.
func (s *Store) edit(ctx context.Context, userID, id string, do func(context.Context, *writer, int64, chat.Conversation) error) error {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, w *writer) error {
		c, err := w.conversation(ctx, user, id)
		if err != nil {
			return err
		}
		return do(ctx, w, user, c)
	})
}

func (w *writer) conversation(ctx context.Context, user int64, id string) (chat.Conversation, error) {
	var c chat.Conversation
	err := w.one(ctx, conversationQuery+" WHERE c.id = ? AND c.user = ?", scanConversation(&c), id, user)
	return c, storeError(err)
}

// AppendSegments implements chat.ConversationEdits.
func (s *Store) AppendSegments(ctx context.Context, userID, id string, segments []chat.Segment) ([]chat.Segment, error) {
	appended := slices.Clone(segments)
	err := s.edit(ctx, userID, id, func(ctx context.Context, w *writer, user int64, c chat.Conversation) error {
		if c.Status != chat.StatusInProgress {
			return chat.ErrConflict
		}
		n, err := w.putSegments(ctx, user, c, c.Segments, appended)
		if err != nil {
			return err
		}
		appended = slices.DeleteFunc(appended, func(s chat.Segment) bool { return s.Position < 0 })
		for _, seg := range appended {
			if seg.Speaker != "" && !slices.Contains(c.Speakers, seg.Speaker) {
				c.Speakers = append(c.Speakers, seg.Speaker)
			}
			if last := max(seg.Start, seg.End); last >= 0 && !c.StartedAt.IsZero() {
				if at := c.StartedAt.Add(time.Duration(last * float64(time.Second))); at.After(c.FinishedAt) {
					c.FinishedAt = at
				}
			}
		}
		c.Segments += n
		c.UpdatedAt = time.Now().UTC()
		_, err = w.updateConversation(ctx, user, c)
		return err
	})
	return appended, err
}

// SaveConversation implements chat.ConversationEdits.
func (s *Store) SaveConversation(ctx context.Context, c chat.Conversation, job *chat.Job) (chat.Conversation, error) {
	var saved chat.Conversation
	err := s.edit(ctx, c.UserID, c.ID, func(ctx context.Context, w *writer, user int64, stored chat.Conversation) (err error) {
		if saved, err = w.saveConversation(ctx, user, stored, c); err != nil {
			return err
		}
		return w.enqueue(ctx, user, job)
	})
	return saved, err
}

// saveConversation stores c over what is stored, if it is of the same revision,
// and keeps the index in step with its title and summary.
func (w *writer) saveConversation(ctx context.Context, user int64, stored, c chat.Conversation) (chat.Conversation, error) {
	if stored.Revision != c.Revision {
		return c, chat.ErrConflict
	}
	c.Segments, c.Fingerprint = stored.Segments, stored.Fingerprint
	c.UpdatedAt = time.Now().UTC()
	c, err := w.updateConversation(ctx, user, c)
	if err != nil {
		return c, err
	}
	if err := w.putMentions(ctx, user, c); err != nil {
		return c, err
	}
	if c.Title != stored.Title {
		if err := w.reindex(ctx, user, c); err != nil {
			return c, err
		}
	}
	return c, w.putSummary(ctx, user, c)
}

// updateConversation writes every column.
func (w *writer) updateConversation(ctx context.Context, user int64, c chat.Conversation) (chat.Conversation, error) {
	speakers, data, err := encodeConversation(c)
	if err != nil {
		return c, err
	}
	c.Revision++
	err = w.exec(ctx, `UPDATE conversations SET title = ?, source = ?, started_at = ?, finished_at = ?, speakers = ?, segments = ?,
			status = ?, updated_at = ?, discarded = ?, locked = ?, starred = ?, folder = ?, revision = ?, data = ?
		WHERE id = ? AND user = ?`,
		c.Title, c.Source, millis(c.StartedAt), millis(c.FinishedAt), speakers, c.Segments,
		c.Status, millis(c.UpdatedAt), c.Discarded, c.Locked, c.Starred, c.FolderID, c.Revision, data, c.ID, user)
	if err != nil {
		return c, fmt.Errorf("store conversation: %w", err)
	}
	return c, nil
}

// putSummary makes the conversation's summary found, once it has one.
func (w *writer) putSummary(ctx context.Context, user int64, c chat.Conversation) error {
	p := chat.Passage{Kind: chat.PassageSummary, GroupID: c.ID, Ref: c.ID, Position: summaryPosition, Title: c.Title, At: c.StartedAt}
	if c.Overview != "" {
		p.Text = c.Title + ". " + c.Overview
	}
	return w.replacePassage(ctx, user, p, c.Overview != "" && !c.Discarded)
}

// reindex writes the words of a conversation's segments anew, because its title
// or a speaker has another name.
func (w *writer) reindex(ctx context.Context, user int64, c chat.Conversation) error {
	return w.eachPassage(ctx, c.ID, func(p chat.Passage) error {
		return w.exec(ctx, "INSERT OR REPLACE INTO "+words(user)+" (rowid, title, speaker, text) VALUES (?, ?, ?, ?)", p.ID, c.Title, p.Speaker, p.Text)
	})
}

// eachPassage calls do for the segments of a conversation, read before.
func (w *writer) eachPassage(ctx context.Context, conversation string, do func(chat.Passage) error) error {
	var list []chat.Passage
	err := w.each(ctx, "SELECT id, speaker, text FROM passages WHERE grp = ? AND kind = 0 ORDER BY position", func(r row) error {
		var p chat.Passage
		err := r.Scan(&p.ID, &p.Speaker, &p.Text)
		list = append(list, p)
		return err
	}, conversation)
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// RelabelSpeaker implements chat.ConversationEdits.
func (s *Store) RelabelSpeaker(ctx context.Context, userID, id, from string, to chat.Speaker) (int, error) {
	changed := 0
	err := s.edit(ctx, userID, id, func(ctx context.Context, w *writer, user int64, c chat.Conversation) error {
		err := w.eachPassage(ctx, id, func(p chat.Passage) error {
			if p.Speaker != from {
				return nil
			}
			changed++
			if err := w.exec(ctx, "UPDATE passages SET speaker = ? WHERE id = ?", to.Name, p.ID); err != nil {
				return err
			}
			if err := w.exec(ctx, "UPDATE segments SET person = ?, is_user = ? WHERE passage = ?", to.PersonID, to.IsUser, p.ID); err != nil {
				return err
			}
			return w.exec(ctx, "INSERT OR REPLACE INTO "+words(user)+" (rowid, title, speaker, text) VALUES (?, ?, ?, ?)", p.ID, c.Title, to.Name, p.Text)
		})
		if err != nil || changed == 0 {
			return err
		}
		for i, name := range c.Speakers {
			if name == from {
				c.Speakers[i] = to.Name
			}
		}
		c.Speakers = unique(c.Speakers)
		c.UpdatedAt = time.Now().UTC()
		_, err = w.updateConversation(ctx, user, c)
		return err
	})
	return changed, err
}

// unique returns the names, each at its first place.
func unique(names []string) []string {
	var list []string
	for _, n := range names {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// Merge implements chat.ConversationEdits.
func (s *Store) Merge(ctx context.Context, into chat.Conversation, others []string, job *chat.Job) (chat.Conversation, error) {
	var merged chat.Conversation
	err := s.edit(ctx, into.UserID, into.ID, func(ctx context.Context, w *writer, user int64, stored chat.Conversation) error {
		if stored.Revision != into.Revision {
			return chat.ErrConflict
		}
		var all []chat.Segment
		parts := []chat.Conversation{stored}
		for _, id := range others {
			c, err := w.conversation(ctx, user, id)
			if err != nil {
				return err
			}
			parts = append(parts, c)
		}
		slices.SortStableFunc(parts, func(a, b chat.Conversation) int {
			return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID))
		})
		into.StartedAt = parts[0].StartedAt
		into.Speakers = nil
		for _, c := range parts {
			into.Speakers = unique(append(into.Speakers, c.Speakers...))
			if c.FinishedAt.After(into.FinishedAt) {
				into.FinishedAt = c.FinishedAt
			}
			segments, err := w.segments(ctx, c.ID)
			if err != nil {
				return err
			}
			all = append(all, shifted(segments, c.StartedAt.Sub(into.StartedAt), !c.StartedAt.IsZero())...)
		}
		for _, id := range append([]string{into.ID}, others...) {
			if err := w.deletePassages(ctx, user, id); err != nil {
				return err
			}
			if err := w.exec(ctx, "DELETE FROM segment_clients WHERE conversation = ?", id); err != nil {
				return err
			}
		}
		for _, id := range others {
			if err := w.deleteConversation(ctx, user, id); err != nil {
				return err
			}
		}
		n, err := w.putSegments(ctx, user, into, 0, all)
		if err != nil {
			return err
		}
		into.Segments, into.UpdatedAt = n, time.Now().UTC()
		if merged, err = w.updateConversation(ctx, user, into); err != nil {
			return err
		}
		if err := w.putSummary(ctx, user, merged); err != nil {
			return err
		}
		return w.enqueue(ctx, user, job)
	})
	return merged, err
}

func (w *writer) segments(ctx context.Context, conversation string) ([]chat.Segment, error) {
	var list []chat.Segment
	err := w.each(ctx, segmentQuery+" ORDER BY p.position", func(r row) error {
		var seg chat.Segment
		err := scanSegment(&seg)(r)
		list = append(list, seg)
		return err
	}, conversation)
	return list, err
}

// shifted moves known times to another start of the conversation.
func shifted(segments []chat.Segment, by time.Duration, known bool) []chat.Segment {
	for i := range segments {
		s := &segments[i]
		if !known {
			s.Start, s.End = -1, -1
			continue
		}
		if s.Start >= 0 {
			s.Start += by.Seconds()
		}
		if s.End >= 0 {
			s.End += by.Seconds()
		}
	}
	return segments
}

// Quiet implements chat.ConversationEdits.
func (s *Store) Quiet(ctx context.Context, since time.Time, limit int) ([]chat.Conversation, error) {
	var list []chat.Conversation
	err := s.each(ctx, conversationQuery+" WHERE c.status = 'in_progress' AND c.updated_at <= ? ORDER BY c.updated_at LIMIT ?", func(r row) error {
		var c chat.Conversation
		err := scanConversation(&c)(r)
		list = append(list, c)
		return err
	}, millis(since), limit)
	return list, err
}

// DeleteConversation implements chat.Conversations.
func (s *Store) DeleteConversation(ctx context.Context, userID, id string) error {
	return s.edit(ctx, userID, id, func(ctx context.Context, w *writer, user int64, _ chat.Conversation) error {
		return w.deleteConversation(ctx, user, id)
	})
}

// deleteConversation removes a conversation with its passages, facts, tasks and
// jobs. An event that the person put into the calendar stays theirs.
func (w *writer) deleteConversation(ctx context.Context, user int64, id string) error {
	if err := w.deletePassages(ctx, user, id); err != nil {
		return err
	}
	if err := removeAll(ctx, w, facts, user, id); err != nil {
		return err
	}
	if err := removeAll(ctx, w, tasks, user, id); err != nil {
		return err
	}
	if err := w.exec(ctx, "INSERT OR IGNORE INTO traces (conversation, user) VALUES (?, ?)", id, user); err != nil {
		return err
	}
	if err := w.exec(ctx, "UPDATE events SET data = json_remove(data, '$.conversation_id') WHERE user = ? AND data ->> 'conversation_id' = ?", user, id); err != nil {
		return fmt.Errorf("free events: %w", err)
	}
	for _, text := range []string{
		"DELETE FROM segment_clients WHERE conversation = ?",
		"DELETE FROM mentions WHERE conversation = ?",
		"DELETE FROM steps WHERE conversation = ?",
		"DELETE FROM signals WHERE job IN (SELECT id FROM jobs INDEXED BY jobs_of_lane WHERE lane = ?)",
		"DELETE FROM log WHERE job IN (SELECT no FROM jobs INDEXED BY jobs_of_lane WHERE lane = ?)",
		"DELETE FROM jobs WHERE lane = ?",
		"DELETE FROM conversations WHERE id = ?",
	} {
		if err := w.exec(ctx, text, id); err != nil {
			return fmt.Errorf("delete conversation: %w", err)
		}
	}
	return nil
}

// removeAll removes the records that came from a conversation.
func removeAll[T any](ctx context.Context, w *writer, k records[T], user int64, conversation string) error {
	var ids []string
	err := w.each(ctx, "SELECT id FROM "+k.table+" WHERE conversation = ? AND conversation <> ''", func(r row) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	}, conversation)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := k.remove(ctx, w, user, id); err != nil {
			return err
		}
	}
	return nil
}
