package agenda

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/calendar/ics"
	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// UpdateEvent changes an event.
type UpdateEvent struct{ Calendar *calendar.Calendar }

var (
	_ tool.Tool  = UpdateEvent{}
	_ tool.Asker = UpdateEvent{}
)

// Spec implements tool.Tool. It is not idempotent: an event that was found by its
// title may have another one now.
func (UpdateEvent) Spec() tool.Spec {
	return tool.Spec{
		Name:        "update_calendar_event_tool",
		Description: "Changes an event of the person's calendar, given by event_id or by event_title. When several events have the title it returns them, so that you can call again with an event_id.",
		Label:       "Updating calendar event",
		Parameters: argument.Object("", eventID, occurrence, eventTitle,
			`"start_date":{"type":"string","description":"With event_title: look only for what begins at or after this time. ISO 8601 with an offset, such as 2024-01-19T00:00:00-08:00."}`,
			`"end_date":{"type":"string","description":"With event_title: look only for what begins before this time. ISO 8601 with an offset."}`,
			`"title":{"type":"string","minLength":1,"description":"The new title."}`,
			`"description":{"type":"string","description":"The new notes."}`,
			`"location":{"type":"string","description":"The new place."}`,
			`"new_start_time":{"type":"string","description":"When it begins now; it stays as long as it was unless new_end_time is given. Of a whole series only the time of day changes. ISO 8601 with an offset."}`,
			`"new_end_time":{"type":"string","description":"When it ends now. ISO 8601 with an offset."}`,
			`"add_attendees":{"type":"string","description":"Names or e-mail addresses, separated by commas."}`,
			`"remove_attendees":{"type":"string","description":"Names or e-mail addresses, separated by commas."}`,
			`"set_attendees":{"type":"string","description":"Names or e-mail addresses, separated by commas, instead of all that there are."}`),
	}
}

type updateArguments struct {
	choice
	NewTitle    *string `json:"title"`
	Description *string `json:"description"`
	Location    *string `json:"location"`
	NewStart    string  `json:"new_start_time"`
	NewEnd      string  `json:"new_end_time"`
	Add         string  `json:"add_attendees"`
	Remove      string  `json:"remove_attendees"`
	Set         *string `json:"set_attendees"`
}

func (a updateArguments) changesNothing() bool {
	return a.NewTitle == nil && a.Description == nil && a.Location == nil && a.NewStart == "" && a.NewEnd == "" && a.Add == "" && a.Remove == "" && a.Set == nil
}

// find returns the events that are meant.
func (t UpdateEvent) find(ctx context.Context, call tool.Call) (updateArguments, []target, error) {
	args, err := argument.Decode[updateArguments](call)
	if err != nil {
		return args, nil, err
	}
	if args.changesNothing() {
		return args, nil, tool.Problem("Nothing to change was given.")
	}
	if args.ID != "" {
		one, err := byID(ctx, t.Calendar, call, args.choice)
		return args, []target{one}, err
	}
	if strings.TrimSpace(args.Title) == "" {
		return args, nil, tool.Problem("Give event_id, or event_title when the id is not known.")
	}
	targets, err := byTitle(ctx, t.Calendar, call, args.choice)
	return args, targets, err
}

// Consent implements tool.Asker: a whole series is changed only when the person
// agrees.
func (t UpdateEvent) Consent(ctx context.Context, call tool.Call) (string, error) {
	_, targets, err := t.find(ctx, call)
	if err != nil || len(targets) != 1 {
		return "", err
	}
	return updateReason(targets[0], call.Zone), nil
}

func updateReason(t target, zone *time.Location) string {
	if !t.series() {
		return ""
	}
	return "This changes all occurrences of " + called(t, zone) + "."
}

