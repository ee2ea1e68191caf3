package process

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// The limits of a structure (facts/omi.md section 7).
const (
	titleWords    = 10
	overviewChars = 4000
	eventMinutes  = 30
	eventMost     = 180
	maxEvents     = 20
	defaultEmoji  = "🧠"
)

// structureAnswer is what the prompt asks for.
type structureAnswer struct {
	Title    string          `json:"title"`
	Overview string          `json:"overview"`
	Emoji    string          `json:"emoji"`
	Category string          `json:"category"`
	Events   []proposedEvent `json:"events"`
}

// proposedEvent is an appointment with the four questions of the event filter.
type proposedEvent struct {
	Title         string `json:"title"`
	Description   string `json:"description"`
	Start         string `json:"start"`
	Minutes       int    `json:"duration_minutes"`
	Confirmed     bool   `json:"confirmed"`
	UserInvolved  bool   `json:"user_involved"`
	ConcreteTime  bool   `json:"concrete_time"`
	Consequential bool   `json:"consequential"`
}

// structure gives the conversation its title, overview, emoji, category and the
// appointments that were made in it.
func (r *run) structure(ctx context.Context) (result, error) {
	if r.c.Discarded {
		return skipped("Discarded."), nil
	}
	c := r.c
	if r.opt.Model == nil {
		if c.Title != "" {
			return waiting(chat.Outcome{}), nil
		}
		c.Title = firstWords(r.segments)
		return waiting(chat.Outcome{Conversation: &c}), nil
	}
	text, err := r.whole(ctx)
	if err != nil {
		return result{}, err
	}
	answer, err := ask[structureAnswer](ctx, r, structurePrompt, r.setting(), text)
	if err != nil {
		return result{}, err
	}
	if title := clip(answer.Title, titleWords); !c.Named && title != "" {
		c.Title = title
	}
	if c.Title == "" {
		c.Title = firstWords(r.segments)
	}
	c.Overview = cutRunes(strings.TrimSpace(answer.Overview), overviewChars)
	if c.Emoji = strings.TrimSpace(answer.Emoji); c.Emoji == "" || utf8.RuneCountInString(c.Emoji) > 8 {
		c.Emoji = defaultEmoji
	}
	if c.Category = chat.Category(strings.ToLower(strings.TrimSpace(answer.Category))); !slices.Contains(chat.Categories, c.Category) {
		c.Category = chat.CategoryOther
	}
	c.Events = r.appointments(answer.Events)
	return result{state: chat.StepDone, prompt: structurePrompt.Name, outcome: chat.Outcome{Conversation: &c}}, nil
}

// appointments are the proposed events that pass the filter: confirmed, with the
// user in it, at a concrete time, and of consequence. Those that the person has
// put into the calendar stay so.
func (r *run) appointments(proposed []proposedEvent) []chat.ProposedEvent {
	var list []chat.ProposedEvent
	for _, e := range proposed {
		if !e.Confirmed || !e.UserInvolved || !e.ConcreteTime || !e.Consequential || strings.TrimSpace(e.Title) == "" {
			continue
		}
		start, ok := parseLocal(e.Start, r.opt.Zone)
		if !ok || len(list) == maxEvents {
			continue
		}
		minutes := e.Minutes
		if minutes <= 0 {
			minutes = eventMinutes
		}
		event := chat.ProposedEvent{
			Title: cutRunes(strings.TrimSpace(e.Title), 200), Description: cutRunes(strings.TrimSpace(e.Description), 1000),
			Start: start, Minutes: min(minutes, eventMost),
		}
		event.Created = slices.ContainsFunc(r.c.Events, func(old chat.ProposedEvent) bool {
			return old.Created && old.Start.Equal(event.Start) && strings.EqualFold(old.Title, event.Title)
		})
		list = append(list, event)
	}
	return list
}

// parseLocal reads a time with or without an offset; without one it is meant in
// the zone.
func parseLocal(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// firstWords makes a title of the first thing of some length that was said.
func firstWords(segments []chat.Segment) string {
	first := ""
	for _, s := range segments {
		words := strings.Fields(s.Text)
		if first == "" && len(words) > 0 {
			first = s.Text
		}
		if len(words) >= 4 {
			first = s.Text
			break
		}
	}
	title := clip(first, titleWords)
	if end := strings.IndexAny(title, ".!?\n"); end > 12 {
		title = title[:end]
	}
	return cutRunes(strings.TrimRight(title, " ,;:"), 120)
}

func cutRunes(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return text
}
