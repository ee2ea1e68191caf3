package agenda_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite"
	"confidant/internal/store/sqlite/sqlitetest"
	"confidant/internal/tool"
	"confidant/internal/tool/agenda"
)

var berlin, _ = time.LoadLocation("Europe/Berlin")

// now is a Sunday.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, berlin)

// desk has the tools over a real calendar.
type desk struct {
	*testing.T
	calendar *calendar.Calendar
	store    *sqlite.Store
	tools    *tool.Registry
	user     string
	other    string
	asked    string // why the person was asked at the last call
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	store := sqlitetest.Open(t)
	d := &desk{T: t, calendar: calendar.New(store, store), store: store}
	for name, id := range map[string]*string{"ana": &d.user, "bob": &d.other} {
		*id = sqlitetest.User(t, store, name).ID
	}
	c := d.calendar
	var err error
	if d.tools, err = tool.NewRegistry(agenda.GetEvents{Calendar: c}, agenda.CreateEvent{Calendar: c}, agenda.UpdateEvent{Calendar: c}, agenda.DeleteEvent{Calendar: c}); err != nil {
		t.Fatal(err)
	}
	return d
}

type event struct {
	ID         string   `json:"event_id"`
	Title      string   `json:"title"`
	Start      string   `json:"start"`
	End        string   `json:"end"`
	Attendees  []string `json:"attendees"`
	Recurring  bool     `json:"recurring"`
	Occurrence string   `json:"occurrence"`
}

type reply struct {
	Events     []event `json:"events"`
	Event      event   `json:"event"`
	Candidates []event `json:"candidates"`
	Deleted    []event `json:"deleted"`
	Note       string  `json:"note"`
}

// call runs a tool as the loop does, with a person who agrees to everything.
func (d *desk) call(name, arguments string) (reply, error) {
	d.Helper()
	checked, err := d.tools.Check(name, arguments)
	if err != nil {
		return reply{}, err
	}
	tl, _ := d.tools.Find(name)
	call := tool.Call{ID: "call_1", TurnID: arguments, UserID: d.user, Arguments: checked, Now: now, Zone: berlin}
	d.asked = ""
	if asker, ok := tl.(tool.Asker); ok {
		if d.asked, err = asker.Consent(d.Context(), call); err != nil {
			return reply{}, d.problem(err)
		}
		call.Approved = d.asked
	}
	res, err := tl.Run(d.Context(), call)
	if err != nil {
		return reply{}, d.problem(err)
	}
	data, err := json.Marshal(res.Content)
	if err != nil {
		d.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		d.Fatal(err)
	}
	return r, nil
}

func (d *desk) problem(err error) error {
	d.Helper()
	if _, ok := errors.AsType[tool.Problem](err); !ok {
		d.Errorf("not in words for the model: %v", err)
	}
	return err
}

// do is call that must succeed.
func (d *desk) do(name, arguments string) reply {
	d.Helper()
	r, err := d.call(name, arguments)
	if err != nil {
		d.Fatalf("%s(%s): %v", name, arguments, err)
	}
	return r
}

// create makes an event of an hour and returns its id.
func (d *desk) create(title, start string, more ...string) string {
	d.Helper()
	from, err := time.ParseInLocation("2006-01-02 15:04", start, berlin)
	if err != nil {
		d.Fatal(err)
	}
	extra := ""
	for _, m := range more {
		extra += "," + m
	}
	return d.do("create_calendar_event_tool", fmt.Sprintf(`{"title":%q,"start_time":%q,"end_time":%q%s}`, title, from.Format(time.RFC3339), from.Add(time.Hour).Format(time.RFC3339), extra)).Event.ID
}

const weekly = `"recurrence":"FREQ=WEEKLY"`

// titles are those of a list.
func titles(list []event) string {
	var all []string
	for _, e := range list {
		all = append(all, e.Start[:10]+" "+e.Title)
	}
	return strings.Join(all, ", ")
}

