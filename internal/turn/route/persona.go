package route

import (
	"context"
	"fmt"
	"strings"
	"time"

	"confidant/internal/chat"
)

// What a persona is made of (seeds/omi-chat-system.txt, facts/omi.md section 10).
const (
	personaFacts         = 250
	personaConversations = 10
	overviewRunes        = 300
)

// persona is what the prompt tells of one.
type persona struct {
	Name, Description, Custom string
	Facts, Conversations      string
	Tools                     []string
}

// persona makes a persona of what the person's memory holds now. It is not
// cached: reading it takes three milliseconds, and a fact that was deleted, or
// rejected, must not live on in a prompt.
func (r *Router) persona(ctx context.Context, userID, id string, zone *time.Location) (persona, error) {
	stored, err := r.Personas.Persona(ctx, userID, id)
	if err != nil {
		return persona{}, fmt.Errorf("read the persona: %w", err)
	}
	facts, err := r.known(ctx, userID)
	if err != nil {
		return persona{}, err
	}
	lately, err := r.lately(ctx, userID, zone)
	if err != nil {
		return persona{}, err
	}
	p := persona{Name: stored.Name, Description: stored.Description, Tools: stored.Tools, Facts: facts, Conversations: lately}
	if stored.Prompt != "" {
		p.Custom = strings.NewReplacer("{name}", p.Name, "{description}", p.Description, "{facts}", facts, "{conversations}", lately).Replace(stored.Prompt)
	}
	return p, nil
}

// known lists what is known about the person, pinned facts first, then the newest.
func (r *Router) known(ctx context.Context, userID string) (string, error) {
	facts, err := r.Facts.Facts(ctx, userID, chat.FactQuery{Limit: personaFacts})
	if err != nil {
		return "", fmt.Errorf("read facts: %w", err)
	}
	return bullets(condensed(facts)), nil
}

// lately lists the newest conversations.
func (r *Router) lately(ctx context.Context, userID string, zone *time.Location) (string, error) {
	conversations, err := r.Conversations.Conversations(ctx, userID, chat.ConversationQuery{Limit: personaConversations})
	if err != nil {
		return "", fmt.Errorf("read conversations: %w", err)
	}
	var lines []string
	for _, c := range conversations {
		line := c.Title
		if overview := strings.Join(strings.Fields(c.Overview), " "); overview != "" {
			line += ": " + cut(overview, overviewRunes)
		}
		if !c.StartedAt.IsZero() {
			line = c.StartedAt.In(zone).Format("2 January 2006") + ", " + line
		}
		lines = append(lines, line)
	}
	return bullets(lines), nil
}

func bullets(lines []string) string {
	if len(lines) == 0 {
		return "(nothing yet)"
	}
	return "- " + strings.Join(lines, "\n- ")
}
