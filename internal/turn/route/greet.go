package route

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/prompt"
)

// What a greeting is made of (facts/omi.md section 3).
const (
	greetingMessages = 5
	greetingFacts    = 50
	greetingRunes    = 500 // of each message, and of the greeting
)

// Greet asks a model for the words that open a chat. They are empty when the
// model fails.
func (r *Router) Greet(ctx context.Context, model llm.Model, w Wish) (string, error) {
	var named *chat.Persona
	if w.Persona != "" {
		p, err := r.Personas.Persona(ctx, w.UserID, w.Persona)
		if err != nil {
			return "", err
		}
		named = &p
	}
	page, _, err := r.Messages.Messages(ctx, w.UserID, w.ChatID, chat.Page{Limit: greetingMessages})
	if err != nil {
		return "", fmt.Errorf("read the last messages: %w", err)
	}
	var said []string
	for _, m := range slices.Backward(page) {
		if m.Ready && m.Content != "" {
			said = append(said, speaker(m.Role)+": "+cut(m.Content, greetingRunes))
		}
	}
	facts, err := r.Facts.Facts(ctx, w.UserID, chat.FactQuery{Limit: greetingFacts})
	if err != nil {
		return "", fmt.Errorf("read facts: %w", err)
	}
	answer, _, err := prompt.Ask[struct {
		Greeting string `json:"greeting"`
	}](ctx, model, greetingPrompt, map[string]any{
		"Persona": named, "Now": w.Now.In(w.Zone).Format("Monday, 2 January 2006, 15:04"),
		"Facts": bullets(condensed(facts)), "Messages": bullets(said),
	}, "Open the chat.")
	if err != nil {
		slog.WarnContext(ctx, "no greeting", "error", prompt.Loggable(err))
		return "", nil
	}
	return cut(strings.TrimSpace(answer.Greeting), greetingRunes), nil
}
