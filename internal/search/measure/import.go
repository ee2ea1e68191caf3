package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/memory"
)

// Store is where the documents go, as recordings do.
type Store interface {
	EnsureUser(ctx context.Context, name string) (chat.User, error)
	PutConversation(ctx context.Context, c chat.Conversation, segments []chat.Segment, job *chat.Job) (chat.Conversation, bool, error)
}

// Library is a set of documents that was imported.
type Library struct {
	people map[string]*person // by scope
	// documents are the ids by the segments that they became: a long one is cut
	// as every import cuts.
	documents map[string]string
}

// person is who has the documents of a scope.
type person struct {
	user chat.User
	// now is the time of the last document, the moment at which questions are
	// asked: sets of questions do not tell theirs.
	now time.Time
}

// Import stores each session as a conversation of its scope's person; a document
// without a session is one of its own. Progress is told after each, in documents.
func Import(ctx context.Context, store Store, documents []Document, progress func(done int)) (*Library, error) {
	l := &Library{people: map[string]*person{}, documents: map[string]string{}}
	done := 0
	for _, session := range sessions(documents) {
		if err := l.store(ctx, store, session); err != nil {
			return nil, fmt.Errorf("import the session of document %s: %w", session[0].ID, err)
		}
		done += len(session)
		progress(done)
	}
	return l, nil
}

// sessions groups documents in the order in which sessions begin. Within one they
// stand in the order of their times, as far as they have them.
func sessions(documents []Document) [][]Document {
	var groups [][]Document
	at := map[[2]string]int{}
	for _, d := range documents {
		key := [2]string{d.Scope, d.Session}
		i, known := at[key]
		if !known || d.Session == "" {
			i = len(groups)
			groups = append(groups, nil)
			at[key] = i
		}
		groups[i] = append(groups[i], d)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b Document) int {
			if a.Time.IsZero() || b.Time.IsZero() {
				return 0
			}
			return a.Time.Compare(b.Time.Time)
		})
	}
	return groups
}

func (l *Library) store(ctx context.Context, store Store, session []Document) error {
	first := session[0]
	p := l.people[first.Scope]
	if p == nil {
		user, err := store.EnsureUser(ctx, "person "+first.Scope)
		if err != nil {
			return err
		}
		p = &person{user: user}
		l.people[first.Scope] = p
	}
	c := chat.Conversation{ID: ident.New(), UserID: p.user.ID, Title: first.Title, Source: "transcript", StartedAt: first.Time.Time, CreatedAt: time.Now()}
	c.Fingerprint = c.ID
	var segments []chat.Segment
	for _, d := range session {
		start := -1.0
		if !d.Time.IsZero() && !c.StartedAt.IsZero() {
			start = d.Time.Sub(c.StartedAt).Seconds()
		}
		if d.Time.After(p.now) {
			p.now = d.Time.Time
		}
		if d.Speaker != "" && !slices.Contains(c.Speakers, d.Speaker) {
			c.Speakers = append(c.Speakers, d.Speaker)
		}
		for _, piece := range memory.Cut(chat.Segment{Speaker: d.Speaker, Text: d.Text, Start: start, End: -1}) {
			piece.Position = len(segments)
			piece.ID = chat.SegmentID(c.ID, piece.Position)
			l.documents[piece.ID] = d.ID
			segments = append(segments, piece)
		}
	}
	if len(segments) == 0 {
		return nil
	}
	_, _, err := store.PutConversation(ctx, c, segments, nil)
	return err
}
