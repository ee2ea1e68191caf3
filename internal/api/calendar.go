package api

import (
	"context"
	"net/http"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/calendar/ics"
	"confidant/internal/chat"
)

// Calendar is what the surface may do with events; see calendar.Calendar.
type Calendar interface {
	CalendarFiles
	Between(ctx context.Context, userID string, w calendar.Window) ([]calendar.Occurrence, bool, error)
	Create(ctx context.Context, userID string, e chat.CalendarEvent) (chat.CalendarEvent, error)
	Change(ctx context.Context, userID, id string, occurrence time.Time, change func(*chat.CalendarEvent) error) (chat.CalendarEvent, error)
	Delete(ctx context.Context, userID, id string, occurrence time.Time) error
	Known(ctx context.Context, userID string, list []chat.Attendee) ([]chat.Attendee, error)
}

// CalendarFiles reads and writes .ics files.
type CalendarFiles interface {
	Import(ctx context.Context, userID string, data []byte, zone *time.Location) (calendar.Imported, error)
	Export(ctx context.Context, userID string) ([]byte, error)
}

func (s *Server) calendarRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/calendar":         s.listEvents,
		"POST /api/calendar":        s.createEvent,
		"PATCH /api/calendar/{id}":  s.changeEvent,
		"DELETE /api/calendar/{id}": s.deleteEvent,
		"POST /api/calendar/import": s.importCalendar,
		"GET /api/calendar.ics":     s.exportCalendar,
	}
}

// maxWindow is how many days of the calendar are asked for at once.
const maxWindow = 400

// zoneOf is the zone that a request names, or the one that is configured.
func (s *Server) zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return s.zone, nil
	}
	zone, ok := ics.Zone(name)
	if !ok {
		return nil, chat.Fail(chat.CodeInvalid, "zone is not an IANA time zone such as Europe/Berlin.")
	}
	return zone, nil
}

func (s *Server) listEvents(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	offset, limit, err := offsetPage(r, 1000, 2000)
	if err != nil {
		return nil, err
	}
	w := calendar.Window{Limit: offset + limit + 1}
	if w.From, err = timeOf(r, "from"); err != nil {
		return nil, err
	}
	if w.Until, err = timeOf(r, "until"); err != nil {
		return nil, err
	}
	switch {
	case w.From.IsZero() || w.Until.IsZero():
		return nil, chat.Fail(chat.CodeInvalid, "The query needs from and until, such as 2026-03-01T00:00:00Z.")
	case w.Until.Before(w.From):
		return nil, chat.Fail(chat.CodeInvalid, "until is before from.")
	case w.Until.Sub(w.From) > maxWindow*24*time.Hour:
		return nil, chat.Fail(chat.CodeInvalid, "from and until are further apart than the limit of 400 days (calendar_days).")
	case offset > 100_000:
		return nil, chat.Fail(chat.CodeInvalid, "cursor is over the limit of 100000 events (calendar_events). Ask for fewer days.")
	}
	if w.Zone, err = s.zoneOf(r.URL.Query().Get("zone")); err != nil {
		return nil, err
	}
	found, _, err := s.calendar.Between(r.Context(), user.ID, w)
	if err != nil {
		return nil, err
	}
	return pageFrom("events", found[min(offset, len(found)):], offset, limit), nil
}

// eventBody is what a client says of an event.
type eventBody struct {
	Title       field[string]          `json:"title"`
	Start       field[time.Time]       `json:"start"`
	End         field[time.Time]       `json:"end"`
	AllDay      field[bool]            `json:"all_day"`
	Zone        field[string]          `json:"zone"`
	Description field[string]          `json:"description"`
	Place       field[string]          `json:"location"`
	Recurrence  field[[]string]        `json:"recurrence"`
	Attendees   field[[]chat.Attendee] `json:"attendees"`
	Revision    field[int64]           `json:"revision"`
}

// readEvent reads a body and finds who its attendees are.
func (s *Server) readEvent(w http.ResponseWriter, r *http.Request, user chat.User) (eventBody, error) {
	var in eventBody
	if err := s.readJSON(w, r, &in); err != nil {
		return in, err
	}
	var err error
	if in.Attendees.given {
		in.Attendees.value, err = s.calendar.Known(r.Context(), user.ID, in.Attendees.value)
	}
	return in, err
}

// apply changes an event to what the body says.
func (b eventBody) apply(e *chat.CalendarEvent) {
	b.Title.set(&e.Title)
	b.Start.set(&e.Start)
	b.End.set(&e.End)
	b.AllDay.set(&e.AllDay)
	b.Zone.set(&e.Zone)
	b.Description.set(&e.Description)
	b.Place.set(&e.Place)
	b.Recurrence.set(&e.Recurrence)
	b.Attendees.set(&e.Attendees)
}

func shownEvent(e chat.CalendarEvent) calendar.Occurrence {
	return calendar.Occurrence{CalendarEvent: e, Recurring: len(e.Recurrence) > 0 || !e.Occurrence.IsZero()}
}

func (s *Server) createEvent(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	in, err := s.readEvent(w, r, user)
	if err != nil {
		return nil, err
	}
	e := chat.CalendarEvent{UserID: user.ID, Zone: ics.ZoneName(s.zone)}
	in.apply(&e)
	made, err := s.calendar.Create(r.Context(), user.ID, e)
	return created{shownEvent(made)}, err
}

func (s *Server) changeEvent(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	at, err := timeOf(r, "occurrence")
	if err != nil {
		return nil, err
	}
	in, err := s.readEvent(w, r, user)
	if err != nil {
		return nil, err
	}
	e, err := s.calendar.Change(r.Context(), user.ID, r.PathValue("id"), at, func(e *chat.CalendarEvent) error {
		// A client knows an occurrence that was not changed yet by its series.
		if e.Revision > 0 {
			if err := unchanged(in.Revision, e.Revision); err != nil {
				return err
			}
		}
		in.apply(e)
		return nil
	})
	return shownEvent(e), err
}

func (s *Server) deleteEvent(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	at, err := timeOf(r, "occurrence")
	if err != nil {
		return nil, err
	}
	return nil, s.calendar.Delete(r.Context(), user.ID, r.PathValue("id"), at)
}

func (s *Server) importCalendar(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	zone, err := s.zoneOf(r.URL.Query().Get("zone"))
	if err != nil {
		return nil, err
	}
	data, err := readBody(w, r, "import_bytes", s.limits.Import)
	if err != nil {
		return nil, err
	}
	return s.calendar.Import(r.Context(), user.ID, data, zone)
}

func (s *Server) exportCalendar(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	data, err := s.calendar.Export(r.Context(), user.ID)
	return download{"text/calendar; charset=utf-8", "calendar.ics", data}, err
}
