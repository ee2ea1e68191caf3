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
	_ chat.Conversations = (*Store)(nil)
	_ chat.Mentioned     = (*Store)(nil)
)

const (
	conversationColumns = "c.id, u.id, c.title, c.source, c.started_at, c.finished_at, c.created_at, c.speakers, c.segments, c.fingerprint, " +
		"c.status, c.updated_at, c.discarded, c.locked, c.starred, c.folder, c.revision, c.data"
	conversationQuery = "SELECT " + conversationColumns + " FROM conversations c JOIN users u ON u.no = c.user"
)

// conversationData is what the data column has: all that no query selects by.
type conversationData struct {
	Named    bool                 `json:"named,omitempty"`
	Overview string               `json:"overview,omitempty"`
	Emoji    string               `json:"emoji,omitempty"`
	Category chat.Category        `json:"category,omitempty"`
	Events   []chat.ProposedEvent `json:"events,omitempty"`
	Language string               `json:"language,omitempty"`
	Mentions chat.Mentions        `json:"mentions,omitzero"`
	Location *chat.Location       `json:"location,omitempty"`
	Shown    chat.Visibility      `json:"visibility,omitempty"`
}

func scanConversation(c *chat.Conversation) func(row) error {
	return func(r row) error {
		var started, finished, created, updated int64
		var speakers, data string
		if err := r.Scan(&c.ID, &c.UserID, &c.Title, &c.Source, &started, &finished, &created, &speakers, &c.Segments, &c.Fingerprint,
			&c.Status, &updated, &c.Discarded, &c.Locked, &c.Starred, &c.FolderID, &c.Revision, &data); err != nil {
			return err
		}
		c.StartedAt, c.FinishedAt, c.CreatedAt, c.UpdatedAt = fromMillis(started), fromMillis(finished), fromMillis(created), fromMillis(updated)
		d := conversationData{Shown: chat.Private}
		if err := json.Unmarshal([]byte(data), &d); err != nil {
			return fmt.Errorf("data of conversation %s: %w", c.ID, err)
		}
		c.Named, c.Overview, c.Emoji, c.Category, c.Events = d.Named, d.Overview, d.Emoji, d.Category, d.Events
		c.Language, c.Mentions, c.Location, c.Shown = d.Language, d.Mentions, d.Location, d.Shown
		return json.Unmarshal([]byte(speakers), &c.Speakers)
	}
}

// encodeConversation returns the two columns that hold JSON.
func encodeConversation(c chat.Conversation) (speakers, data string, err error) {
	list, err := json.Marshal(append([]string{}, c.Speakers...))
	if err != nil {
		return "", "", err
	}
	if c.Shown == "" {
		c.Shown = chat.Private
	}
	rest, err := json.Marshal(conversationData{
		Named: c.Named, Overview: c.Overview, Emoji: c.Emoji, Category: c.Category, Events: c.Events,
		Language: c.Language, Mentions: c.Mentions, Location: c.Location, Shown: c.Shown,
	})
	return string(list), string(rest), err
}

