package chat

import (
	"context"
	"time"
)

// CalendarEvent is an event of the built-in calendar, or a changed occurrence of
// a recurring one (RFC 5545).
type CalendarEvent struct {
	ID     string `json:"event_id"`
	UserID string `json:"-"`
	// UID names the event in .ics files; the changed occurrences of an event share it.
	UID         string    `json:"uid"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Place       string    `json:"location,omitempty"`
	Start       time.Time `json:"start"`
	End         time.Time `json:"end"`
	// AllDay events are whole days in any zone: Start and End are midnights in UTC.
	AllDay bool `json:"all_day"`
	// Zone is the IANA zone in which the event recurs.
	Zone string `json:"zone"`
	// Recurrence has the lines RRULE, RDATE and EXDATE as they stand in an .ics file.
	Recurrence []string `json:"recurrence,omitempty"`
	// Occurrence, when set, makes this the changed occurrence of the event with the
	// same UID that would have begun at this time.
	Occurrence time.Time  `json:"occurrence,omitzero"`
	Attendees  []Attendee `json:"attendees,omitempty"`
	// Last is when the last occurrence ends, zero when there is no last.
	Last time.Time `json:"last,omitzero"`
	// ConversationID is where the event was spoken of, if it came from there.
	ConversationID string    `json:"conversation_id,omitempty"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
}

// Attendee is somebody invited to an event.
type Attendee struct {
	Name     string `json:"name"`
	Email    string `json:"email,omitempty"`
	PersonID string `json:"person_id,omitempty"`
}

// EventQuery selects stored events, recurring ones unexpanded, by their start.
type EventQuery struct {
	// From and Until select those that may have an occurrence in from ≤ t < until;
	// zero means open.
	From, Until time.Time
	UID         string
	Limit       int
}

// Calendar keeps events. An event of another person is ErrNotFound.
type Calendar interface {
	CalendarEvent(ctx context.Context, userID, id string) (CalendarEvent, error)
	CalendarEvents(ctx context.Context, userID string, q EventQuery) ([]CalendarEvent, error)
	// SaveCalendarEvents stores changes in one transaction.
	SaveCalendarEvents(ctx context.Context, userID string, changes Changes[CalendarEvent]) error
}
