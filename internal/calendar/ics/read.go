// Package ics reads and writes calendars as text (RFC 5545, iCalendar). It is our
// own because both libraries that exist give up a whole file for one bad line, one
// panics on a line that ends early, and the other escapes parameters against RFC
// 6868; the rules of recurrence are rrule-go's.
package ics

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// Event is a VEVENT.
type Event struct {
	chat.CalendarEvent
	// Cancelled events are in the file to say that they do not take place.
	Cancelled bool
	Sequence  int
	Line      int // where it begins, from 1
}

// Failure is an event that could not be read, and why.
type Failure struct {
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// File is what an .ics file holds.
type File struct {
	Events []Event
	Failed []Failure
}

var (
	errNoCalendar = chat.Fail(chat.CodeInvalid, "The file is no calendar: it has no BEGIN:VCALENDAR.")
	errNotUTF8    = chat.Fail(chat.CodeInvalid, "The file is not UTF-8 text, which .ics files must be.")
)

// Read reads an .ics file. Times without a zone are meant in local, unless the
// file names another. It fails with CodeInvalid for what is no calendar at all.
func Read(data []byte, local *time.Location) (File, error) {
	if !utf8.Valid(data) {
		return File{}, errNotUTF8
	}
	root, err := components(strings.TrimPrefix(string(data), "\ufeff"))
	if err != nil {
		return File{}, chat.Fail(chat.CodeInvalid, "The file cannot be read: "+err.Error()+".")
	}
	var f File
	calendars := 0
	for _, c := range root.parts {
		if c.name == "VCALENDAR" {
			calendars++
			f.read(c, local)
		}
	}
	if calendars == 0 {
		return File{}, errNoCalendar
	}
	return f, nil
}

func (f *File) read(calendar component, local *time.Location) {
	if zone, ok := Zone(calendar.value("X-WR-TIMEZONE")); ok {
		local = zone
	}
	z := &zones{local: local, defined: map[string]component{}, found: map[string]*time.Location{}}
	for _, part := range calendar.parts {
		if part.name == "VTIMEZONE" && len(z.defined) < mostDefinitions {
			z.defined[part.value("TZID")] = part
		}
	}
	for _, part := range calendar.parts {
		switch part.name {
		case "VEVENT":
			e, err := readEvent(part, z)
			if err != nil {
				f.fail(part, err)
				continue
			}
			e.Cancelled = e.Cancelled || strings.EqualFold(calendar.value("METHOD"), "CANCEL")
			f.Events = append(f.Events, e)
		case "VTODO", "VJOURNAL":
			f.fail(part, errors.New("this is a "+part.name+"; only events are taken"))
		}
	}
}

func (f *File) fail(c component, err error) {
	line := c.no
	if c.broken != nil {
		line = c.brokenAt
	}
	reason := err.Error() + "."
	if title := Unescape(c.value("SUMMARY")); title != "" {
		reason = fmt.Sprintf("%q: %s", brief(title), reason)
	}
	f.Failed = append(f.Failed, Failure{line, reason})
}

// reader collects the lines of one event.
type reader struct {
	e         Event
	z         *zones
	zone      *time.Location // of DTSTART
	end       *Line
	length    *Line
	organizer *Line
}

func readEvent(c component, z *zones) (Event, error) {
	if c.broken != nil {
		return Event{}, c.broken
	}
	r := reader{e: Event{Line: c.no}, z: z}
	if err := r.start(c); err != nil {
		return Event{}, err
	}
	for _, l := range c.lines {
		if err := r.line(l); err != nil {
			return Event{}, err
		}
	}
	if err := r.finish(); err != nil {
		return Event{}, err
	}
	if r.e.UID == "" {
		// The same event has the same name when the file is imported again.
		sum := sha256.New()
		for _, l := range c.lines {
			if l.Name != "DTSTAMP" {
				sum.Write([]byte(l.String() + "\n"))
			}
		}
		r.e.UID = hex.EncodeToString(sum.Sum(nil)[:16]) + "@without-uid"
	}
	return r.e, nil
}

// start reads DTSTART, on which the meaning of other lines depends.
func (r *reader) start(c component) error {
	for _, l := range c.lines {
		if l.Name != "DTSTART" {
			continue
		}
		times, dates, err := l.Times(r.z.local, r.z.find)
		if err != nil {
			return fmt.Errorf("DTSTART: %w", err)
		}
		r.zone = times[0].Location()
		r.e.Start, r.e.AllDay, r.e.Zone = times[0].UTC(), dates, ZoneName(r.zone)
		return nil
	}
	return errors.New("it has no DTSTART")
}

func (r *reader) line(l Line) error {
	e := &r.e
	switch l.Name {
	case "UID":
		e.UID = strings.TrimSpace(Unescape(l.Value))
	case "SUMMARY":
		e.Title = Unescape(l.Value)
	case "DESCRIPTION":
		e.Description = Unescape(l.Value)
	case "LOCATION":
		e.Place = Unescape(l.Value)
	case "DTEND":
		r.end = &l
	case "DURATION":
		r.length = &l
	case "STATUS":
		e.Cancelled = strings.EqualFold(strings.TrimSpace(l.Value), "CANCELLED")
	case "SEQUENCE":
		e.Sequence, _ = strconv.Atoi(l.Value) // what is no number is the first version
	case "CREATED":
		e.CreatedAt = stamp(l)
	case "LAST-MODIFIED":
		e.UpdatedAt = stamp(l)
	case "ATTENDEE":
		e.Attendees = append(e.Attendees, attendee(l))
	case "ORGANIZER":
		r.organizer = &l
	case conversationLine:
		e.ConversationID = Unescape(l.Value)
	case "RECURRENCE-ID":
		if l.Get("RANGE") != "" {
			return errors.New("RECURRENCE-ID with RANGE is not supported")
		}
		times, err := r.times(l)
		if err != nil {
			return err
		}
		e.Occurrence = times[0].UTC()
	case "RRULE":
		e.Recurrence = append(e.Recurrence, "RRULE:"+l.Value)
	case "RDATE", "EXDATE":
		times, err := r.times(l)
		if err != nil {
			return err
		}
		e.Recurrence = append(e.Recurrence, TimesLine(l.Name, times, r.zone, e.AllDay).String())
	case "EXRULE":
		return errors.New("EXRULE is not supported")
	}
	return nil
}

// times reads times that must be of the kind of DTSTART. Programs confuse the
// two: the date of an event that has a time is its occurrence of that day.
func (r *reader) times(l Line) ([]time.Time, error) {
	times, dates, err := l.Times(r.zone, r.z.find)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	if dates == r.e.AllDay {
		return times, nil
	}
	start := r.e.Start.In(r.zone)
	for i, t := range times {
		if dates {
			times[i] = time.Date(t.Year(), t.Month(), t.Day(), start.Hour(), start.Minute(), start.Second(), 0, r.zone)
		} else {
			times[i] = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
		}
	}
	return times, nil
}

// finish finds the end, and who else takes part.
func (r *reader) finish() error {
	e := &r.e
	switch {
	case r.end != nil:
		times, dates, err := r.end.Times(r.zone, r.z.find)
		if err != nil {
			return fmt.Errorf("DTEND: %w", err)
		}
		if dates != e.AllDay {
			return errors.New("of DTSTART and DTEND one is a date and the other a time")
		}
		e.End = times[0].UTC()
	case r.length != nil:
		days, rest, err := duration(r.length.Value)
		if err != nil {
			return err
		}
		e.End = e.Start.In(r.zone).AddDate(0, 0, days).Add(rest).UTC()
	default:
		e.End = e.Start // RFC 5545 section 3.6.1
	}
	if e.AllDay && !e.End.After(e.Start) {
		e.End = e.Start.AddDate(0, 0, 1)
	}
	if r.organizer != nil {
		if o := attendee(*r.organizer); o.Email != "" && !invites(e.Attendees, o.Email) {
			e.Attendees = append([]chat.Attendee{o}, e.Attendees...)
		}
	}
	return nil
}

func invites(list []chat.Attendee, email string) bool {
	for _, a := range list {
		if strings.EqualFold(a.Email, email) {
			return true
		}
	}
	return false
}

// stamp is a time in UTC, zero when it is not one.
func stamp(l Line) time.Time {
	t, err := time.Parse(utcForm, strings.ToUpper(strings.TrimSpace(l.Value)))
	if err != nil {
		return time.Time{}
	}
	return t
}

// attendee reads ATTENDEE;CN=Ana:mailto:ana@example.org.
func attendee(l Line) chat.Attendee {
	a := chat.Attendee{Name: l.Get("CN"), PersonID: l.Get(personParam)}
	if scheme, address, found := strings.Cut(strings.TrimSpace(l.Value), ":"); found && strings.EqualFold(scheme, "mailto") {
		a.Email = address
		if plain, err := url.PathUnescape(address); err == nil {
			a.Email = plain
		}
	}
	if a.Name == "" {
		a.Name = a.Email
	}
	return a
}
