package agenda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// DeleteEvent removes events.
type DeleteEvent struct{ Calendar *calendar.Calendar }

var (
	_ tool.Tool  = DeleteEvent{}
	_ tool.Asker = DeleteEvent{}
)

// deleteMost is how many events one call may delete.
const deleteMost = 50

// Spec implements tool.Tool.
func (DeleteEvent) Spec() tool.Spec {
	return tool.Spec{
		Name:        "delete_calendar_event_tool",
		Description: fmt.Sprintf("Deletes events of the person's calendar: one by event_id or event_title, or all that begin within dates, %d at most. When more than one would go, or a whole series, the person is asked by itself; do not ask them before.", deleteMost),
		Label:       "Deleting calendar event",
		Parameters: argument.Object("", eventID, occurrence, eventTitle,
			`"start_date":{"type":"string","description":"Delete all that begins at or after this time, of event_title when that is given. ISO 8601 with an offset, such as 2024-01-19T00:00:00-08:00."}`,
			`"end_date":{"type":"string","description":"Delete only what begins before this time; default one day after start_date. ISO 8601 with an offset."}`),
	}
}

// find returns the events to delete. ask is set when the model must say which of
// them is meant.
func (t DeleteEvent) find(ctx context.Context, call tool.Call) (targets []target, ask bool, err error) {
	args, err := argument.Decode[choice](call)
	if err != nil {
		return nil, false, err
	}
	switch {
	case args.ID != "":
		one, err := byID(ctx, t.Calendar, call, args)
		return []target{one}, false, err
	case args.StartDate != "":
		targets, err = t.within(ctx, call, args)
		return targets, false, err
	case strings.TrimSpace(args.Title) == "":
		return nil, false, tool.Problem("Give event_id, event_title, or start_date.")
	}
	targets, err = byTitle(ctx, t.Calendar, call, args)
	return targets, len(targets) > 1, err
}

// within finds all that begins in a range of dates. Of a series only the
// occurrences in it are meant.
func (t DeleteEvent) within(ctx context.Context, call tool.Call, args choice) ([]target, error) {
	from, until, err := args.Parse()
	if err != nil {
		return nil, err
	}
	until = cmp.Or(until, from.AddDate(0, 0, 1))
	found, _, err := t.Calendar.Between(ctx, call.UserID, calendar.Window{From: from, Until: until, Zone: call.Zone, Limit: findMost})
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	found = slices.DeleteFunc(found, func(o calendar.Occurrence) bool { return !o.AllDay && o.Start.Before(from) })
	if args.Title != "" {
		found = titled(found, args.Title)
	}
	if len(found) == 0 {
		return nil, tool.Problem("No such event begins within these dates.")
	}
	if len(found) > deleteMost {
		return nil, tool.Problem(fmt.Sprintf("%d events fit, and at most %d are deleted at once. Give narrower dates.", len(found), deleteMost))
	}
	return each(found), nil
}

// Consent implements tool.Asker.
func (t DeleteEvent) Consent(ctx context.Context, call tool.Call) (string, error) {
	targets, ask, err := t.find(ctx, call)
	if err != nil || ask {
		return "", err
	}
	return deleteReason(targets, call.Zone), nil
}

// mostCalled is how many events a question names one by one.
const mostCalled = 10

// deleteReason is why the person must agree, "" when one event goes alone.
func deleteReason(targets []target, zone *time.Location) string {
	if len(targets) == 1 && !targets[0].series() {
		return ""
	}
	if len(targets) == 1 {
		return "This deletes all occurrences of " + called(targets[0], zone) + "."
	}
	var list []string
	for _, t := range targets[:min(len(targets), mostCalled)] {
		list = append(list, called(t, zone))
	}
	if rest := len(targets) - mostCalled; rest > 0 {
		list = append(list, fmt.Sprintf("and %d more, until %s", rest, targets[len(targets)-1].event.Start.In(zone).Format(when)))
	}
	return fmt.Sprintf("This deletes %d events: %s.", len(targets), strings.Join(list, "; "))
}

// when is how a question to a person tells a time.
const when = "Mon 2 Jan 2006 15:04"

// called is an event as a question names it.
func called(t target, zone *time.Location) string {
	title := []rune(t.event.Title)
	if len(title) > 80 {
		title = append(title[:80], '…')
	}
	at := t.event.Start.In(zone).Format(when)
	if t.event.AllDay {
		at = t.event.Start.UTC().Format("Mon 2 Jan 2006")
	}
	if t.series() {
		return fmt.Sprintf("“%s”", string(title))
	}
	return fmt.Sprintf("“%s” (%s)", string(title), at)
}

// Run implements tool.Tool.
func (t DeleteEvent) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	targets, ask, err := t.find(ctx, call)
	if err != nil {
		return tool.Result{}, err
	}
	if ask {
		return choose(targets, call.Zone), nil
	}
	if why := deleteReason(targets, call.Zone); why != "" && why != call.Approved {
		return tool.Result{}, changedMeanwhile
	}
	gone := []event{}
	for _, one := range targets {
		err := t.Calendar.Delete(ctx, call.UserID, one.event.ID, one.at)
		if err != nil && (len(targets) == 1 || !errors.Is(err, chat.ErrNotFound)) {
			return tool.Result{}, told(fmt.Errorf("delete event: %w", err))
		}
		e := show(one.event, call.Zone)
		e.Description = ""
		gone = append(gone, e)
	}
	return tool.Result{Content: map[string]any{"deleted": gone, "note": fmt.Sprintf("%d deleted.", len(gone))}, Display: true}, nil
}
