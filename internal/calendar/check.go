package calendar

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"confidant/internal/calendar/ics"
	"confidant/internal/chat"
)

// The limits of one event. Each is told with its name when it is exceeded.
const (
	mostTitle       = 500    // characters
	mostDescription = 50_000 // characters
	mostPlace       = 1_000  // characters
	mostAttendees   = 500
	mostName        = 320    // characters of an attendee's name, address, or of an event's UID
	mostRule        = 500    // characters of a RRULE
	mostDates       = 2_000  // RDATE and EXDATE together
	mostCount       = 10_000 // COUNT of a RRULE
	mostInterval    = 10_000 // INTERVAL of a RRULE
	mostADay        = 100    // BYHOUR × BYMINUTE × BYSECOND of a rule of days or more
)

// check makes an event what it is stored as, or says why it cannot be.
func check(e chat.CalendarEvent) (chat.CalendarEvent, error) {
	e.Title, e.Description, e.Place = oneLine(e.Title), clean(e.Description), oneLine(e.Place)
	e.UID = oneLine(e.UID)
	for _, text := range []struct {
		what, value string
		most        int
		name        string
	}{
		{"title", e.Title, mostTitle, "event_title_characters"},
		{"description", e.Description, mostDescription, "event_description_characters"},
		{"location", e.Place, mostPlace, "event_location_characters"},
		{"UID", e.UID, mostName, "event_uid_characters"},
	} {
		if n := utf8.RuneCountInString(text.value); n > text.most {
			return e, overLimit(text.what, n, text.most, "characters", text.name)
		}
	}
	var err error
	if e.Attendees, err = checkAttendees(e.Attendees); err != nil {
		return e, err
	}
	if e.Start.IsZero() || e.End.IsZero() {
		return e, invalid("An event needs a start and an end.")
	}
	e.Start, e.End, e.Occurrence = e.Start.UTC().Truncate(time.Second), e.End.UTC().Truncate(time.Second), e.Occurrence.UTC().Truncate(time.Second)
	e.CreatedAt, e.UpdatedAt = e.CreatedAt.UTC().Truncate(time.Second), e.UpdatedAt.UTC().Truncate(time.Second)
	if e.Start.Year() < 1 || e.Start.Year() > 9998 || e.End.Year() > 9998 {
		return e, invalid("An event must be between the years 1 and 9998.")
	}
	if e.End.Before(e.Start) {
		return e, errEnd
	}
	if e.AllDay {
		if e.Zone = "UTC"; !midnight(e.Start) || !midnight(e.End) {
			return e, invalid("start and end of an event of whole days must be midnights in UTC, such as 2026-03-01T00:00:00Z.")
		}
		if !e.End.After(e.Start) {
			return e, errEnd
		}
	} else if zone, ok := ics.Zone(e.Zone); ok {
		e.Zone = ics.ZoneName(zone)
	}
	r, err := newRule(e)
	if err != nil {
		return e, err
	}
	if r.option != nil && !happens(*r.option) {
		return e, invalid("RRULE never comes to pass.")
	}
	if e.Recurrence = r.lines(); len(e.Recurrence) > 0 && !e.Occurrence.IsZero() {
		return e, invalid("One occurrence of a series cannot recur by itself.")
	}
	e.Last = r.last(e.End.Sub(e.Start))
	return e, nil
}

func checkAttendees(list []chat.Attendee) ([]chat.Attendee, error) {
	if len(list) > mostAttendees {
		return nil, overLimit("attendees", len(list), mostAttendees, "of them", "event_attendees")
	}
	var checked []chat.Attendee
	for _, a := range list {
		a.Name, a.Email = oneLine(a.Name), oneLine(a.Email)
		if a.Name == "" {
			a.Name = a.Email
		}
		if a.Name == "" {
			return nil, invalid("An attendee needs a name or an e-mail address.")
		}
		for _, text := range []string{a.Name, a.Email, a.PersonID} {
			if n := utf8.RuneCountInString(text); n > mostName {
				return nil, overLimit("attendee", n, mostName, "characters", "event_attendee_characters")
			}
		}
		checked = append(checked, a)
	}
	return checked, nil
}

var errEnd = invalid("The event must end after it begins.")

func midnight(t time.Time) bool { return t.Equal(date(t)) }

// date is the midnight in UTC that begins the day which the clocks show.
func date(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// clean removes what no text has: control characters and broken ones.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// brief is a text that fits into a sentence.
func brief(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

func invalid(format string, args ...any) *chat.Error {
	return chat.Fail(chat.CodeInvalid, fmt.Sprintf(format, args...))
}

func overLimit(what string, is, most int, unit, name string) *chat.Error {
	return invalid("%s has %d %s; the limit is %d (%s).", what, is, unit, most, name)
}
