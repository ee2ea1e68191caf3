package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/memory/process"
)

// Recording is a conversation as a client sends it.
type Recording struct {
	Title, Source, Language string
	StartedAt               time.Time
	Location                *chat.Location
	// Live recordings go on: segments are appended until they are finished.
	Live     bool
	Segments []chat.Segment
	// Key makes the same request the same conversation; empty for none.
	Key string
}

// The limits of what a client may send in one request.
const (
	maxSegments = 20_000
	maxName     = 200 // characters of a speaker, a source, a client's id
)

// Record stores a conversation in one piece, or begins a live one. In one piece
// its segments are put in the order of their times. It fails with CodeInvalid
// and stores nothing when a segment makes no sense.
func (m *Memory) Record(ctx context.Context, userID string, rec Recording) (chat.Conversation, error) {
	if err := rec.check(); err != nil {
		return chat.Conversation{}, err
	}
	if !rec.Live && len(rec.Segments) == 0 {
		return chat.Conversation{}, chat.Fail(chat.CodeInvalid, "A conversation needs segments, or live: true to add them later.")
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	d := Draft{Title: rec.Title, Source: rec.Source, StartedAt: rec.StartedAt, Segments: rec.Segments}
	if d.Source == "" {
		d.Source = sourceTranscript
	}
	d.finish("", now)
	c := chat.Conversation{
		ID: ident.New(), UserID: userID, Title: d.Title, Named: rec.Title != "", Source: d.Source, Language: rec.Language, Location: rec.Location,
		Status: chat.StatusProcessing, StartedAt: d.StartedAt, FinishedAt: d.FinishedAt, CreatedAt: now, Speakers: d.Speakers,
	}
	if rec.Key != "" {
		c.Fingerprint = "key:" + rec.Key
	}
	job := process.Job(userID, c.ID, false)
	if rec.Live {
		c.Status, job = chat.StatusInProgress, nil
	}
	c, _, err := m.PutConversation(ctx, c, d.Segments, job)
	if err == nil {
		m.Wake()
	}
	return c, err
}

// Append adds segments to a conversation in progress and returns those that were
// not there. Words are found at once. ErrConflict when it is finished.
func (m *Memory) Append(ctx context.Context, userID, id string, segments []chat.Segment) ([]chat.Segment, error) {
	if err := (Recording{Segments: segments}).check(); err != nil {
		return nil, err
	}
	var cut []chat.Segment
	for _, s := range segments {
		cut = append(cut, live(s)...)
	}
	stored, err := m.AppendSegments(ctx, userID, id, cut)
	if errors.Is(err, chat.ErrConflict) {
		return nil, chat.Fail(chat.CodeConflict, "The conversation is finished; nothing can be added to it.").With(err)
	}
	if err == nil {
		m.Wake()
	}
	return stored, err
}

// Finish ends a conversation in progress and queues its processing. Finishing it
// again changes nothing.
func (m *Memory) Finish(ctx context.Context, userID, id string) (chat.Conversation, error) {
	for {
		c, err := m.Conversation(ctx, userID, id)
		if err != nil {
			return c, err
		}
		finished, err := process.Finish(ctx, m.Store, c)
		if errors.Is(err, chat.ErrConflict) && ctx.Err() == nil {
			continue // somebody appended at this moment
		}
		if err == nil {
			m.Wake()
		}
		return finished, err
	}
}

// live is a segment as it is stored while the conversation goes on: times that
// cannot be are unknown, and what is too long is cut.
func live(s chat.Segment) []chat.Segment {
	s.Start, s.End = known(s.Start), known(s.End)
	if s.End < s.Start {
		s.End = -1
	}
	return Cut(s)
}

func (r Recording) check() error {
	if n := utf8.RuneCountInString(r.Title); n > maxTitle {
		return chat.Fail(chat.CodeInvalid, fmt.Sprintf("The title has %d characters; the limit is %d (title_characters).", n, maxTitle))
	}
	if len(r.Segments) > maxSegments {
		return chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The request has %d segments; the limit is %d (request_segments).", len(r.Segments), maxSegments))
	}
	for i, s := range r.Segments {
		switch {
		case strings.TrimSpace(s.Text) == "":
			return chat.Fail(chat.CodeInvalid, fmt.Sprintf("Segment %d has no text.", i+1))
		case strings.ContainsRune(s.Text+s.Speaker+s.ClientID, 0):
			return chat.Fail(chat.CodeInvalid, fmt.Sprintf("Segment %d holds a NUL character.", i+1))
		case utf8.RuneCountInString(s.Speaker) > maxName || utf8.RuneCountInString(s.ClientID) > maxName || len(s.PersonID) > maxName:
			return chat.Fail(chat.CodeInvalid, fmt.Sprintf("The speaker, person_id or client_id of segment %d has over %d characters (name_characters).", i+1, maxName))
		}
	}
	if utf8.RuneCountInString(r.Source) > maxName || len(r.Language) > 35 || len(r.Key) > maxName {
		return chat.Fail(chat.CodeInvalid, "The source, language or idempotency key is too long.")
	}
	if l := r.Location; l != nil && (l.Latitude < -90 || l.Latitude > 90 || l.Longitude < -180 || l.Longitude > 180 || len(l.Address) > 1000) {
		return chat.Fail(chat.CodeInvalid, "The location is not on Earth: latitude is -90 to 90, longitude -180 to 180.")
	}
	return nil
}