// Run implements tool.Tool.
func (t UpdateEvent) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, targets, err := t.find(ctx, call)
	if err != nil {
		return tool.Result{}, err
	}
	if len(targets) > 1 {
		return choose(targets, call.Zone), nil
	}
	one := targets[0]
	if why := updateReason(one, call.Zone); why != "" && why != call.Approved {
		return tool.Result{}, changedMeanwhile
	}
	change, err := t.change(ctx, call, args, one.series())
	if err != nil {
		return tool.Result{}, err
	}
	made, err := t.Calendar.Change(ctx, call.UserID, one.event.ID, one.at, change)
	if err != nil {
		return tool.Result{}, told(fmt.Errorf("change event: %w", err))
	}
	shown := show(calendar.Occurrence{CalendarEvent: made, Recurring: one.event.Recurring}, call.Zone)
	return tool.Result{Content: map[string]any{"event": shown, "note": "It is changed."}, Display: true}, nil
}

// changedMeanwhile keeps what a person approved from being something else.
const changedMeanwhile = tool.Problem("The calendar has changed since the person was asked, or they were not asked. Call again, and they will be.")

// change returns what to do to the event.
func (t UpdateEvent) change(ctx context.Context, call tool.Call, args updateArguments, series bool) (func(*chat.CalendarEvent) error, error) {
	start, end, err := argument.Range("new_start_time", args.NewStart, "new_end_time", args.NewEnd)
	if err != nil {
		return nil, err
	}
	add, err := invited(ctx, t.Calendar, call, args.Add)
	if err != nil {
		return nil, err
	}
	var set []chat.Attendee
	if args.Set != nil {
		if set, err = invited(ctx, t.Calendar, call, *args.Set); err != nil {
			return nil, err
		}
	}
	return func(e *chat.CalendarEvent) error {
		if args.NewTitle != nil {
			e.Title = *args.NewTitle
		}
		if args.Description != nil {
			e.Description = *args.Description
		}
		if args.Location != nil {
			e.Place = *args.Location
		}
		if args.Set != nil {
			e.Attendees = set
		}
		e.Attendees = without(e.Attendees, names(args.Remove))
		for _, a := range add {
			if !slices.ContainsFunc(e.Attendees, func(b chat.Attendee) bool { return is(b, a.Email) || is(b, a.Name) }) {
				e.Attendees = append(e.Attendees, a)
			}
		}
		move(e, start, end, series)
		return nil
	}, nil
}

// without leaves out those of a name or an address.
func without(list []chat.Attendee, names []string) []chat.Attendee {
	return slices.DeleteFunc(slices.Clone(list), func(a chat.Attendee) bool {
		return slices.ContainsFunc(names, func(name string) bool { return is(a, name) })
	})
}

func is(a chat.Attendee, name string) bool {
	return name != "" && (strings.EqualFold(a.Name, name) || strings.EqualFold(a.Email, name))
}

// move sets the times that are given. The days of a series stay.
func move(e *chat.CalendarEvent, start, end time.Time, series bool) {
	if start.IsZero() && end.IsZero() {
		return
	}
	length := e.End.Sub(e.Start)
	switch {
	case start.IsZero() && !series:
		e.End = end
	case start.IsZero():
		from := at(e, e.Start, end)
		if length = from.Sub(e.Start); length <= 0 {
			length += 24 * time.Hour
		}
		e.End = e.Start.Add(length)
	default:
		if !end.IsZero() {
			length = end.Sub(start)
		}
		if e.AllDay {
			start, end = wholeDays(start, start.Add(max(length, time.Second)))
			length = end.Sub(start)
		}
		if series && !e.AllDay {
			start = at(e, e.Start, start)
		} else if series {
			start = e.Start
		}
		e.Start, e.End = start, start.Add(length)
	}
}

// at is the time of day of clock on the day of a date, in the event's zone.
func at(e *chat.CalendarEvent, date, clock time.Time) time.Time {
	zone, ok := ics.Zone(e.Zone)
	if !ok {
		zone = time.UTC
	}
	y, m, d := date.In(zone).Date()
	hour, minute, second := clock.In(zone).Clock()
	return time.Date(y, m, d, hour, minute, second, 0, zone)
}
