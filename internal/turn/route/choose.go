package route

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/prompt"
)

// How a route was found out, as chat.RouteChosen carries it.
const (
	byRequest = "request" // the request names a persona, or brings a context
	byRule    = "rules"
	byModel   = "model"
)

// Choose finds out how to answer. What is certain from the words costs no model
// call; a model that fails or is late leaves it to the rules, which in doubt
// choose the agent.
func (r *Router) Choose(ctx context.Context, w Wish, t Talk) chat.RouteChosen {
	if w.Persona != "" {
		return chat.RouteChosen{Route: chat.RoutePersona, By: byRequest, Persona: w.Persona}
	}
	if len(w.FileIDs) > 0 {
		return chat.RouteChosen{Route: chat.RouteAgentic, By: byRequest}
	}
	route, certain := byRules(t.Question)
	switch {
	case certain && route == chat.RouteDirect && t.Files && !isGreeting(t.Question):
		// What anybody knows may stand in the person's documents, which can be cited.
		return chat.RouteChosen{Route: chat.RouteAgentic, By: byRule}
	case certain:
		return chat.RouteChosen{Route: route, By: byRule}
	case w.Instructions != "":
		// An app that says what it is about, such as Omi with the page that is open,
		// has a context that the question alone does not show.
		return chat.RouteChosen{Route: chat.RouteAgentic, By: byRequest}
	case r.Fast == nil:
		return chat.RouteChosen{Route: route, By: byRule}
	}
	needed, usage, err := r.requiresContext(ctx, t)
	if err != nil {
		if ctx.Err() == nil {
			slog.WarnContext(ctx, "route chosen by rules", "error", prompt.Loggable(err))
		}
		return chat.RouteChosen{Route: route, By: byRule, Usage: usage}
	}
	if !needed {
		return chat.RouteChosen{Route: chat.RouteDirect, By: byModel, Usage: usage}
	}
	return chat.RouteChosen{Route: chat.RouteAgentic, By: byModel, Usage: usage}
}

// contextMessages is how many earlier messages the model sees to understand a
// follow-up, each cut to contextRunes.
const (
	contextMessages = 4
	contextRunes    = 500
)

// requiresContext asks the model whether the question needs what is stored.
func (r *Router) requiresContext(ctx context.Context, t Talk) (bool, chat.Usage, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	var text strings.Builder
	for _, m := range t.Recent[max(0, len(t.Recent)-contextMessages):] {
		fmt.Fprintf(&text, "%s: %s\n", speaker(m.Role), cut(m.Content, contextRunes))
	}
	fmt.Fprintf(&text, "\nThe last message:\n%s", cut(t.Question, 4*contextRunes))
	answer, usage, err := prompt.Ask[struct {
		Requires string `json:"requires_context"`
	}](ctx, r.Fast, contextPrompt, nil, text.String())
	return answer.Requires != "no", usage, err
}

func speaker(role chat.Role) string {
	if role == chat.RoleAssistant {
		return "Assistant"
	}
	return "Person"
}

func cut(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return text
}
