package calendar

import (
	"time"

	"confidant/internal/chat"
)

// occurs reports whether a series has an occurrence at a time.
func occurs(e chat.CalendarEvent, at time.Time) (bool, error) {
	if len(e.Recurrence) == 0 {
		return false, nil
	}
	r, err := newRule(e)
	if err != nil {
		return false, err
	}
	for t := range r.from(at) {
		return t.Equal(at), nil
	}
	return false, nil
}

// except is a series without its occurrence at a time.
func except(e chat.CalendarEvent, at time.Time) (chat.CalendarEvent, error) {
	r, err := newRule(e)
	if err != nil {
		return e, err
	}
	r.except = sorted(append(r.except, at.In(r.zone)))
	if n := len(r.added) + len(r.except); n > mostDates {
		return e, overLimit("recurrence", n, mostDates, "dates", "event_dates")
	}
	e.Recurrence = r.lines()
	return e, nil
}

// shifting returns how a time of a series moves when the series does: by as much
// as its start, on the clock.
func shifting(old, e chat.CalendarEvent) (func(time.Time) time.Time, error) {
	was, err := newRule(chat.CalendarEvent{Start: old.Start, Zone: old.Zone, AllDay: old.AllDay})
	if err != nil {
		return nil, err
	}
	is, err := newRule(chat.CalendarEvent{Start: e.Start, Zone: e.Zone, AllDay: e.AllDay})
	if err != nil {
		return nil, err
	}
	by := wall(is.start).Sub(wall(was.start))
	return func(t time.Time) time.Time {
		w := wall(t.In(was.zone)).Add(by)
		return time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), 0, is.zone)
	}, nil
}

// moved is the series e with the dates of its recurrence moved from where they
// were in old.
func moved(old, e chat.CalendarEvent) (chat.CalendarEvent, error) {
	r, err := newRule(old)
	if err != nil {
		return e, err
	}
	shift, err := shifting(old, e)
	if err != nil {
		return e, err
	}
	for i := range r.added {
		r.added[i] = shift(r.added[i])
	}
	for i := range r.except {
		r.except[i] = shift(r.except[i])
	}
	is, err := newRule(chat.CalendarEvent{Start: e.Start, Zone: e.Zone, AllDay: e.AllDay})
	if err != nil {
		return e, err
	}
	r.zone, r.allDay = is.zone, is.allDay
	e.Recurrence = r.lines()
	return e, nil
}
