// Package agenda has the tools for the built-in calendar, by the names and
// parameters of Omi's calendar tools (seeds/omi-chat-system.txt, facts/omi.md
// section 5), so that they work with no account connected.
package agenda

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/cases"

	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// event is how an event is shown to the model.
type event struct {
	ID    string `json:"event_id"`
	Title string `json:"title"`
	// Start and End are dates alone for whole days; the end is not part of it.
	Start       string   `json:"start"`
	End         string   `json:"end"`
	AllDay      bool     `json:"all_day,omitempty"`
	Location    string   `json:"location,omitempty"`
	Description string   `json:"description,omitempty"`
	Attendees   []string `json:"attendees,omitempty"`
	// Occurrence names one of an event that recurs.
	Recurring  bool   `json:"recurring,omitempty"`
	Occurrence string `json:"occurrence,omitempty"`
}

// maxDescription is how many characters of a description the model sees.
const maxDescription = 1000

func show(o calendar.Occurrence, zone *time.Location) event {
	e := event{
		ID: o.ID, Title: o.Title, Location: o.Place, Description: o.Description, AllDay: o.AllDay, Recurring: o.Recurring,
		Start: argument.ShowTime(o.Start, zone), End: argument.ShowTime(o.End, zone),
	}
	if o.AllDay {
		e.Start, e.End = o.Start.UTC().Format(time.DateOnly), o.End.UTC().Format(time.DateOnly)
	}
	if o.Recurring {
		e.Occurrence = argument.ShowTime(o.Occurrence, zone)
	}
	if runes := []rune(e.Description); len(runes) > maxDescription {
		e.Description = string(runes[:maxDescription]) + "…"
	}
	for _, a := range o.Attendees {
		name := a.Name
		if a.Email != "" && a.Email != a.Name {
			name += " <" + a.Email + ">"
		}
		e.Attendees = append(e.Attendees, name)
	}
	return e
}

// size is the text of an event, for the budget of a result.
func (e event) size() string {
	return e.ID + e.Title + e.Location + e.Description + e.Start + e.End + strings.Join(e.Attendees, "")
}

// told is err in words for the model where it is about what the model asked for.
func told(err error) error {
	failed, ok := errors.AsType[*chat.Error](err)
	switch {
	case !ok:
		return err
	case failed.Code == chat.CodeNotFound:
		return tool.Problem("There is no such event, or it does not take place at that time. List events with get_calendar_events_tool and take event_id, and occurrence where there is one, from there.")
	case failed.Code == chat.CodeInvalid:
		return tool.Problem(failed.Detail)
	case failed.Code == chat.CodeConflict:
		return tool.Problem("The event was changed by somebody else at this moment. Read it again.")
	}
	return err
}

// names splits a comma-separated list.
func names(text string) []string {
	var list []string
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// invited finds the attendees of a comma-separated list.
func invited(ctx context.Context, c *calendar.Calendar, call tool.Call, text string) ([]chat.Attendee, error) {
	found, unresolved, err := c.Attendees(ctx, call.UserID, names(text))
	if err != nil {
		return nil, fmt.Errorf("find attendees: %w", err)
	}
	if len(unresolved) > 0 {
		return nil, tool.Problem(fmt.Sprintf("It is not clear who is meant by: %s. No person, or more than one, has that name. Ask for their e-mail addresses and give those.", strings.Join(unresolved, ", ")))
	}
	return found, nil
}

// words are those of a text, in one case.
func words(text string) []string { return strings.Fields(cases.Fold().String(text)) }

// mentions reports whether all words occur in what an event says.
func mentions(e chat.CalendarEvent, words []string) bool {
	parts := []string{e.Title, e.Description, e.Place}
	for _, a := range e.Attendees {
		parts = append(parts, a.Name, a.Email)
	}
	text := cases.Fold().String(strings.Join(parts, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