// PutConversation implements chat.Conversations.
func (s *Store) PutConversation(ctx context.Context, c chat.Conversation, segments []chat.Segment, job *chat.Job) (chat.Conversation, bool, error) {
	user, err := s.userNo(ctx, c.UserID)
	if err != nil {
		return chat.Conversation{}, false, err
	}
	if c.Fingerprint == "" {
		c.Fingerprint = "live:" + c.ID
	}
	stored, created := c, true
	err = s.write(ctx, func(ctx context.Context, w *writer) error {
		err := w.one(ctx, conversationQuery+" WHERE c.user = ? AND c.fingerprint = ?", scanConversation(&stored), user, c.Fingerprint)
		if err == nil {
			created = false
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if stored, err = w.insertConversation(ctx, user, c); err != nil {
			return err
		}
		if stored.Segments, err = w.putSegments(ctx, user, c, 0, segments); err != nil {
			return err
		}
		if err := w.exec(ctx, "UPDATE conversations SET segments = ? WHERE id = ?", stored.Segments, c.ID); err != nil {
			return err
		}
		return w.enqueue(ctx, user, job)
	})
	return stored, created, err
}

func (w *writer) insertConversation(ctx context.Context, user int64, c chat.Conversation) (chat.Conversation, error) {
	speakers, data, err := encodeConversation(c)
	if err != nil {
		return c, err
	}
	if c.Status == "" {
		c.Status = chat.StatusCompleted
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
	c.Revision = 1
	if err := w.exec(ctx, `INSERT INTO conversations (id, user, title, source, started_at, finished_at, created_at, speakers, segments,
			fingerprint, status, updated_at, discarded, locked, starred, folder, revision, data)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, user, c.Title, c.Source, millis(c.StartedAt), millis(c.FinishedAt), millis(c.CreatedAt), speakers,
		c.Fingerprint, c.Status, millis(c.UpdatedAt), c.Discarded, c.Locked, c.Starred, c.FolderID, c.Revision, data); err != nil {
		return c, fmt.Errorf("store conversation: %w", err)
	}
	return c, w.putMentions(ctx, user, c)
}

// putSegments stores segments at positions from first on and returns how many
// there were. One whose ClientID the conversation has is left out.
func (w *writer) putSegments(ctx context.Context, user int64, c chat.Conversation, first int, segments []chat.Segment) (int, error) {
	stored := 0
	for i := range segments {
		seg := &segments[i]
		if seg.ClientID != "" {
			n, err := w.affected(ctx, "INSERT OR IGNORE INTO segment_clients (conversation, client) VALUES (?, ?)", c.ID, seg.ClientID)
			if err != nil {
				return stored, err
			}
			if n == 0 {
				seg.Position = -1 // known
				continue
			}
		}
		seg.Position = first + stored
		seg.ID = chat.SegmentID(c.ID, seg.Position)
		if err := w.putSegment(ctx, user, c, *seg); err != nil {
			return stored, err
		}
		stored++
	}
	return stored, nil
}

func (w *writer) putSegment(ctx context.Context, user int64, c chat.Conversation, seg chat.Segment) error {
	id, err := w.putPassage(ctx, user, chat.Passage{
		Kind: chat.PassageSegment, GroupID: c.ID, Ref: seg.ID, Position: seg.Position,
		Title: c.Title, Speaker: seg.Speaker, Text: seg.Text, At: c.At(seg),
	})
	if err != nil {
		return err
	}
	if err := w.exec(ctx, "INSERT INTO segments (passage, start, finish, is_user, person, client) VALUES (?, ?, ?, ?, ?, ?)",
		id, seg.Start, seg.End, seg.IsUser, seg.PersonID, seg.ClientID); err != nil {
		return fmt.Errorf("store segment: %w", err)
	}
	return nil
}

// Conversation implements chat.Conversations.
func (s *Store) Conversation(ctx context.Context, userID, id string) (chat.Conversation, error) {
	var c chat.Conversation
	err := s.one(ctx, conversationQuery+" WHERE c.id = ? AND u.id = ?", scanConversation(&c), id, userID)
	return c, err
}

// Conversations implements chat.Conversations.
func (s *Store) Conversations(ctx context.Context, userID string, q chat.ConversationQuery) ([]chat.Conversation, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	statuses, err := json.Marshal(q.Statuses)
	if err != nil {
		return nil, err
	}
	where := ` WHERE c.user = ? AND (? = 0 OR c.started_at >= ?) AND (? = 0 OR c.started_at < ?)
		AND (? = '' OR (c.started_at, c.id) < (SELECT started_at, id FROM conversations WHERE id = ?))
		AND (? = 0 OR c.status IN (SELECT value FROM json_each(?))) AND (? OR c.discarded = 0) AND (? OR c.locked = 0)
		AND (NOT ? OR c.starred = 1) AND (? = '' OR c.folder = ?)`
	args := []any{
		user, millis(q.From), millis(q.From), millis(q.Until), millis(q.Until), q.Before, q.Before,
		len(q.Statuses), string(statuses), q.Discarded, q.Locked, q.Starred, q.FolderID, q.FolderID,
	}
	if terms := mentioned(q.Mentions); len(terms) > 0 {
		list, err := json.Marshal(terms)
		if err != nil {
			return nil, err
		}
		where += " AND c.id IN (SELECT m.conversation " + mentioning + ")"
		args = append(args, string(list), user)
	}
	var list []chat.Conversation
	err = s.each(ctx, conversationQuery+where+" ORDER BY c.started_at DESC, c.id DESC LIMIT ?",
		func(r row) error {
			var c chat.Conversation
			err := scanConversation(&c)(r)
			list = append(list, c)
			return err
		}, append(args, q.Limit)...)
	return list, err
}

// mentioning joins a JSON list of pairs of kind and value with the mentions m of
// a person. A value that is the first or last words of a name matches it.
const mentioning = `FROM json_each(?) t JOIN mentions m ON m.user = ? AND m.kind = t.value ->> 0
	WHERE (m.value = t.value ->> 1 OR m.kind <> 'dates' AND (
		substr(m.value, 1, length(t.value ->> 1) + 1) = (t.value ->> 1) || ' '
		OR substr(m.value, -length(t.value ->> 1) - 1) = ' ' || (t.value ->> 1)))`

// Mentioning implements chat.Mentioned.
func (s *Store) Mentioning(ctx context.Context, userID string, m chat.Mentions) ([]string, error) {
	user, err := s.userNo(ctx, userID)
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(mentioned(m))
	if err != nil {
		return nil, err
	}
	var ids []string
	err = s.each(ctx, "SELECT DISTINCT m.conversation "+mentioning+" ORDER BY 1", func(r row) error {
		var id string
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	}, string(list), user)
	return ids, err
}

// Segments implements chat.Conversations.
func (s *Store) Segments(ctx context.Context, userID, conversationID string, from, until int) ([]chat.Segment, error) {
	if _, err := s.Conversation(ctx, userID, conversationID); err != nil {
		return nil, err
	}
	var list []chat.Segment
	err := s.each(ctx, segmentQuery+" AND p.position >= ? AND p.position < ? ORDER BY p.position", func(r row) error {
		var seg chat.Segment
		err := scanSegment(&seg)(r)
		list = append(list, seg)
		return err
	}, conversationID, from, until)
	return list, err
}

// segmentQuery reads the segments of a conversation.
const segmentQuery = `SELECT p.ref, p.position, p.speaker, p.text, g.start, g.finish, g.is_user, g.person, g.client
	FROM passages p JOIN segments g ON g.passage = p.id WHERE p.grp = ? AND p.kind = 0`

func scanSegment(seg *chat.Segment) func(row) error {
	return func(r row) error {
		return r.Scan(&seg.ID, &seg.Position, &seg.Speaker, &seg.Text, &seg.Start, &seg.End, &seg.IsUser, &seg.PersonID, &seg.ClientID)
	}
}

// mentioned lists what a conversation mentions as pairs of kind and value.
func mentioned(m chat.Mentions) [][2]string {
	var list [][2]string
	for _, kind := range []struct {
		name   string
		values []string
	}{{"people", m.People}, {"topics", m.Topics}, {"entities", m.Entities}, {"dates", m.Dates}} {
		for _, v := range kind.values {
			list = append(list, [2]string{kind.name, v})
		}
	}
	return list
}

func (w *writer) putMentions(ctx context.Context, user int64, c chat.Conversation) error {
	if err := w.exec(ctx, "DELETE FROM mentions WHERE conversation = ?", c.ID); err != nil {
		return err
	}
	for _, m := range mentioned(c.Mentions) {
		if err := w.exec(ctx, "INSERT OR IGNORE INTO mentions (user, kind, value, conversation) VALUES (?, ?, ?, ?)", user, m[0], m[1], c.ID); err != nil {
			return fmt.Errorf("store what is mentioned: %w", err)
		}
	}
	return nil
}
