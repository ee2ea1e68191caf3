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

// Mentioning implements search.Mentions.
func (m Mentions) Mentioning(ctx context.Context, userID string, field search.MentionField, values []string) ([]string, error) {
	normal := make([]string, 0, len(values))
	for _, v := range values {
		if field != search.MentionDates {
			v = process.Normalise(v)
		}
		if v != "" {
			normal = append(normal, v)
		}
	}
	var wanted chat.Mentions
	switch field {
	case search.MentionPeople:
		wanted.People = normal
	case search.MentionTopics:
		wanted.Topics = normal
	case search.MentionEntities:
		wanted.Entities = normal
	case search.MentionDates:
		wanted.Dates = normal
	}
	return m.Store.Mentioning(ctx, userID, wanted)
}
