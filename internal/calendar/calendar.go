// Package calendar is the built-in calendar: events that recur by the rules of RFC
// 5545 in their own time zone, read, changed, imported and exported.
package calendar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// Calendar adds to a store what an event means.
type Calendar struct {
	store  chat.Calendar
	people chat.People
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// New returns the calendar over a store, whose attendees are found among people.
func New(store chat.Calendar, people chat.People) *Calendar {
	return &Calendar{store: store, people: people}
}

// Event returns a stored event. One of another person is ErrNotFound.
func (c *Calendar) Event(ctx context.Context, userID, id string) (chat.CalendarEvent, error) {
	return c.store.CalendarEvent(ctx, userID, id)
}

// Create stores a new event. Its ID is made here unless it has one; an ID that is
// taken is ErrConflict. It fails with CodeInvalid for an event that cannot be.
func (c *Calendar) Create(ctx context.Context, userID string, e chat.CalendarEvent) (chat.CalendarEvent, error) {
	if e.ID == "" {
		e.ID = ident.New()
	}
	if e.UID == "" {
		e.UID = e.ID + "@confidant"
	}
	if !e.End.After(e.Start) {
		return e, errEnd
	}
	e.CreatedAt, e.Revision, e.Occurrence = c.now(), 0, time.Time{}
	return c.save(ctx, userID, e)
}

// Change changes an event, or only its occurrence at a time when that is not
// zero. What has been changed or deleted of a series moves with it. It fails with
// ErrNotFound when there is no such event or occurrence, ErrConflict when it was
// changed meanwhile, and CodeInvalid or the error of change.
func (c *Calendar) Change(ctx context.Context, userID, id string, occurrence time.Time, change func(*chat.CalendarEvent) error) (chat.CalendarEvent, error) {
	old, err := c.at(ctx, userID, id, occurrence)
	if err != nil {
		return old, err
	}
	e := old
	e.Attendees, e.Recurrence = slices.Clone(old.Attendees), slices.Clone(old.Recurrence)
	if err := change(&e); err != nil {
		return e, err
	}
	// Imported events may be moments; people's are not.
	moved := !e.Start.Equal(old.Start) || !e.End.Equal(old.End)
	if moved && !e.End.After(e.Start) {
		return e, errEnd
	}
	if len(old.Recurrence) == 0 || old.Start.Equal(e.Start) && old.Zone == e.Zone && old.AllDay == e.AllDay && len(e.Recurrence) > 0 {
		return c.save(ctx, userID, e)
	}
	return c.saveSeries(ctx, userID, old, e)
}

// at returns the event to change. An occurrence that has not been changed yet
// is made from its series, with revision 0 and an id that it always has.
func (c *Calendar) at(ctx context.Context, userID, id string, occurrence time.Time) (chat.CalendarEvent, error) {
	e, err := c.store.CalendarEvent(ctx, userID, id)
	if err != nil || occurrence.IsZero() || e.Occurrence.Equal(occurrence) {
		return e, err
	}
	changed, err := c.changed(ctx, userID, e.UID)
	if err != nil {
		return e, err
	}
	if i := slices.IndexFunc(changed, func(o chat.CalendarEvent) bool { return o.Occurrence.Equal(occurrence) }); i >= 0 {
		return changed[i], nil
	}
	if ok, err := occurs(e, occurrence); err != nil || !ok {
		return e, errors.Join(err, errOccurrence)
	}
	length := e.End.Sub(e.Start)
	e.ID, e.Revision = ident.Derive(e.ID, occurrence.UTC().Format(time.RFC3339)), 0
	e.Occurrence, e.Start, e.End = occurrence, occurrence, occurrence.Add(length)
	e.Recurrence, e.CreatedAt = nil, c.now()
	return e, nil
}

var errOccurrence = chat.Fail(chat.CodeNotFound, "The event does not take place at that time.")

// Delete removes an event: a whole series with all that was changed in it, or
// only its occurrence at a time when that is not zero.
func (c *Calendar) Delete(ctx context.Context, userID, id string, occurrence time.Time) error {
	e, err := c.store.CalendarEvent(ctx, userID, id)
	if err != nil {
		return err
	}
	if occurrence.IsZero() {
		occurrence = e.Occurrence
	}
	remove := chat.Changes[chat.CalendarEvent]{Remove: []string{e.ID}}
	if len(e.Recurrence) == 0 && e.Occurrence.IsZero() && !occurrence.IsZero() && !occurrence.Equal(e.Start) {
		return errOccurrence
	}
	if len(e.Recurrence) == 0 && e.Occurrence.IsZero() {
		return c.store.SaveCalendarEvents(ctx, userID, remove)
	}
	all, err := c.store.CalendarEvents(ctx, userID, chat.EventQuery{UID: e.UID, Limit: mostChanged})
	if err != nil {
		return err
	}
	if occurrence.IsZero() {
		for _, o := range all {
			remove.Remove = append(remove.Remove, o.ID)
		}
		return c.store.SaveCalendarEvents(ctx, userID, remove)
	}
	return c.deleteOccurrence(ctx, userID, all, occurrence)
}

// deleteOccurrence takes one occurrence out of a series, given with all that was
// changed in it.
func (c *Calendar) deleteOccurrence(ctx context.Context, userID string, all []chat.CalendarEvent, occurrence time.Time) error {
	var changes chat.Changes[chat.CalendarEvent]
	for _, e := range all {
		if e.Occurrence.Equal(occurrence) {
			changes.Remove = append(changes.Remove, e.ID)
		}
	}
	for _, e := range all {
		if len(e.Recurrence) == 0 {
			continue
		}
		if ok, err := occurs(e, occurrence); err != nil {
			return err
		} else if !ok {
			continue
		}
		without, err := except(e, occurrence)
		if err != nil {
			return err
		}
		without.UpdatedAt = c.now()
		changes.Put = append(changes.Put, without)
	}
	if len(changes.Put)+len(changes.Remove) == 0 {
		return errOccurrence
	}
	return c.store.SaveCalendarEvents(ctx, userID, changes)
}

// mostChanged is how many changed occurrences of one series are looked at.
const mostChanged = 10_000

// changed returns the changed occurrences of a series.
func (c *Calendar) changed(ctx context.Context, userID, uid string) ([]chat.CalendarEvent, error) {
	all, err := c.store.CalendarEvents(ctx, userID, chat.EventQuery{UID: uid, Limit: mostChanged})
	return slices.DeleteFunc(all, func(e chat.CalendarEvent) bool { return e.Occurrence.IsZero() }), err
}

func (c *Calendar) save(ctx context.Context, userID string, e chat.CalendarEvent) (chat.CalendarEvent, error) {
	e.UpdatedAt = c.now()
	e, err := check(e)
	if err != nil {
		return e, err
	}
	if err := c.store.SaveCalendarEvents(ctx, userID, chat.Changes[chat.CalendarEvent]{Put: []chat.CalendarEvent{e}}); err != nil {
		return e, fmt.Errorf("save event: %w", err)
	}
	e.Revision++
	return e, nil
}

// saveSeries stores a series that begins at another time than before, or recurs
// no more, with what was changed and deleted in it.
func (c *Calendar) saveSeries(ctx context.Context, userID string, old, e chat.CalendarEvent) (chat.CalendarEvent, error) {
	e.UpdatedAt = c.now()
	if slices.Equal(e.Recurrence, old.Recurrence) {
		var err error
		if e, err = moved(old, e); err != nil {
			return e, err
		}
	}
	e, err := check(e)
	if err != nil {
		return e, err
	}
	changes := chat.Changes[chat.CalendarEvent]{Put: []chat.CalendarEvent{e}}
	changed, err := c.changed(ctx, userID, e.UID)
	if err != nil {
		return e, err
	}
	shift, err := shifting(old, e)
	if err != nil {
		return e, err
	}
	for _, o := range changed {
		if len(e.Recurrence) == 0 {
			changes.Remove = append(changes.Remove, o.ID)
			continue
		}
		o.Occurrence = shift(o.Occurrence).UTC()
		changes.Put = append(changes.Put, o)
	}
	if err := c.store.SaveCalendarEvents(ctx, userID, changes); err != nil {
		return e, fmt.Errorf("save series: %w", err)
	}
	e.Revision++
	return e, nil
}

func (c *Calendar) now() time.Time {
	if c.Now != nil {
		return c.Now().UTC().Truncate(time.Second)
	}
	return time.Now().UTC().Truncate(time.Second)
}
