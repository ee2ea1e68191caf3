// Package route is the third stage of a turn: it decides who answers and builds
// what the model is told. There is one route now: the agent with its tools.
package route

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

//go:embed prompt.md
var promptText string

var prompt = template.Must(template.New("prompt").Parse(promptText))

// Router plans turns.
type Router struct {
	Messages chat.Messages
	// History is how many earlier messages the model sees.
	History int
}

// Wish is what the plan depends on.
type Wish struct {
	UserID, ChatID, MessageID string
	// History, when not nil, stands for the stored messages.
	History      []chat.HistoryMessage
	Instructions string
	Now          time.Time
	Zone         *time.Location
}

// Plan is what the agent starts from.
type Plan struct {
	System string
	// History ends with the question.
	History  []llm.Message
	Question string
}

// Plan builds the prompt and the history of a turn.
func (r *Router) Plan(ctx context.Context, w Wish) (Plan, error) {
	question, err := r.Messages.Message(ctx, w.UserID, w.MessageID)
	if err != nil {
		return Plan{}, fmt.Errorf("read the question: %w", err)
	}
	history := w.History
	if history == nil {
		if history, err = r.stored(ctx, w); err != nil {
			return Plan{}, fmt.Errorf("read the history: %w", err)
		}
	}
	plan := Plan{Question: question.Content}
	for _, m := range history {
		role := llm.User
		if m.Role == chat.RoleAssistant {
			role = llm.Assistant
		}
		plan.History = append(plan.History, llm.Message{Role: role, Text: m.Content})
	}
	plan.History = append(plan.History, llm.Message{Role: llm.User, Text: question.Content})

	now := w.Now.In(w.Zone)
	var system strings.Builder
	err = prompt.Execute(&system, map[string]string{
		"Now": now.Format("2006-01-02 15:04"), "Weekday": now.Weekday().String(), "Zone": w.Zone.String(),
		"Example": now.Format(time.RFC3339), "Instructions": w.Instructions,
	})
	plan.System = system.String()
	return plan, err
}

// stored returns the messages before the question, oldest first.
func (r *Router) stored(ctx context.Context, w Wish) ([]chat.HistoryMessage, error) {
	page, _, err := r.Messages.Messages(ctx, w.UserID, w.ChatID, chat.Page{Cursor: w.MessageID, Limit: r.History})
	if err != nil {
		return nil, err
	}
	var history []chat.HistoryMessage
	for _, m := range slices.Backward(page) {
		if m.Ready && m.Content != "" {
			history = append(history, chat.HistoryMessage{Role: m.Role, Content: m.Content})
		}
	}
	return history, nil
}
