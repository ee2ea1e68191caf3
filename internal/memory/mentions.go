package memory

import (
	"context"

	"confidant/internal/chat"
	"confidant/internal/memory/process"
	"confidant/internal/search"
)

// Mentions tells search which conversations speak of what, whatever the form in
// which somebody writes it.
type Mentions struct{ Store chat.Mentioned }

var _ search.Mentions = Mentions{}

// Normalise brings what somebody looks for into the form in which mentions are kept.
func Normalise(m chat.Mentions) chat.Mentions {
	return chat.Mentions{People: normal(m.People), Topics: normal(m.Topics), Entities: normal(m.Entities), Dates: m.Dates}
}

func normal(values []string) []string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		if v = process.Normalise(v); v != "" {
			list = append(list, v)
		}
	}
	return list
}

// Mentioning implements search.Mentions.
func (m Mentions) Mentioning(ctx context.Context, userID string, field search.MentionField, values []string) ([]string, error) {
	var wanted chat.Mentions
	switch field {
	case search.MentionPeople:
		wanted.People = values
	case search.MentionTopics:
		wanted.Topics = values
	case search.MentionEntities:
		wanted.Entities = values
	case search.MentionDates:
		wanted.Dates = values
	}
	return m.Store.Mentioning(ctx, userID, Normalise(wanted))
}
