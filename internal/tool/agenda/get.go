package agenda

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// GetEvents lists events.
type GetEvents struct{ Calendar *calendar.Calendar }

var _ tool.Tool = GetEvents{}

// The limits of get_calendar_events_tool.
const (
	getDefault = 10
	getMost    = 50
	getDays    = 7  // the window when none is given
	findMonths = 12 // before and after now, when something is searched for
	findMost   = 5000
)

// Spec implements tool.Tool.
func (GetEvents) Spec() tool.Spec {
	return tool.Spec{
		Name:        "get_calendar_events_tool",
		Description: "Returns the events of the person's calendar by date, with their ids. Give search_query to find events by title, place, notes or attendee, also long ago or far ahead.",
		Label:       "Checking calendar",
		Idempotent:  true,
		Parameters: argument.Object("",
			`"start_date":{"type":"string","description":"Only what takes place at or after this time; default now. ISO 8601 with an offset, such as 2024-01-19T00:00:00-08:00."}`,
			fmt.Sprintf(`"end_date":{"type":"string","description":"Only what takes place before this time; default %d days after the start. ISO 8601 with an offset."}`, getDays),
			fmt.Sprintf(`"max_results":{"type":"integer","minimum":1,"description":"How many events; default %d, at most %d."}`, getDefault, getMost),
			fmt.Sprintf(`"search_query":{"type":"string","maxLength":300,"description":"Words that all occur in the event or its attendees. Without dates the %d months before and after now are searched."}`, findMonths)),
	}
}

// Run implements tool.Tool.
func (t GetEvents) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, err := argument.Decode[struct {
		argument.Window
		Most  int    `json:"max_results"`
		Query string `json:"search_query"`
	}](call)
	if err != nil {
		return tool.Result{}, err
	}
	w := calendar.Window{Zone: call.Zone}
	if w.From, w.Until, err = args.Parse(); err != nil {
		return tool.Result{}, err
	}
	var notes []string
	most := cmp.Or(args.Most, getDefault)
	if most > getMost {
		most = getMost
		notes = append(notes, fmt.Sprintf("max_results was cut to %d.", getMost))
	}
	query := words(args.Query)
	w = defaults(w, call.Now, len(query) > 0)
	w.Limit = most
	if len(query) > 0 {
		w.Limit = findMost
	}
	found, more, err := t.Calendar.Between(ctx, call.UserID, w)
	if err != nil {
		return tool.Result{}, fmt.Errorf("read calendar: %w", err)
	}
	if len(query) > 0 {
		found = slices.DeleteFunc(found, func(o calendar.Occurrence) bool { return !mentions(o.CalendarEvent, query) })
		var left bool
		found, left = nearest(found, call.Now, most)
		more = more || left
	}
	if more {
		notes = append(notes, fmt.Sprintf("There are more. Call again with max_results up to %d, or with other dates.", getMost))
	}
	room := argument.Budget{Left: argument.MaxCharacters}
	list := []event{}
	for _, o := range found {
		e := show(o, call.Zone)
		if !room.Take(e.size()) {
			notes = append(notes, fmt.Sprintf("Truncated after %d events at %d characters. Ask for narrower dates.", len(list), argument.MaxCharacters))
			break
		}
		list = append(list, e)
	}
	if len(found) == 0 {
		notes = append(notes, "There is no event.")
	}
	notes = append(notes, fmt.Sprintf("Looked at %s until %s.", argument.ShowTime(w.From, call.Zone), argument.ShowTime(w.Until, call.Zone)))
	return tool.Result{Content: map[string]any{"events": list, "note": strings.Join(notes, " ")}, Display: true}, nil
}

// defaults fills in what the window leaves open.
func defaults(w calendar.Window, now time.Time, searching bool) calendar.Window {
	switch {
	case searching && w.From.IsZero() && w.Until.IsZero():
		w.From, w.Until = now.AddDate(0, -findMonths, 0), now.AddDate(0, findMonths, 0)
	case searching && w.From.IsZero():
		w.From = w.Until.AddDate(0, -findMonths, 0)
	case searching && w.Until.IsZero():
		w.Until = w.From.AddDate(0, findMonths, 0)
	case w.From.IsZero() && !w.Until.IsZero() && w.Until.Before(now):
		w.From = w.Until.AddDate(0, 0, -getDays)
	case w.From.IsZero():
		w.From = now
	}
	if w.Until.IsZero() {
		w.Until = w.From.AddDate(0, 0, getDays)
	}
	return w
}

// nearest keeps of each series the occurrence that is nearest to now, and of all
// that many, in the order of their time. It tells whether anything was left out
// but other occurrences of the same series.
func nearest(found []calendar.Occurrence, now time.Time, most int) ([]calendar.Occurrence, bool) {
	slices.SortStableFunc(found, func(a, b calendar.Occurrence) int {
		return cmp.Compare(a.Start.Sub(now).Abs(), b.Start.Sub(now).Abs())
	})
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(o calendar.Occurrence) bool {
		again := o.SeriesID != "" && seen[o.SeriesID]
		seen[o.SeriesID] = true
		return again
	})
	more := len(found) > most
	found = found[:min(most, len(found))]
	slices.SortStableFunc(found, func(a, b calendar.Occurrence) int { return a.Start.Compare(b.Start) })
	return found, more
}
