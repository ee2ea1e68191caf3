package calendar

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite"
	"confidant/internal/store/sqlite/sqlitetest"
)

const berlin = "Europe/Berlin"

// book is the calendar of a person over a real store.
type book struct {
	*Calendar
	*testing.T
	store *sqlite.Store
	user  string
	other string
}

func newBook(t *testing.T) *book {
	t.Helper()
	store := sqlitetest.Open(t)
	b := &book{Calendar: New(store, store), T: t, store: store}
	b.Now = func() time.Time { return at(t, "2026-03-01 12:00", "UTC") }
	for name, id := range map[string]*string{"ana": &b.user, "bob": &b.other} {
		*id = sqlitetest.User(t, store, name).ID
	}
	return b
}

// add creates an event of an hour.
func (b *book) add(title, start string, recurrence ...string) chat.CalendarEvent {
	b.Helper()
	from := at(b, start, berlin)
	e, err := b.Create(b.Context(), b.user, chat.CalendarEvent{Title: title, Start: from, End: from.Add(time.Hour), Zone: berlin, Recurrence: recurrence})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// shows checks what takes place in a window, as "MM-DD HH:MM title".
func (b *book) shows(from, until string, want ...string) []Occurrence {
	b.Helper()
	zone := at(b, from, berlin).Location()
	list, more, err := b.Between(b.Context(), b.user, Window{From: at(b, from, berlin), Until: at(b, until, berlin), Zone: zone, Limit: 100})
	if err != nil || more {
		b.Fatal(more, err)
	}
	var got []string
	for _, o := range list {
		form := "01-02 15:04 "
		if o.AllDay {
			form, zone = "01-02 ", time.UTC
		}
		got = append(got, o.Start.In(zone).Format(form)+o.Title)
		zone = at(b, from, berlin).Location()
	}
	if !slices.Equal(got, want) {
		b.Errorf("from %s until %s:\n got %q\nwant %q", from, until, got, want)
	}
	return list
}

func TestBetween(t *testing.T) {
	b := newBook(t)
	weekly := b.add("weekly", "2026-03-02 09:00", "RRULE:FREQ=WEEKLY")
	b.add("once", "2026-03-09 09:30")
	b.add("long", "2026-03-01 23:30")
	holiday, err := b.Create(t.Context(), b.user, chat.CalendarEvent{Title: "holiday", AllDay: true, Start: at(t, "2026-03-10", "UTC"), End: at(t, "2026-03-11", "UTC")})
	if err != nil {
		t.Fatal(err)
	}
	list := b.shows("2026-03-09", "2026-03-10", "03-09 09:00 weekly", "03-09 09:30 once")
	if !list[0].Recurring || list[0].SeriesID != weekly.ID || list[0].ID != weekly.ID || !list[0].Occurrence.Equal(list[0].Start) || list[1].Recurring {
		t.Errorf("%+v", list)
	}
	b.shows("2026-03-02", "2026-03-03", "03-01 23:30 long", "03-02 09:00 weekly")
	b.shows("2026-03-10", "2026-03-11", "03-10 holiday")
	b.shows("2026-03-11", "2026-03-12")
	// The clocks change on the 29th: 9:00 stays 9:00.
	b.shows("2026-03-30", "2026-03-31", "03-30 09:00 weekly")

	// A whole day begins at midnight in any zone.
	for zone, want := range map[string]int{"America/Los_Angeles": 1, "Pacific/Kiritimati": 1, "UTC": 1} {
		from := at(t, "2026-03-10", zone)
		list, _, err := b.Between(t.Context(), b.user, Window{From: from, Until: from.AddDate(0, 0, 1), Zone: from.Location(), Limit: 10})
		if err != nil || len(list) != want || list[0].ID != holiday.ID {
			t.Errorf("%s: %+v, %v", zone, list, err)
		}
	}
	if list, _, err := b.Between(t.Context(), b.other, Window{From: at(t, "2026-03-01", "UTC"), Until: at(t, "2026-04-01", "UTC"), Limit: 10}); err != nil || len(list) != 0 {
		t.Errorf("another person sees %+v, %v", list, err)
	}
}

func TestAnEndlessRuleIsBounded(t *testing.T) {
	b := newBook(t)
	for _, text := range []string{"FREQ=SECONDLY", "FREQ=SECONDLY;INTERVAL=7;BYSECOND=0,30", "FREQ=MINUTELY;BYMONTH=3", "FREQ=YEARLY;BYMONTH=1,2,3;BYHOUR=1,2,3,4,5,6;BYDAY=MO,TU,WE"} {
		e := chat.CalendarEvent{Title: "tick", Start: at(t, "1970-01-01 00:00", "UTC"), End: at(t, "1970-01-01 00:01", "UTC"), Zone: "UTC", Recurrence: []string{"RRULE:" + text}}
		if _, err := b.Create(t.Context(), b.user, e); err != nil {
			t.Fatal(text, err)
		}
	}
	began := time.Now()
	list, more, err := b.Between(t.Context(), b.user, Window{From: at(t, "2026-03-02", "UTC"), Until: at(t, "2027-03-02", "UTC"), Limit: 500})
	if err != nil || len(list) != 500 || !more {
		t.Errorf("%d occurrences, more %v, %v", len(list), more, err)
	}
	if spent := time.Since(began); spent > 2*time.Second {
		t.Errorf("it took %s", spent)
	}
}

func TestChangingOneOccurrence(t *testing.T) {
	b := newBook(t)
	e := b.add("weekly", "2026-03-02 09:00", "RRULE:FREQ=WEEKLY")
	second := at(t, "2026-03-09 09:00", berlin)
	later := func(e *chat.CalendarEvent) error {
		e.Title, e.Start, e.End = "later", e.Start.Add(5*time.Hour), e.End.Add(5*time.Hour)
		return nil
	}
	changed, err := b.Change(t.Context(), b.user, e.ID, second, later)
	if err != nil || changed.ID == e.ID || changed.Revision != 1 || len(changed.Recurrence) != 0 {
		t.Fatalf("%+v, %v", changed, err)
	}
	list := b.shows("2026-03-02", "2026-03-17", "03-02 09:00 weekly", "03-09 14:00 later", "03-16 09:00 weekly")
	if o := list[1]; !o.Recurring || o.SeriesID != e.ID || !o.Occurrence.Equal(second) {
		t.Errorf("the changed one: %+v", o)
	}
	// The same occurrence again changes the one that is there.
	if again, err := b.Change(t.Context(), b.user, e.ID, second, later); err != nil || again.ID != changed.ID || again.Revision != 2 {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := b.Change(t.Context(), b.user, e.ID, second.Add(time.Minute), later); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a time at which it does not take place: %v", err)
	}
	if _, err := b.Change(t.Context(), b.other, e.ID, second, later); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("another person: %v", err)
	}
	if _, err := b.Change(t.Context(), b.user, e.ID, second, func(e *chat.CalendarEvent) error { e.Recurrence = []string{"RRULE:FREQ=DAILY"}; return nil }); err == nil {
		t.Error("an occurrence recurs by itself")
	}
	// Moving the series moves what was changed and deleted in it.
	if err := b.Delete(t.Context(), b.user, e.ID, at(t, "2026-03-16 09:00", berlin)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Change(t.Context(), b.user, e.ID, time.Time{}, func(e *chat.CalendarEvent) error {
		e.Start, e.End = at(t, "2026-03-03 11:00", berlin), at(t, "2026-03-03 12:00", berlin)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.shows("2026-03-02", "2026-04-02", "03-03 11:00 weekly", "03-09 19:00 later", "03-24 11:00 weekly", "03-31 11:00 weekly")
	// A series that recurs no more has nothing changed in it.
	if _, err := b.Change(t.Context(), b.user, e.ID, time.Time{}, func(e *chat.CalendarEvent) error { e.Recurrence = nil; return nil }); err != nil {
		t.Fatal(err)
	}
	b.shows("2026-03-02", "2026-04-02", "03-03 11:00 weekly")
}

func TestDelete(t *testing.T) {
	b := newBook(t)
	e := b.add("weekly", "2026-03-02 09:00", "RRULE:FREQ=WEEKLY;COUNT=4")
	changed, err := b.Change(t.Context(), b.user, e.ID, at(t, "2026-03-09 09:00", berlin), func(e *chat.CalendarEvent) error { e.Title = "other"; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(t.Context(), b.other, e.ID, time.Time{}); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("another person: %v", err)
	}
	if err := b.Delete(t.Context(), b.user, changed.ID, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(t.Context(), b.user, e.ID, at(t, "2026-03-02 09:00", berlin)); err != nil {
		t.Fatal(err)
	}
	b.shows("2026-03-01", "2026-04-01", "03-16 09:00 weekly", "03-23 09:00 weekly")
	if err := b.Delete(t.Context(), b.user, e.ID, at(t, "2026-03-02 09:00", berlin)); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("the same again: %v", err)
	}
	once := b.add("once", "2026-03-10 09:00")
	if err := b.Delete(t.Context(), b.user, once.ID, at(t, "2026-03-11 09:00", berlin)); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("once, at another time: %v", err)
	}
	for _, id := range []string{once.ID, e.ID} {
		if err := b.Delete(t.Context(), b.user, id, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := b.store.CalendarEvents(t.Context(), b.user, chat.EventQuery{Limit: 10}); err != nil || len(list) != 0 {
		t.Errorf("left behind: %+v, %v", list, err)
	}
}

func TestEventsThatCannotBe(t *testing.T) {
	b := newBook(t)
	start := at(t, "2026-03-02 09:00", "UTC")
	for want, e := range map[string]chat.CalendarEvent{
		"end after it begins":            {Title: "x", Start: start, End: start, Zone: berlin},
		"must end after":                 {Title: "x", Start: start, End: start.Add(-time.Hour), Zone: berlin},
		"Mars":                           {Title: "x", Start: start, End: start.Add(time.Hour), Zone: "Mars/Olympus"},
		"\"\" is not an IANA":            {Title: "x", Start: start, End: start.Add(time.Hour)},
		"midnights in UTC":               {Title: "x", Start: start, End: start.Add(time.Hour), AllDay: true},
		"the years 1 and 9998":           {Title: "x", Start: start, End: start.AddDate(9000, 0, 0), Zone: berlin},
		"500 (event_title_characters)":   {Title: strings.Repeat("x", 10<<20), Start: start, End: start.Add(time.Hour), Zone: berlin},
		"(event_description_characters)": {Description: strings.Repeat("x", 60_000), Start: start, End: start.Add(time.Hour), Zone: berlin},
		"500 (event_attendees)":          {Start: start, End: start.Add(time.Hour), Zone: berlin, Attendees: make([]chat.Attendee, 501)},
		"name or an e-mail":              {Start: start, End: start.Add(time.Hour), Zone: berlin, Attendees: make([]chat.Attendee, 1)},
	} {
		_, err := b.Create(t.Context(), b.user, e)
		if failed, ok := errors.AsType[*chat.Error](err); !ok || failed.Code != chat.CodeInvalid || !strings.Contains(failed.Detail, want) || len(failed.Detail) > 300 {
			t.Errorf("%s: %.300v", want, err)
		}
	}
	e, err := b.Create(t.Context(), b.user, chat.CalendarEvent{Title: " two\nlines\x00 \xff", Description: "a\r\nb\x07", Start: start, End: start.Add(time.Hour), Zone: "W. Europe Standard Time"})
	if err != nil || e.Title != "two lines" || e.Description != "a\nb" || e.Zone != berlin {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestImport(t *testing.T) {
	b := newBook(t)
	data, err := os.ReadFile("testdata/mixed.ics")
	if err != nil {
		t.Fatal(err)
	}
	zone := at(t, "2026-03-01", berlin).Location()
	done, err := b.Import(t.Context(), b.user, data, zone)
	if err != nil {
		t.Fatal(err)
	}
	if done.Created != 4 || done.Updated != 0 || len(done.Failed) != 2 || done.Failed[0].Line != 50 || !strings.Contains(done.Failed[0].Reason, "Atlantis") || !strings.Contains(done.Failed[1].Reason, "never") {
		t.Errorf("%+v", done)
	}
	shown := []string{"03-02 09:00 Stand-up", "03-09 14:00 Stand-up, later", "03-11 09:00 Stand-up", "03-12 Holiday", "03-16 09:00 Stand-up"}
	list := b.shows("2026-03-01", "2026-03-17", shown...)
	if a := list[0].Attendees; len(a) != 2 || a[0].Email != "ana@example.org" || a[1].Name != "Doe, John" || a[1].Email != "" {
		t.Errorf("attendees %+v", a)
	}
	b.shows("2026-07-01", "2026-07-02", "07-01 09:00 Stand-up", "07-01 11:00 Dentist")

	// The same file doubles nothing, in whole or in part.
	again, err := b.Import(t.Context(), b.user, data, zone)
	if err != nil || again.Created != 0 || again.Updated != 0 || len(again.Failed) != 2 {
		t.Errorf("again: %+v, %v", again, err)
	}
	// A newer version updates; what was changed here since stays.
	moved := bytes.ReplaceAll(data, []byte("20260312"), []byte("20260311"))
	if done, err := b.Import(t.Context(), b.user, moved, zone); err != nil || done.Updated != 1 || done.Created != 0 {
		t.Errorf("a newer version: %+v, %v", done, err)
	}
	old := bytes.ReplaceAll(data, []byte("SUMMARY:Holiday"), []byte("SUMMARY:Vacation\nLAST-MODIFIED:20200101T000000Z"))
	if done, err := b.Import(t.Context(), b.user, old, zone); err != nil || done.Updated != 0 {
		t.Errorf("an older version: %+v, %v", done, err)
	}
	// What is cancelled goes: one occurrence, and a whole event.
	cancelled := bytes.ReplaceAll(data, []byte("SUMMARY:Stand-up\\, later"), []byte("STATUS:CANCELLED"))
	cancelled = bytes.ReplaceAll(cancelled, []byte("SUMMARY:Dentist"), []byte("STATUS:CANCELLED"))
	if _, err := b.Import(t.Context(), b.user, cancelled, zone); err != nil {
		t.Fatal(err)
	}
	b.shows("2026-03-07", "2026-03-11")
	b.shows("2026-07-01", "2026-07-02", "07-01 09:00 Stand-up")
}

func TestExportImportsBackAsItWas(t *testing.T) {
	b := newBook(t)
	data, err := os.ReadFile("testdata/mixed.ics")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Import(t.Context(), b.user, data, time.UTC); err != nil {
		t.Fatal(err)
	}
	start := at(t, "2026-10-20 02:30", "America/New_York")
	for _, e := range []chat.CalendarEvent{
		{Title: `Comma, semicolon; back\slash "quoted": 日本語 🎉` + strings.Repeat(" long", 60), Description: "a\n\n\tb\\n", Start: start, End: start.Add(90 * time.Minute), Zone: "America/New_York",
			Recurrence: []string{"RRULE:FREQ=DAILY;UNTIL=20261231", "RDATE:20270101T120000Z", "EXDATE;TZID=America/New_York:20261021T023000"}, ConversationID: "c1",
			Attendees: []chat.Attendee{{Name: `Dr. "J"; Doe, Jr.`, Email: "j+1%2@example.org", PersonID: "p1"}, {Name: "No Mail"}}},
		{Title: "", Start: at(t, "1850-01-01", "UTC"), End: at(t, "1850-01-02", "UTC"), AllDay: true, Recurrence: []string{"RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:18520101,18510101"}},
		{Title: "in Kolkata", Start: start, End: start.Add(time.Second), Zone: "Asia/Kolkata"},
	} {
		if _, err := b.Create(t.Context(), b.user, e); err != nil {
			t.Fatal(err)
		}
	}
	file, err := b.Export(t.Context(), b.user)
	if err != nil {
		t.Fatal(err)
	}
	done, err := b.Import(t.Context(), b.other, file, time.UTC)
	if err != nil || len(done.Failed) != 0 {
		t.Fatalf("%+v, %v\n%s", done, err, file)
	}
	if want, got := b.whole(b.user), b.whole(b.other); want != got {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if again, err := b.Export(t.Context(), b.other); err != nil || !bytes.Equal(again, file) {
		t.Errorf("exported again it is another file (%v)", err)
	}
	if done, err := b.Import(t.Context(), b.user, file, time.UTC); err != nil || done.Created+done.Updated != 0 {
		t.Errorf("back into the same calendar: %+v, %v", done, err)
	}
}

// whole is all that is stored, without ids, as JSON.
func (b *book) whole(user string) string {
	b.Helper()
	list, err := b.store.CalendarEvents(b.Context(), user, chat.EventQuery{Limit: 100})
	if err != nil {
		b.Fatal(err)
	}
	for i := range list {
		list[i].ID, list[i].Revision = "", 0
	}
	slices.SortFunc(list, func(a, b chat.CalendarEvent) int { return strings.Compare(a.UID+a.Title, b.UID+b.Title) })
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

func TestAttendees(t *testing.T) {
	b := newBook(t)
	var people []chat.Person
	for _, p := range []chat.Person{
		{Name: "Ana Souza", Aliases: []string{"Ana", "Mom"}, Email: "ana@example.org"},
		{Name: "Ben", Email: "Ben@example.org"}, {Name: "Max A", Aliases: []string{"Max"}}, {Name: "Max B", Aliases: []string{"max"}}, {Name: "Jörg Strauß"},
	} {
		p.ID = ident.New()
		people = append(people, p)
	}
	if err := b.store.SavePeople(t.Context(), b.user, chat.Changes[chat.Person]{Put: people}); err != nil {
		t.Fatal(err)
	}
	found, unresolved, err := b.Attendees(t.Context(), b.user, []string{" mom ", "BEN", "Max", "jörg strauss", "ben@EXAMPLE.org", "Zoe <zoe@example.org>", "x@example.org", "", "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	want := []chat.Attendee{
		{Name: "Ana Souza", Email: "ana@example.org", PersonID: people[0].ID}, {Name: "Ben", Email: "Ben@example.org", PersonID: people[1].ID},
		{Name: "Jörg Strauß", PersonID: people[4].ID}, {Name: "Ben", Email: "ben@EXAMPLE.org", PersonID: people[1].ID},
		{Name: "Zoe", Email: "zoe@example.org"}, {Name: "x@example.org", Email: "x@example.org"},
	}
	if !slices.Equal(found, want) {
		t.Errorf("\n got %+v\nwant %+v", found, want)
	}
	if !slices.Equal(unresolved, []string{"Max", "nobody"}) {
		t.Errorf("unresolved %q", unresolved)
	}
}
