package ics

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
)

// What only Confidant knows travels in names of its own.
const (
	conversationLine = "X-CONFIDANT-CONVERSATION"
	personParam      = "X-CONFIDANT-PERSON"
)

// noMail is the address of an attendee who has none, as Google and Apple write it.
const noMail = "invalid:nomail"

// Write writes events as an .ics file that Read reads back. now is when that is.
// The lines of their recurrences are taken as they are.
func Write(w io.Writer, events []chat.CalendarEvent, now time.Time) error {
	b := bufio.NewWriter(w)
	lines := []Line{
		{Name: "BEGIN", Value: "VCALENDAR"}, {Name: "VERSION", Value: "2.0"},
		{Name: "PRODID", Value: "-//Confidant//Calendar//EN"}, {Name: "CALSCALE", Value: "GREGORIAN"},
	}
	lines = append(lines, definitions(events)...)
	for _, e := range events {
		lines = append(lines, eventLines(e, now)...)
	}
	lines = append(lines, Line{Name: "END", Value: "VCALENDAR"})
	for _, l := range lines {
		if err := l.write(b); err != nil {
			return err
		}
	}
	return b.Flush()
}

func eventLines(e chat.CalendarEvent, now time.Time) []Line {
	zone, ok := Zone(e.Zone)
	if !ok {
		zone = time.UTC
	}
	at := func(name string, t time.Time) Line { return TimesLine(name, []time.Time{t}, zone, e.AllDay) }
	stamp := func(name string, t time.Time) Line { return TimesLine(name, []time.Time{t}, time.UTC, false) }
	lines := []Line{
		{Name: "BEGIN", Value: "VEVENT"},
		{Name: "UID", Value: Escape(e.UID)},
		stamp("DTSTAMP", now),
		at("DTSTART", e.Start),
		at("DTEND", e.End),
	}
	if e.End.Equal(e.Start) { // a moment has no end (RFC 5545 section 3.6.1)
		lines = lines[:len(lines)-1]
	}
	if !e.Occurrence.IsZero() {
		lines = append(lines, at("RECURRENCE-ID", e.Occurrence))
	}
	text := func(name, value string) {
		if value != "" {
			lines = append(lines, Line{Name: name, Value: Escape(value)})
		}
	}
	text("SUMMARY", e.Title)
	text("DESCRIPTION", e.Description)
	text("LOCATION", e.Place)
	for _, r := range e.Recurrence {
		if l, err := ParseLine(r); err == nil {
			lines = append(lines, l)
		}
	}
	for _, a := range e.Attendees {
		lines = append(lines, attendeeLine(a))
	}
	text(conversationLine, e.ConversationID)
	if !e.CreatedAt.IsZero() {
		lines = append(lines, stamp("CREATED", e.CreatedAt))
	}
	if !e.UpdatedAt.IsZero() {
		lines = append(lines, stamp("LAST-MODIFIED", e.UpdatedAt))
	}
	return append(lines, Line{Name: "END", Value: "VEVENT"})
}

func attendeeLine(a chat.Attendee) Line {
	l := Line{Name: "ATTENDEE", Value: noMail, Params: []Param{{"CN", a.Name}}}
	if a.Email != "" {
		l.Value = "mailto:" + strings.ReplaceAll(a.Email, "%", "%25")
	}
	if a.PersonID != "" {
		l.Params = append(l.Params, Param{personParam, a.PersonID})
	}
	return l
}

// definitions are the VTIMEZONE parts that the events need. Rules change, so the
// clocks' changes are listed one by one, from the first event on and as long as
// anybody plans ahead.
func definitions(events []chat.CalendarEvent) []Line {
	const ahead = 10 // years
	first := map[string]time.Time{}
	last := time.Now()
	for _, e := range events {
		if e.AllDay || e.Zone == "UTC" {
			continue
		}
		if known, ok := first[e.Zone]; !ok || e.Start.Before(known) {
			first[e.Zone] = e.Start
		}
		if e.Start.After(last) {
			last = e.Start
		}
	}
	var names []string
	for name := range first {
		names = append(names, name)
	}
	slices.Sort(names)
	var lines []Line
	for _, name := range names {
		if zone, ok := Zone(name); ok {
			lines = append(lines, definitionLines(zone, first[name].AddDate(-1, 0, 0), last.AddDate(ahead, 0, 0))...)
		}
	}
	return lines
}

// mostChanges bounds the changes of one zone that are listed.
const mostChanges = 600

func definitionLines(zone *time.Location, from, until time.Time) []Line {
	lines := []Line{{Name: "BEGIN", Value: "VTIMEZONE"}, {Name: "TZID", Value: zone.String()}}
	before := from
	for at, n := from, 0; n < mostChanges; n++ {
		name, offset := at.In(zone).Zone()
		_, offsetBefore := before.In(zone).Zone()
		part := "STANDARD"
		if at.In(zone).IsDST() {
			part = "DAYLIGHT"
		}
		lines = append(lines,
			Line{Name: "BEGIN", Value: part},
			// The time that the clocks showed before they were changed.
			Line{Name: "DTSTART", Value: at.UTC().Add(time.Duration(offsetBefore) * time.Second).Format(localForm)},
			Line{Name: "TZOFFSETFROM", Value: offsetText(offsetBefore)},
			Line{Name: "TZOFFSETTO", Value: offsetText(offset)},
			Line{Name: "TZNAME", Value: Escape(name)},
			Line{Name: "END", Value: part})
		_, end := at.In(zone).ZoneBounds()
		if end.IsZero() || !end.Before(until) {
			break
		}
		before, at = end.Add(-time.Second), end
	}
	return append(lines, Line{Name: "END", Value: "VTIMEZONE"})
}

// offsetText is seconds as +0100.
func offsetText(seconds int) string {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	text := time.Time{}.Add(time.Duration(seconds) * time.Second).Format("1504")
	if rest := seconds % 60; rest > 0 {
		text += time.Time{}.Add(time.Duration(rest) * time.Second).Format("05")
	}
	return string(sign) + text
}