func TestGet(t *testing.T) {
	d := newDesk(t)
	d.create("Dentist", "2026-03-03 09:00", `"location":"Main Street"`)
	d.create("Stand-up", "2026-02-02 10:00", weekly)
	d.create("Long ago", "2025-06-01 10:00")
	d.create("Too long ago", "2024-06-01 10:00")
	d.create("Birthday", "2026-03-07 00:00", `"all_day":true`)
	for arguments, want := range map[string]string{
		`{}`: "2026-03-02 Stand-up, 2026-03-03 Dentist, 2026-03-07 Birthday",
		`{"start_date":"2026-03-09T00:00:00+01:00"}`:                                                     "2026-03-09 Stand-up",
		`{"end_date":"2026-02-10T00:00:00+01:00"}`:                                                       "2026-02-09 Stand-up",
		`{"start_date":"2026-03-03T09:30:00+01:00","end_date":"2026-03-03T09:40:00+01:00"}`:              "2026-03-03 Dentist",
		`{"search_query":"AGO long"}`:                                                                    "2025-06-01 Long ago",
		`{"search_query":"stand"}`:                                                                       "2026-03-02 Stand-up",
		`{"search_query":"main street"}`:                                                                 "2026-03-03 Dentist",
		`{"search_query":"stand","start_date":"2026-02-01T00:00:00Z","end_date":"2026-02-20T00:00:00Z"}`: "2026-02-16 Stand-up",
		`{"max_results":1}`:                                                                              "2026-03-02 Stand-up",
		`{"search_query":"nothing of it"}`:                                                               "",
	} {
		r := d.do("get_calendar_events_tool", arguments)
		if got := titles(r.Events); got != want {
			t.Errorf("%s: %s, want %s (%s)", arguments, got, want, r.Note)
		}
		if strings.Contains(arguments, "max_results") != strings.Contains(r.Note, "There are more") || (want == "") != strings.Contains(r.Note, "no event") {
			t.Errorf("%s: note %q", arguments, r.Note)
		}
	}
	if e := d.do("get_calendar_events_tool", `{}`).Events; e[0].Occurrence != "2026-03-02T10:00:00+01:00" || !e[0].Recurring || e[2].Start != "2026-03-07" || e[2].End != "2026-03-08" || e[1].Occurrence != "" {
		t.Errorf("%+v", e)
	}
	d.user, d.other = d.other, d.user
	if e := d.do("get_calendar_events_tool", `{}`).Events; len(e) != 0 {
		t.Errorf("another person sees %+v", e)
	}
}

