package turn

import (
	"context"
	"time"

	"confidant/internal/turn/route"
)

// Greet finds the words that open a chat, empty without a language model. What it
// costs belongs to no turn and is counted with the calls of the models only.
func (e *Engine) Greet(ctx context.Context, userID, chatID, persona string) (string, error) {
	if e.opt.Fast == nil {
		return "", nil
	}
	model := e.opt.Fast
	if persona != "" {
		model = e.opt.Persona
	}
	ctx, cancel := context.WithTimeout(ctx, e.opt.AfterTime)
	defer cancel()
	return e.router.Greet(ctx, model, route.Wish{UserID: userID, ChatID: chatID, Persona: persona, Now: time.Now(), Zone: e.opt.Zone})
}
