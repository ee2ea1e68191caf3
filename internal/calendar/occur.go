package calendar

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
)

// Occurrence is an event that takes place at a time. Of one that recurs Start and
// End are this occurrence's, Occurrence is when it began before it was changed,
// and ID names the series, or the changed occurrence.
type Occurrence struct {
	chat.CalendarEvent
	Recurring bool `json:"recurring"`
	// SeriesID is the event that recurs.
	SeriesID string `json:"series_id,omitempty"`
}

// Window asks for what takes place, in part at least, in From ≤ t < Until.
type Window struct {
	From, Until time.Time
	// Zone is where whole days begin; nil for UTC.
	Zone *time.Location
	// Limit bounds the answer, the earliest first.
	Limit int
}

// mostStored is how many stored events are looked at for one window.
const mostStored = 20_000

// Between returns what takes place in a window, by its start, and whether there
// is more of it than the limit. No rule can make it run for long: a series is
// asked for no more occurrences than the limit.
func (c *Calendar) Between(ctx context.Context, userID string, w Window) (list []Occurrence, more bool, err error) {
	if w.Zone == nil {
		w.Zone = time.UTC
	}
	// Whole days are stored in UTC and begin half a day earlier or later elsewhere.
	stored, err := c.store.CalendarEvents(ctx, userID, chat.EventQuery{
		From: w.From.AddDate(0, 0, -1), Until: w.Until.AddDate(0, 0, 1), Limit: mostStored,
	})
	if err != nil {
		return nil, false, fmt.Errorf("read events: %w", err)
	}
	more = len(stored) == mostStored
	families := map[string][]chat.CalendarEvent{}
	for _, e := range stored {
		if len(e.Recurrence) == 0 && e.Occurrence.IsZero() {
			if w.holds(e) {
				list = append(list, Occurrence{CalendarEvent: e})
			}
			continue
		}
		family, ok := families[e.UID]
		if !ok {
			if family, err = c.store.CalendarEvents(ctx, userID, chat.EventQuery{UID: e.UID, Limit: mostChanged}); err != nil {
				return nil, false, fmt.Errorf("read series: %w", err)
			}
			families[e.UID] = family
		}
		if e.Occurrence.IsZero() {
			list = append(list, w.expand(e, family)...)
		} else if w.holds(e) {
			list = append(list, Occurrence{CalendarEvent: e, Recurring: true, SeriesID: seriesOf(family)})
		}
	}
	slices.SortStableFunc(list, func(a, b Occurrence) int {
		return cmp.Or(w.start(a.CalendarEvent).Compare(w.start(b.CalendarEvent)), cmp.Compare(a.ID, b.ID))
	})
	if len(list) > w.Limit {
		list, more = list[:w.Limit], true
	}
	return list, more, nil
}

func seriesOf(family []chat.CalendarEvent) string {
	for _, e := range family {
		if e.Occurrence.IsZero() {
			return e.ID
		}
	}
	return ""
}

// expand returns the occurrences of a series within the window that were not
// changed, one more than the limit at most.
func (w Window) expand(e chat.CalendarEvent, family []chat.CalendarEvent) []Occurrence {
	r, err := newRule(e)
	if err != nil {
		return nil // checked when it was stored
	}
	changed := map[int64]bool{}
	for _, o := range family {
		if !o.Occurrence.IsZero() {
			changed[o.Occurrence.Unix()] = true
		}
	}
	length := e.End.Sub(e.Start)
	from, until := w.From.Add(-length), w.Until
	if e.AllDay {
		from, until = from.AddDate(0, 0, -1), until.AddDate(0, 0, 1)
	}
	var list []Occurrence
	for at := range r.from(from) {
		if !at.Before(until) || len(list) > w.Limit {
			break
		}
		o := e
		o.Start, o.End, o.Occurrence = at.UTC(), at.Add(length).UTC(), at.UTC()
		if !changed[at.Unix()] && w.holds(o) {
			list = append(list, Occurrence{CalendarEvent: o, Recurring: true, SeriesID: e.ID})
		}
	}
	return list
}

// holds reports whether an event takes place in the window.
func (w Window) holds(e chat.CalendarEvent) bool {
	start, end := w.start(e), w.local(e, e.End)
	return start.Before(w.Until) && (end.After(w.From) || !start.Before(w.From))
}

func (w Window) start(e chat.CalendarEvent) time.Time { return w.local(e, e.Start) }

// local is when a time of an event is in the window's zone: whole days begin at
// its midnights.
func (w Window) local(e chat.CalendarEvent, t time.Time) time.Time {
	if !e.AllDay {
		return t
	}
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, w.Zone)
}