func TestCreate(t *testing.T) {
	d := newDesk(t)
	if err := d.store.SavePeople(t.Context(), d.user, chat.Changes[chat.Person]{Put: []chat.Person{{ID: ident.New(), Name: "Ana Souza", Aliases: []string{"Mom"}, Email: "ana@example.org"}, {ID: ident.New(), Name: "Max"}, {ID: ident.New(), Name: "max"}}}); err != nil {
		t.Fatal(err)
	}
	const lunch = `{"title":"Lunch","start_time":"2026-03-03T12:00:00+01:00","end_time":"2026-03-03T13:00:00+01:00","attendees":"mom, zoe@example.org"}`
	made := d.do("create_calendar_event_tool", lunch).Event
	if strings.Join(made.Attendees, ",") != "Ana Souza <ana@example.org>,zoe@example.org" || made.Start != "2026-03-03T12:00:00+01:00" {
		t.Errorf("%+v", made)
	}
	if again := d.do("create_calendar_event_tool", lunch).Event; again.ID != made.ID {
		t.Errorf("the same call again made %s", again.ID)
	}
	if stored, err := d.calendar.Event(t.Context(), d.user, made.ID); err != nil || stored.Zone != "Europe/Berlin" || stored.Revision != 1 {
		t.Errorf("%+v, %v", stored, err)
	}
	for arguments, want := range map[string]string{
		`{"title":"x","start_time":"2026-03-03T12:00:00","end_time":"2026-03-03T13:00:00Z"}`:                                  "start_time has no time zone",
		`{"title":"x","start_time":"2026-03-03T12:00:00Z","end_time":"2026-03-03T12:00:00Z"}`:                                 "must end after",
		`{"title":"x","start_time":"2026-03-03T12:00:00Z","end_time":"2026-03-03T11:00:00Z"}`:                                 "end_time is before start_time",
		`{"title":"x","start_time":"2026-03-03T12:00:00Z","end_time":"2026-03-03T13:00:00Z","attendees":"Max, nobody"}`:       "meant by: Max, nobody",
		`{"title":"x","start_time":"2026-03-03T12:00:00Z","end_time":"2026-03-03T13:00:00Z","recurrence":"every Tuesday"}`:    "RRULE cannot be read",
		`{"title":"` + strings.Repeat("x", 1000) + `","start_time":"2026-03-03T12:00:00Z","end_time":"2026-03-03T13:00:00Z"}`: "500 (event_title_characters)",
		`{"title":"x","start_time":"2026-03-03T12:00:00Z"}`:                                                                   "end_time",
	} {
		if _, err := d.call("create_calendar_event_tool", arguments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.120s: %v, want %q", arguments, err, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	d := newDesk(t)
	dentist := d.create("Dentist", "2026-03-03 09:00", `"attendees":"a@example.org,b@example.org"`)
	standup := d.create("Stand-up", "2026-02-02 10:00", weekly)
	d.create("Lunch with Ana", "2026-03-04 12:00")
	d.create("Lunch with Ben", "2026-03-05 12:00")

	r := d.do("update_calendar_event_tool", `{"event_title":"dentist","new_start_time":"2026-03-03T11:00:00+01:00","location":"Side Street","add_attendees":"c@example.org,A@example.org","remove_attendees":"b@example.org"}`)
	if d.asked != "" || r.Event.ID != dentist || r.Event.Start != "2026-03-03T11:00:00+01:00" || r.Event.End != "2026-03-03T12:00:00+01:00" || strings.Join(r.Event.Attendees, ",") != "a@example.org,c@example.org" {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	if r := d.do("update_calendar_event_tool", `{"event_id":"`+dentist+`","set_attendees":""}`); len(r.Event.Attendees) != 0 {
		t.Errorf("%+v", r)
	}
	r = d.do("update_calendar_event_tool", `{"event_title":"lunch","title":"Brunch"}`)
	if d.asked != "" || titles(r.Candidates) != "2026-03-04 Lunch with Ana, 2026-03-05 Lunch with Ben" || !strings.Contains(r.Note, "event_id") {
		t.Errorf("several match: %+v, asked %q", r, d.asked)
	}
	if r := d.do("update_calendar_event_tool", `{"event_title":"lunch","title":"Brunch","start_date":"2026-03-05T00:00:00+01:00","end_date":"2026-03-06T00:00:00+01:00"}`); r.Event.Title != "Brunch" {
		t.Errorf("one within the dates: %+v", r)
	}
	// One occurrence does not need to be asked for, a series does.
	r = d.do("update_calendar_event_tool", `{"event_id":"`+standup+`","occurrence":"2026-03-09T10:00:00+01:00","new_start_time":"2026-03-10T08:00:00+01:00"}`)
	if d.asked != "" || r.Event.Start != "2026-03-10T08:00:00+01:00" {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	r = d.do("update_calendar_event_tool", `{"event_title":"stand-up","new_start_time":"2026-03-16T10:30:00+01:00"}`)
	if !strings.Contains(d.asked, "all occurrences of “Stand-up”") || r.Event.ID != standup || r.Event.Start != "2026-02-02T10:30:00+01:00" {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	if got := titles(d.do("get_calendar_events_tool", `{"start_date":"2026-03-08T00:00:00+01:00","end_date":"2026-03-18T00:00:00+01:00"}`).Events); got != "2026-03-10 Stand-up, 2026-03-16 Stand-up" {
		t.Errorf("the calendar shows %s", got)
	}
	for arguments, want := range map[string]string{
		`{"event_id":"` + dentist + `"}`:      "Nothing to change",
		`{"title":"x"}`:                       "event_id",
		`{"event_id":"nope","title":"x"}`:     "no such event",
		`{"event_title":"Opera","title":"x"}`: "No event of this title",
		`{"event_id":"` + dentist + `","new_end_time":"2026-03-03T10:00:00+01:00"}`:           "must end after",
		`{"event_id":"` + dentist + `","new_start_time":"2026-03-03"}`:                        "no time zone",
		`{"event_id":"` + standup + `","occurrence":"2026-03-11T10:00:00+01:00","title":"x"}`: "does not take place at that time",
		`{"event_id":"` + dentist + `","add_attendees":"Somebody"}`:                           "Somebody",
	} {
		if _, err := d.call("update_calendar_event_tool", arguments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
	}
	d.user = d.other
	if _, err := d.call("update_calendar_event_tool", `{"event_id":"`+dentist+`","title":"x"}`); err == nil || !strings.Contains(err.Error(), "no such event") {
		t.Errorf("another person: %v", err)
	}
}

func TestDelete(t *testing.T) {
	d := newDesk(t)
	dentist := d.create("Dentist", "2026-03-03 09:00")
	d.create("Opera", "2026-03-07 19:00")
	standup := d.create("Stand-up", "2026-02-02 10:00", weekly)
	d.create("Lunch with Ana", "2026-03-04 12:00")
	d.create("Lunch with Ben", "2026-03-05 12:00")

	// One event goes without a question.
	if r := d.do("delete_calendar_event_tool", `{"event_id":"`+dentist+`"}`); d.asked != "" || titles(r.Deleted) != "2026-03-03 Dentist" {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	if r := d.do("delete_calendar_event_tool", `{"event_title":"opera"}`); d.asked != "" || titles(r.Deleted) != "2026-03-07 Opera" {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	if r := d.do("delete_calendar_event_tool", `{"event_id":"`+standup+`","occurrence":"2026-03-02T10:00:00+01:00"}`); d.asked != "" || len(r.Deleted) != 1 {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	// A title that several have asks for the id.
	if r := d.do("delete_calendar_event_tool", `{"event_title":"lunch"}`); d.asked != "" || len(r.Candidates) != 2 || len(r.Deleted) != 0 {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	// Several by their dates ask the person. Of a series only the occurrence goes.
	r := d.do("delete_calendar_event_tool", `{"start_date":"2026-03-04T00:00:00+01:00","end_date":"2026-03-10T00:00:00+01:00"}`)
	if want := "This deletes 3 events: “Lunch with Ana” (Wed 4 Mar 2026 12:00); “Lunch with Ben” (Thu 5 Mar 2026 12:00); “Stand-up” (Mon 9 Mar 2026 10:00)."; d.asked != want || len(r.Deleted) != 3 {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	if got := titles(d.do("get_calendar_events_tool", `{"end_date":"2026-03-18T00:00:00+01:00"}`).Events); got != "2026-03-16 Stand-up" {
		t.Errorf("left: %s", got)
	}
	// What was approved is not what would be done: nothing is.
	tl, _ := d.tools.Find("delete_calendar_event_tool")
	call := tool.Call{UserID: d.user, Arguments: json.RawMessage(`{"event_id":"` + standup + `"}`), Now: now, Zone: berlin, Approved: "This deletes something else."}
	if _, err := tl.Run(t.Context(), call); err == nil || !strings.Contains(err.Error(), "changed since") {
		t.Errorf("a series was deleted without consent: %v", err)
	}
	if r := d.do("delete_calendar_event_tool", `{"event_title":"Stand-up"}`); d.asked != "This deletes all occurrences of “Stand-up”." || len(r.Deleted) != 1 {
		t.Errorf("%+v, asked %q", r, d.asked)
	}
	if list, err := d.store.CalendarEvents(t.Context(), d.user, chat.EventQuery{Limit: 10}); err != nil || len(list) != 0 {
		t.Errorf("left behind: %+v, %v", list, err)
	}
	d.create("tick", "2026-03-20 09:00", `"recurrence":"FREQ=MINUTELY;COUNT=60"`)
	for arguments, want := range map[string]string{
		`{}`: "start_date",
		`{"start_date":"2026-03-20T00:00:00+01:00"}`: "60 events fit",
		`{"start_date":"2026-04-20T00:00:00+01:00"}`: "No such event",
		`{"event_id":"nope"}`:                        "no such event",
		`{"event_title":"nothing like it"}`:          "No event of this title",
		`{"start_date":"2026-03-20"}`:                "no time zone",
	} {
		if _, err := d.call("delete_calendar_event_tool", arguments); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
	}
}
