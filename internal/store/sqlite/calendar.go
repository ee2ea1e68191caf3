package sqlite

import (
	"context"
	"strings"

	"confidant/internal/chat"
)

var _ chat.Calendar = (*Store)(nil)

var events = records[chat.CalendarEvent]{
	table:    "events",
	columns:  "uid, start, last",
	values:   func(e chat.CalendarEvent) []any { return []any{e.UID, millis(e.Start), millis(e.Last)} },
	id:       func(e *chat.CalendarEvent) *string { return &e.ID },
	revision: func(e *chat.CalendarEvent) *int64 { return &e.Revision },
	owner:    func(e *chat.CalendarEvent) *string { return &e.UserID },
	passage: func(e chat.CalendarEvent) (chat.Passage, bool) {
		parts := []string{e.Title}
		for _, text := range []string{e.Place, e.Description} {
			if text != "" {
				parts = append(parts, text)
			}
		}
		for _, a := range e.Attendees {
			parts = append(parts, a.Name)
		}
		return chat.Passage{Kind: chat.PassageEvent, Text: strings.Join(parts, ", "), At: e.Start}, true
	},
}

// CalendarEvent implements chat.Calendar.
func (s *Store) CalendarEvent(ctx context.Context, userID, id string) (chat.CalendarEvent, error) {
	return events.one(ctx, s, userID, id)
}

// CalendarEvents implements chat.Calendar. The changed occurrences of an event are found
// by their own time, and by the UID.
func (s *Store) CalendarEvents(ctx context.Context, userID string, q chat.EventQuery) ([]chat.CalendarEvent, error) {
	// Conditions that do not apply are left out: beside an OR no index is used.
	where, order, args := "true", "r.start", []any{}
	add := func(condition string, arg any) { where, args = where+" AND "+condition, append(args, arg) }
	if q.UID != "" {
		add("r.uid = ?", q.UID)
		order = "+r.start" // else the index that is in this order is read whole
	}
	if !q.From.IsZero() {
		add("(r.last = 0 OR r.last > ?)", millis(q.From))
	}
	if !q.Until.IsZero() {
		add("r.start < ?", millis(q.Until))
	}
	return events.list(ctx, s, userID, where+" ORDER BY "+order+", r.id LIMIT ?", append(args, q.Limit)...)
}

// SaveCalendarEvents implements chat.Calendar.
func (s *Store) SaveCalendarEvents(ctx context.Context, userID string, changes chat.Changes[chat.CalendarEvent]) error {
	return events.save(ctx, s, userID, changes)
}
