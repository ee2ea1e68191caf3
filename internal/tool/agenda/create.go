package agenda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/calendar/ics"
	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// CreateEvent puts an event into the calendar.
type CreateEvent struct{ Calendar *calendar.Calendar }

var _ tool.Tool = CreateEvent{}

// Spec implements tool.Tool.
func (CreateEvent) Spec() tool.Spec {
	return tool.Spec{
		Name:        "create_calendar_event_tool",
		Description: "Puts an event into the person's calendar, when they ask for it.",
		Label:       "Creating calendar event",
		// The event's id comes of the call, so that a call that is repeated after a
		// crash finds the event that it made.
		Idempotent: true,
		Parameters: argument.Object(`"title","start_time","end_time"`,
			`"title":{"type":"string","minLength":1,"description":"What it is."}`,
			`"start_time":{"type":"string","minLength":1,"description":"When it begins. ISO 8601 with an offset, such as 2024-01-19T09:00:00-08:00."}`,
			`"end_time":{"type":"string","minLength":1,"description":"When it ends. ISO 8601 with an offset."}`,
			`"all_day":{"type":"boolean","description":"Whether it takes whole days, from the day of start_time until the end of the day before end_time. Default false."}`,
			`"description":{"type":"string","description":"Notes."}`,
			`"location":{"type":"string","description":"Where it is."}`,
			`"attendees":{"type":"string","description":"Who takes part: names of people the person knows, or e-mail addresses, separated by commas."}`,
			`"recurrence":{"type":"string","description":"For an event that recurs, a rule of RFC 5545 such as FREQ=WEEKLY;BYDAY=MO,WE."}`),
	}
}

// Run implements tool.Tool.
func (t CreateEvent) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, err := argument.Decode[struct {
		Title       string `json:"title"`
		Start       string `json:"start_time"`
		End         string `json:"end_time"`
		AllDay      bool   `json:"all_day"`
		Description string `json:"description"`
		Location    string `json:"location"`
		Attendees   string `json:"attendees"`
		Recurrence  string `json:"recurrence"`
	}](call)
	if err != nil {
		return tool.Result{}, err
	}
	e := chat.CalendarEvent{
		ID: ident.Derive(call.TurnID, call.ID), Title: args.Title, Description: args.Description, Place: args.Location,
		AllDay: args.AllDay, Zone: ics.ZoneName(call.Zone),
	}
	if e.Start, e.End, err = argument.Range("start_time", args.Start, "end_time", args.End); err != nil {
		return tool.Result{}, err
	}
	if args.AllDay {
		e.Start, e.End = wholeDays(e.Start, e.End)
	}
	if args.Recurrence != "" {
		e.Recurrence = []string{"RRULE:" + args.Recurrence}
	}
	if e.Attendees, err = invited(ctx, t.Calendar, call, args.Attendees); err != nil {
		return tool.Result{}, err
	}
	made, err := t.Calendar.Event(ctx, call.UserID, e.ID)
	if errors.Is(err, chat.ErrNotFound) {
		made, err = t.Calendar.Create(ctx, call.UserID, e)
	}
	if err != nil {
		return tool.Result{}, told(fmt.Errorf("create event: %w", err))
	}
	shown := show(calendar.Occurrence{CalendarEvent: made, Recurring: len(made.Recurrence) > 0}, call.Zone)
	return tool.Result{Content: map[string]any{"event": shown, "note": "It is in the calendar. Nobody was sent an invitation."}, Display: true}, nil
}

// wholeDays are the days that two times touch, in the zones they were given in,
// as midnights in UTC. An end at midnight does not touch its day.
func wholeDays(start, end time.Time) (time.Time, time.Time) {
	date := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	last := date(end)
	if hour, minute, second := end.Clock(); hour+minute+second > 0 || !last.After(date(start)) {
		last = last.AddDate(0, 0, 1)
	}
	return date(start), last
}
