package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
	"confidant/internal/search/question"
)

// Filters say what the conversations that are searched have to mention. Values of
// one field are alternatives; all fields that have values have to fit.
type Filters struct {
	People   []string `json:"people,omitempty"`
	Topics   []string `json:"topics,omitempty"`
	Entities []string `json:"entities,omitempty"`
	Dates    []string `json:"dates,omitempty"` // YYYY-MM-DD
	// Conversations are those to search in, Files likewise. They are never dropped.
	Conversations []string `json:"conversations,omitempty"`
	Files         []string `json:"files,omitempty"`
}

// MentionField is one thing that conversations are filtered by.
type MentionField string

// The fields, in the order in which they are dropped when nothing fits: what
// narrows most goes first, then the window of time, and what was quoted at last.
const (
	MentionEntities MentionField = "entities"
	MentionTopics   MentionField = "topics"
	MentionDates    MentionField = "dates"
	MentionPeople   MentionField = "people"
)

var mentionFields = []MentionField{MentionEntities, MentionTopics, MentionDates, MentionPeople}

// The names among the filters of the window, and of words that have to stand as they
// were quoted.
const (
	windowFilter = "window"
	phraseFilter = "quotation"
)

func (f Filters) values(field MentionField) []string {
	switch field {
	case MentionEntities:
		return f.Entities
	case MentionTopics:
		return f.Topics
	case MentionDates:
		return f.Dates
	case MentionPeople:
		return f.People
	}
	return nil
}

// scope is where one attempt looks.
type scope struct {
	from, until time.Time
	filters     Filters
	fields      []MentionField // that are in force
	named       bool           // the window is that of the question's own words
	loose       bool           // what was quoted may stand otherwise
	// dropped is the filter that this scope has no more and the one before it had.
	dropped string
}

// scopes are those to try in turn until something is found.
func scopes(q Query, asked question.Question) []scope {
	s := scope{from: q.From, until: q.Until, filters: q.Filters}
	if w := asked.Window; w != nil {
		if q.From.IsZero() && q.Until.IsZero() {
			s.from, s.until = w.From, w.Until
		}
		s.named = s.from.Equal(w.From) && s.until.Equal(w.Until)
	}
	for _, field := range mentionFields {
		if len(q.Filters.values(field)) > 0 {
			s.fields = append(s.fields, field)
		}
	}
	list := []scope{s}
	for len(s.fields) > 0 {
		s.dropped, s.fields = string(s.fields[0]), s.fields[1:]
		list = append(list, s)
	}
	if !s.from.IsZero() || !s.until.IsZero() {
		s = scope{filters: q.Filters, dropped: windowFilter}
		list = append(list, s)
	}
	if len(asked.Phrases) > 0 {
		s.loose, s.dropped = true, phraseFilter
		list = append(list, s)
	}
	return list
}

// asked is the question without the words that the scope has taken care of.
func (s scope) asked(q question.Question) question.Question {
	if s.named {
		q = q.WithoutTime()
	}
	if s.loose {
		q.Phrases = nil
	}
	return q
}

func (s scope) contains(t time.Time) bool {
	return (s.from.IsZero() || !t.Before(s.from)) && (s.until.IsZero() || t.Before(s.until))
}

// groups returns the conversations that fit the scope's filters, nil for all, and
// false when none does.
func (c *Core) groups(ctx context.Context, userID string, s scope) (groups []string, ok bool, err error) {
	groups = slices.Concat(s.filters.Conversations, s.filters.Files)
	limited := len(groups) > 0
	for _, field := range s.fields {
		if c.mentions == nil {
			return nil, false, nil
		}
		found, err := c.mentions.Mentioning(ctx, userID, field, s.filters.values(field))
		if err != nil {
			return nil, false, fmt.Errorf("filter by %s: %w", field, err)
		}
		if limited {
			found = slices.DeleteFunc(found, func(id string) bool { return !slices.Contains(groups, id) })
		}
		groups, limited = found, true
	}
	return groups, !limited || len(groups) > 0, nil
}

// wants reports whether the query is about passages of a shelf.
func (q Query) wants(shelf chat.Shelf) bool {
	return len(q.Kinds) == 0 || slices.ContainsFunc(q.Kinds, func(k chat.PassageKind) bool { return k.Shelf() == shelf })
}
