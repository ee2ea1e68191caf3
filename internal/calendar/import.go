package calendar

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"confidant/internal/calendar/ics"
	"confidant/internal/chat"
	"confidant/internal/ident"
)

// Imported is what came of a file. Events that were there already, and are the
// same or were changed here since, count nowhere.
type Imported struct {
	Created int           `json:"created"`
	Updated int           `json:"updated"`
	Failed  []ics.Failure `json:"failed"`
}

// Err is what a person is told when not all events could be taken, nil when they
// were.
func (i Imported) Err() error {
	if len(i.Failed) == 0 {
		return nil
	}
	const told = 3
	text := fmt.Sprintf("%d events could not be taken: ", len(i.Failed))
	for n, f := range i.Failed[:min(told, len(i.Failed))] {
		if n > 0 {
			text += " "
		}
		text += fmt.Sprintf("line %d, %s", f.Line, f.Reason)
	}
	return chat.Fail(chat.CodeInvalid, text)
}

// IsFile reports whether a file is a calendar, by its kind or its name.
func IsFile(f chat.Import) bool {
	if f.Kind == "" || f.Kind == "auto" {
		return strings.EqualFold(filepath.Ext(f.Name), ".ics")
	}
	return strings.EqualFold(f.Kind, "ics")
}

// slot names an event in files: its UID, and the occurrence when it is the changed
// one of a series.
type slot struct {
	uid string
	at  int64 // Unix seconds, 0 for the event itself
}

func slotOf(e chat.CalendarEvent) slot {
	if e.Occurrence.IsZero() {
		return slot{uid: e.UID}
	}
	return slot{e.UID, e.Occurrence.Unix()}
}

// perCommit is how many events of a file are stored together.
const perCommit = 200

// Import takes in an .ics file. Times without a zone are meant in the zone. An
// event that cannot be read or kept does not hold up the others. The same file
// again changes nothing; one that was imported half goes on. It fails with
// CodeInvalid for what is no calendar.
func (c *Calendar) Import(ctx context.Context, userID string, data []byte, zone *time.Location) (Imported, error) {
	file, err := ics.Read(data, zone)
	if err != nil {
		return Imported{}, err
	}
	done := Imported{Failed: file.Failed}
	if done.Failed == nil {
		done.Failed = []ics.Failure{}
	}
	events := newest(file.Events)
	for len(events) > 0 {
		n := min(perCommit, len(events))
		if err := c.importSome(ctx, userID, events[:n], &done); err != nil {
			return done, err
		}
		events = events[n:]
	}
	return done, c.cancel(ctx, userID, file.Events)
}

// newest leaves of several versions of an event the last one, in the order of
// the file, and none that is cancelled.
func newest(events []ics.Event) []ics.Event {
	best := map[slot]int{}
	for i, e := range events {
		if j, ok := best[slotOf(e.CalendarEvent)]; !ok || e.Sequence >= events[j].Sequence {
			best[slotOf(e.CalendarEvent)] = i
		}
	}
	var kept []ics.Event
	for i, e := range events {
		if best[slotOf(e.CalendarEvent)] == i && !e.Cancelled {
			kept = append(kept, e)
		}
	}
	return kept
}

func (c *Calendar) importSome(ctx context.Context, userID string, events []ics.Event, done *Imported) error {
	const tries = 3
	for try := 1; ; try++ {
		changes, result, err := c.compare(ctx, userID, events)
		if err == nil && len(changes.Put) > 0 {
			err = c.store.SaveCalendarEvents(ctx, userID, changes)
		}
		if errors.Is(err, chat.ErrConflict) && try < tries {
			continue // somebody changed one of them meanwhile
		}
		if err != nil {
			return fmt.Errorf("store imported events: %w", err)
		}
		done.Created += result.Created
		done.Updated += result.Updated
		done.Failed = append(done.Failed, result.Failed...)
		return nil
	}
}

// compare finds what is new in events.
func (c *Calendar) compare(ctx context.Context, userID string, events []ics.Event) (chat.Changes[chat.CalendarEvent], Imported, error) {
	var changes chat.Changes[chat.CalendarEvent]
	var result Imported
	for _, read := range events {
		e, err := check(read.CalendarEvent)
		if err != nil {
			reason := chat.AsError(err).Detail
			if title := oneLine(read.Title); title != "" {
				reason = fmt.Sprintf("%q: %s", brief(title), reason)
			}
			result.Failed = append(result.Failed, ics.Failure{Line: read.Line, Reason: reason})
			continue
		}
		stored, known, err := c.stored(ctx, userID, slotOf(e))
		if err != nil {
			return changes, result, err
		}
		if !known {
			e.ID = ident.New()
			e.UpdatedAt = cmp.Or(e.UpdatedAt, c.now())
			e.CreatedAt = cmp.Or(e.CreatedAt, e.UpdatedAt)
			changes.Put = append(changes.Put, e)
			result.Created++
			continue
		}
		if update, ok := updated(stored, e, c.now()); ok {
			changes.Put = append(changes.Put, update)
			result.Updated++
		}
	}
	return changes, result, nil
}

// updated is the stored event as a file has it, false when there is nothing to
// change or the stored one was changed later.
func updated(stored, e chat.CalendarEvent, now time.Time) (chat.CalendarEvent, bool) {
	if !e.UpdatedAt.IsZero() && e.UpdatedAt.Before(stored.UpdatedAt) {
		return stored, false
	}
	e.ID, e.UserID, e.Revision = stored.ID, stored.UserID, stored.Revision
	e.CreatedAt = stored.CreatedAt
	e.ConversationID = cmp.Or(e.ConversationID, stored.ConversationID)
	at := cmp.Or(e.UpdatedAt, now)
	e.UpdatedAt = stored.UpdatedAt
	if identical(e, stored) {
		return stored, false
	}
	e.UpdatedAt = at
	return e, true
}

// identical compares what clients see of two events.
func identical(a, b chat.CalendarEvent) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

func (c *Calendar) stored(ctx context.Context, userID string, s slot) (chat.CalendarEvent, bool, error) {
	list, err := c.store.CalendarEvents(ctx, userID, chat.EventQuery{UID: s.uid, Limit: mostChanged})
	for _, e := range list {
		if slotOf(e) == s {
			return e, true, nil
		}
	}
	return chat.CalendarEvent{}, false, err
}

// cancel removes what a file says does not take place.
func (c *Calendar) cancel(ctx context.Context, userID string, events []ics.Event) error {
	for _, e := range events {
		if !e.Cancelled {
			continue
		}
		stored, known, err := c.stored(ctx, userID, slot{uid: e.UID})
		if err != nil {
			return err
		}
		if !known || !e.UpdatedAt.IsZero() && e.UpdatedAt.Before(stored.UpdatedAt) && e.Occurrence.IsZero() {
			continue
		}
		if err := c.Delete(ctx, userID, stored.ID, e.Occurrence); err != nil && !errors.Is(err, chat.ErrNotFound) {
			return fmt.Errorf("remove cancelled event: %w", err)
		}
	}
	return nil
}

// Export returns the whole calendar as an .ics file, which Import takes back as
// it was.
func (c *Calendar) Export(ctx context.Context, userID string) ([]byte, error) {
	events, err := c.store.CalendarEvents(ctx, userID, chat.EventQuery{Limit: mostExported})
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	var b bytes.Buffer
	if err := ics.Write(&b, events, c.now()); err != nil {
		return nil, fmt.Errorf("write calendar: %w", err)
	}
	return b.Bytes(), nil
}

// mostExported is more than anybody's calendar holds.
const mostExported = 1_000_000
