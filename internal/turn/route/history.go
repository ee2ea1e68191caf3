package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/prompt"
)

// Talk is the question and what was said before it.
type Talk struct {
	Question string
	// Recent are the last messages, oldest first.
	Recent []chat.HistoryMessage
	// Summary is what came before them, as far as it is summarised; Missing says
	// that it is not all.
	Summary string
	Missing bool
	// Usage is what a summary has cost that was made now.
	Usage chat.Usage
	// Files says that the person has a library.
	Files bool
	// Filled says that the next question will not see all that was said.
	Filled bool
}

// Read returns the question with its history. Messages that nobody has summarised
// yet are summarised now, within the router's patience; else they are missing.
// Reading does not end with quick, which is for the model alone.
func (r *Router) Read(ctx, quick context.Context, w Wish) (Talk, error) {
	question, err := r.Messages.Message(ctx, w.UserID, w.MessageID)
	if err != nil {
		return Talk{}, fmt.Errorf("read the question: %w", err)
	}
	t := Talk{Question: question.Content, Recent: w.History}
	if _, files, err := r.Files.Files(ctx, w.UserID, chat.FileQuery{}); err != nil {
		return Talk{}, fmt.Errorf("count files: %w", err)
	} else {
		t.Files = files > 0
	}
	if w.History != nil {
		return t, nil // the client's own
	}
	page, older, err := r.Messages.Messages(ctx, w.UserID, w.ChatID, chat.Page{Cursor: w.MessageID, Limit: r.History})
	if err != nil {
		return Talk{}, fmt.Errorf("read the history: %w", err)
	}
	for _, m := range slices.Backward(page) {
		if m.Ready && m.Content != "" {
			t.Recent = append(t.Recent, chat.HistoryMessage{Role: m.Role, Content: m.Content})
		}
	}
	t.Filled = len(page)+2 > r.History // with this question and its answer
	if older == "" || r.Summaries == nil {
		t.Missing = older != ""
		return t, nil
	}
	quick, cancel := context.WithTimeout(quick, r.Patience)
	defer cancel()
	s, whole, err := r.summarise(ctx, quick, w.UserID, w.ChatID, older, &t.Usage)
	if err != nil {
		return Talk{}, fmt.Errorf("read the summary: %w", err)
	}
	t.Summary, t.Missing = s.Text, !whole
	return t, nil
}

// Prepare summarises what will be out of sight for the next question of a chat,
// so that the next answer need not wait for it.
func (r *Router) Prepare(ctx context.Context, userID, chatID string) (usage chat.Usage, err error) {
	if r.Fast == nil || r.Summaries == nil {
		return usage, nil
	}
	_, older, err := r.Messages.Messages(ctx, userID, chatID, chat.Page{Limit: r.History})
	if err != nil || older == "" {
		return usage, err
	}
	_, _, err = r.summarise(ctx, ctx, userID, chatID, older, &usage)
	return usage, err
}

const (
	summaryPage  = 200     // messages read at once
	summaryBytes = 24_000  // of messages that one call takes in
	messageRunes = 2_000   // of each
	summaryRunes = 4_000   // of the summary itself: a model may not keep to its 200 words
	walkMost     = 100_000 // messages that a chat without a summary is walked back
)

// summarise returns the summary of the messages before the one given, extended by
// those that it lacked, and whether it has them all. A model that fails, or none,
// leaves what there is.
func (r *Router) summarise(ctx, quick context.Context, userID, chatID, before string, usage *chat.Usage) (chat.Summary, bool, error) {
	s, err := r.Summaries.Summary(ctx, userID, chatID)
	if err != nil && !errors.Is(err, chat.ErrNotFound) {
		return s, false, err
	}
	s.ChatID = chatID
	gap, err := r.between(ctx, userID, chatID, s.Covers, before)
	if err != nil {
		return s, false, err
	}
	for len(gap) > 0 && r.Fast != nil && quick.Err() == nil {
		text, n := portion(gap)
		if text == "" { // only messages without text
			return s, true, nil
		}
		written, ok := r.write(quick, s.Text, text, usage)
		if !ok {
			return s, false, nil
		}
		next := chat.Summary{
			ChatID: chatID, Text: written, Covers: gap[n-1].ID,
			Prompt: summaryPrompt.Name, At: time.Now().UTC(),
		}
		if err := r.Summaries.SaveSummary(ctx, userID, next); errors.Is(err, chat.ErrConflict) {
			return chat.Summary{}, false, nil // what it covers was replaced or cleared meanwhile
		} else if err != nil {
			return s, false, err
		}
		s, gap = next, gap[n:]
	}
	return s, len(gap) == 0, nil
}

// write asks the model for a summary of what was said, on top of the one so far. It
// reports false when there is none in time.
func (r *Router) write(ctx context.Context, soFar, said string, usage *chat.Usage) (string, bool) {
	answer, spent, err := prompt.Ask[struct {
		Summary string `json:"summary"`
	}](ctx, r.Fast, summaryPrompt, soFar, said)
	*usage = usage.Add(spent)
	text := strings.TrimSpace(answer.Summary)
	if err == nil && text == "" {
		err = prompt.BadAnswer("an empty summary")
	}
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "no summary", "error", prompt.Loggable(err))
	}
	return cut(text, summaryRunes), err == nil
}

// between returns the messages after one and before another, oldest first.
func (r *Router) between(ctx context.Context, userID, chatID, after, before string) ([]chat.Message, error) {
	var list []chat.Message
	for before != "" && len(list) < walkMost {
		page, next, err := r.Messages.Messages(ctx, userID, chatID, chat.Page{Cursor: before, Limit: summaryPage})
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if m.ID <= after {
				next = ""
				break
			}
			list = append(list, m)
		}
		before = next
	}
	slices.Reverse(list)
	return list, nil
}

// portion is the text of as many messages as one call takes in, and their number.
func portion(messages []chat.Message) (string, int) {
	var b strings.Builder
	for i, m := range messages {
		if !m.Ready || m.Content == "" {
			continue
		}
		line := speaker(m.Role) + ": " + cut(m.Content, messageRunes) + "\n"
		if b.Len() > 0 && b.Len()+len(line) > summaryBytes {
			return b.String(), i
		}
		b.WriteString(line)
	}
	return b.String(), len(messages)
}

// conversation is the history as the model gets it, ending with the question.
func (t Talk) conversation() []llm.Message {
	var list []llm.Message
	for _, m := range t.Recent {
		role := llm.User
		if m.Role == chat.RoleAssistant {
			role = llm.Assistant
		}
		if len(list) == 0 && role == llm.Assistant {
			// Some providers want a user's message first; a greeting is an assistant's.
			list = append(list, llm.Message{Role: llm.User, Text: "(The chat begins.)"})
		}
		list = append(list, llm.Message{Role: role, Text: m.Content})
	}
	return append(list, llm.Message{Role: llm.User, Text: t.Question})
}
