package process

import (
	"context"

	"confidant/internal/chat"
)

// keptWords is how many words are worth keeping without asking (facts/omi.md section 7).
const keptWords = 100

// discard decides whether there is anything worth keeping. In doubt it keeps:
// a model that fails, or none at all, discards nothing. Notes and what the
// person wants processed again are never discarded.
func (r *run) discard(ctx context.Context) (result, error) {
	words := wordCount(r.segments)
	if words == 0 {
		return r.judged(true, "Nothing was said.", "")
	}
	if r.order.Again || written(r.c) || words > keptWords {
		return r.judged(false, "", "")
	}
	if r.opt.Model == nil {
		kept, err := r.judged(false, "", "")
		kept.state, kept.detail = chat.StepWaiting, "Kept until a language model can judge it."
		return kept, err
	}
	verdict, err := ask[struct {
		Discard bool `json:"discard"`
	}](ctx, r, discardPrompt, r.setting(), windows(r.segments)[0].text)
	if err != nil {
		return r.judged(false, "Kept, because the language model could not judge it.", discardPrompt.Name)
	}
	return r.judged(verdict.Discard, "", discardPrompt.Name)
}

// written reports whether a conversation was written rather than recorded.
func written(c chat.Conversation) bool { return c.Source == "note" }

func (r *run) judged(discarded bool, detail, prompt string) (result, error) {
	res := result{state: chat.StepDone, detail: detail, prompt: prompt}
	if discarded != r.c.Discarded {
		c := r.c
		c.Discarded = discarded
		res.outcome.Conversation = &c
	}
	return res, nil
}
