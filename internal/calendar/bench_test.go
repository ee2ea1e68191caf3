package calendar

import (
	"fmt"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite/sqlitetest"
)

// BenchmarkMonth asks for a month of a calendar with 200 series and 10,000 single
// events over twenty years.
func BenchmarkMonth(b *testing.B) {
	store := sqlitetest.Open(b)
	user := sqlitetest.User(b, store, "ana")
	start := at(b, "2010-01-01 09:00", berlin)
	var events []chat.CalendarEvent
	for i := range 10_200 {
		e := chat.CalendarEvent{ID: ident.New(), UID: fmt.Sprint(i), Title: fmt.Sprint("event ", i), Start: start.Add(time.Duration(i) * 17 * time.Hour), Zone: berlin}
		e.End = e.Start.Add(time.Hour)
		if i < 200 {
			e.Recurrence = []string{"RRULE:FREQ=WEEKLY"}
		}
		e, err := check(e)
		if err != nil {
			b.Fatal(err)
		}
		events = append(events, e)
	}
	if err := store.SaveCalendarEvents(b.Context(), user.ID, chat.Changes[chat.CalendarEvent]{Put: events}); err != nil {
		b.Fatal(err)
	}
	c := New(store, store)
	for b.Loop() {
		list, _, err := c.Between(b.Context(), user.ID, Window{From: at(b, "2026-03-01", berlin), Until: at(b, "2026-04-01", berlin), Limit: 2000})
		if err != nil || len(list) < 800 {
			b.Fatal(len(list), err)
		}
	}
}
