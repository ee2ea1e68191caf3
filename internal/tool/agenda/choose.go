package agenda

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// choice is how a call says which events it means.
type choice struct {
	argument.Window
	ID         string `json:"event_id"`
	Title      string `json:"event_title"`
	Occurrence string `json:"occurrence"`
}

// The parameters of a choice.
const (
	eventID    = `"event_id":{"type":"string","description":"The id, from get_calendar_events_tool."}`
	occurrence = `"occurrence":{"type":"string","description":"With the event_id of an event that recurs: which occurrence, as get_calendar_events_tool shows it. Without it the whole series is meant."}`
	eventTitle = `"event_title":{"type":"string","description":"The title, or words of it, when the id is not known."}`
)

// target is one event that is meant: a single one, the occurrence of a series at
// a time, or a series when that is zero and it recurs.
type target struct {
	event calendar.Occurrence
	at    time.Time
}

// series reports whether all occurrences are meant.
func (t target) series() bool { return t.event.Recurring && t.at.IsZero() }

// Where a title is looked for when no dates are given.
const (
	titleBack  = 30  // days before now
	titleAhead = 365 // days after now
)

// byID finds the event of an id.
func byID(ctx context.Context, c *calendar.Calendar, call tool.Call, ch choice) (target, error) {
	at, err := argument.Time("occurrence", ch.Occurrence)
	if err != nil {
		return target{}, err
	}
	e, err := c.Event(ctx, call.UserID, ch.ID)
	if err != nil {
		return target{}, told(err)
	}
	t := target{event: calendar.Occurrence{CalendarEvent: e, Recurring: len(e.Recurrence) > 0}, at: at}
	if !at.IsZero() && t.event.Recurring {
		t.event.Start, t.event.End, t.event.Occurrence = at, at.Add(e.End.Sub(e.Start)), at
	}
	return t, nil
}

// byTitle finds the events of a title: each series once, or each occurrence in a
// range of dates. Those that have exactly that title go before those that contain
// its words.
func byTitle(ctx context.Context, c *calendar.Calendar, call tool.Call, ch choice) ([]target, error) {
	from, until, err := ch.Parse()
	if err != nil {
		return nil, err
	}
	dated := !from.IsZero() || !until.IsZero()
	w := calendar.Window{From: from, Until: until, Zone: call.Zone, Limit: findMost}
	if w.From.IsZero() {
		w.From = call.Now.AddDate(0, 0, -titleBack)
	}
	if w.Until.IsZero() {
		w.Until = later(w.From, call.Now).AddDate(0, 0, titleAhead)
	}
	found, _, err := c.Between(ctx, call.UserID, w)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	found = titled(found, ch.Title)
	if len(found) == 0 {
		return nil, tool.Problem(fmt.Sprintf("No event of this title takes place from %s until %s. Look for it with get_calendar_events_tool.", argument.ShowTime(w.From, call.Zone), argument.ShowTime(w.Until, call.Zone)))
	}
	if dated {
		return each(found), nil
	}
	return whole(found), nil
}

// each makes every occurrence a target.
func each(found []calendar.Occurrence) []target {
	var targets []target
	for _, o := range found {
		targets = append(targets, target{o, o.Occurrence})
	}
	return targets
}

// whole makes every series one target, unless only a changed occurrence of it was
// found.
func whole(found []calendar.Occurrence) []target {
	var targets []target
	for _, o := range found {
		t := target{event: o}
		if o.ID != o.SeriesID {
			t.at = o.Occurrence
		}
		same := func(t target) bool { return o.SeriesID != "" && t.event.SeriesID == o.SeriesID }
		if i := slices.IndexFunc(targets, same); i < 0 {
			targets = append(targets, t)
		} else if targets[i].event.ID != o.SeriesID {
			targets[i] = target{event: o}
			targets[i].event.ID = o.SeriesID
		}
	}
	return targets
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func titled(found []calendar.Occurrence, title string) []calendar.Occurrence {
	wanted := words(title)
	var exact, within []calendar.Occurrence
	for _, o := range found {
		has := words(o.Title)
		if slices.Equal(has, wanted) {
			exact = append(exact, o)
		}
		all := strings.Join(has, " ")
		if !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(all, w) }) {
			within = append(within, o)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return within
}

// mostCandidates is how many events are listed for the model to choose from.
const mostCandidates = 20

// choose asks the model which of several events it means.
func choose(targets []target, zone *time.Location) tool.Result {
	list := []event{}
	for _, t := range targets[:min(len(targets), mostCandidates)] {
		e := show(t.event, zone)
		e.Description = ""
		list = append(list, e)
	}
	note := fmt.Sprintf("%d events fit; nothing was changed. Ask the person which one is meant, unless it is clear, and call again with its event_id, and with occurrence when only one of a series is meant.", len(targets))
	return tool.Result{Content: map[string]any{"candidates": list, "note": note}}
}
