// Package after is the sixth stage of a turn: what is done once the answer is
// stored, and never in its way.
package after

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

var (
	//go:embed suggest.md
	suggestPrompt string
	//go:embed suggest.schema.json
	suggestSchema []byte
)

// maxSuggestions is ODAI's.
const maxSuggestions = 3

// Suggest asks for prompts with which the person may go on. The usage is what
// the call cost, also when its answer was of no use.
func Suggest(ctx context.Context, model llm.Model, question, answer string) (chat.Suggestions, chat.Usage, error) {
	none := chat.Suggestions{FollowUps: []string{}, NewChat: []string{}}
	var text strings.Builder
	var usage chat.Usage
	for chunk, err := range model.Stream(ctx, llm.Request{
		System:    suggestPrompt,
		Messages:  []llm.Message{{Role: llm.User, Text: "Question:\n" + question + "\n\nAnswer:\n" + answer}},
		Schema:    &llm.Schema{Name: "suggestions", JSON: suggestSchema},
		MaxOutput: 500,
	}) {
		if err != nil {
			return none, usage, fmt.Errorf("ask for suggestions: %w", err)
		}
		switch c := chunk.(type) {
		case llm.TextDelta:
			text.WriteString(c.Text)
		case llm.Done:
			usage = c.Usage
		}
	}
	var made struct {
		FollowUps []string `json:"follow_ups"`
	}
	if err := json.Unmarshal([]byte(text.String()), &made); err != nil {
		return none, usage, fmt.Errorf("read suggestions: %w", err)
	}
	for _, s := range made.FollowUps {
		if s = strings.TrimSpace(s); s != "" && len(none.FollowUps) < maxSuggestions {
			none.FollowUps = append(none.FollowUps, s)
		}
	}
	return none, usage, nil
}
