// Package after is the sixth stage of a turn: what is done once the answer is
// stored, and never in its way.
package after

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/prompt"
)

//go:embed suggest.v1.md suggest.v1.schema.json
var files embed.FS

var suggestPrompt = prompt.Must(files, "suggest.v1")

// maxSuggestions is ODAI's.
const maxSuggestions = 3

// Suggest asks for prompts with which the person may go on. The usage is what
// the call cost, also when its answer was of no use.
func Suggest(ctx context.Context, model llm.Model, question, answer string) (chat.Suggestions, chat.Usage, error) {
	none := chat.Suggestions{FollowUps: []string{}, NewChat: []string{}}
	made, usage, err := prompt.Ask[struct {
		FollowUps []string `json:"follow_ups"`
	}](ctx, model, suggestPrompt, nil, "Question:\n"+question+"\n\nAnswer:\n"+answer)
	if err != nil {
		return none, usage, fmt.Errorf("ask for suggestions: %w", err)
	}
	for _, s := range made.FollowUps {
		if s = strings.TrimSpace(s); s != "" && len(none.FollowUps) < maxSuggestions {
			none.FollowUps = append(none.FollowUps, s)
		}
	}
	return none, usage, nil
}
