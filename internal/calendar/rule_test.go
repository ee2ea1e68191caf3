package calendar

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
)

// at reads "2026-03-01 09:00" in a zone.
func at(t testing.TB, text, zone string) time.Time {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	form := "2006-01-02 15:04"
	if len(text) == len("2006-01-02") {
		form = "2006-01-02"
	}
	parsed, err := time.ParseInLocation(form, text, location)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// take returns the first occurrences from a time on.
func take(t testing.TB, e chat.CalendarEvent, from time.Time, n int) []string {
	t.Helper()
	r, err := newRule(e)
	if err != nil {
		t.Fatalf("%v: %v", e.Recurrence, err)
	}
	var list []string
	for at := range r.from(from) {
		if len(list) == n {
			break
		}
		list = append(list, at.Format("2006-01-02 15:04"))
	}
	return list
}

func TestOccurrences(t *testing.T) {
	const newYork = "America/New_York"
	for name, test := range map[string]struct {
		start, zone string
		recurrence  []string
		want        string
	}{
		"nothing": {"2026-03-01 09:00", newYork, nil, "2026-03-01 09:00"},
		// The examples of RFC 5545 section 3.8.5.3.
		"daily for 3":              {"1997-09-02 09:00", newYork, []string{"RRULE:FREQ=DAILY;COUNT=3"}, "1997-09-02 09:00, 1997-09-03 09:00, 1997-09-04 09:00"},
		"every 10 days":            {"1997-09-02 09:00", newYork, []string{"RRULE:FREQ=DAILY;INTERVAL=10;COUNT=3"}, "1997-09-02 09:00, 1997-09-12 09:00, 1997-09-22 09:00"},
		"every other week":         {"1997-09-02 09:00", newYork, []string{"RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;WKST=SU;BYDAY=TU,TH"}, "1997-09-02 09:00, 1997-09-04 09:00, 1997-09-16 09:00, 1997-09-18 09:00"},
		"first Friday":             {"1997-09-05 09:00", newYork, []string{"RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=1FR"}, "1997-09-05 09:00, 1997-10-03 09:00, 1997-11-07 09:00"},
		"second to last Monday":    {"1997-09-22 09:00", newYork, []string{"RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=-2MO"}, "1997-09-22 09:00, 1997-10-20 09:00, 1997-11-17 09:00"},
		"Friday the 13th":          {"1997-09-02 09:00", newYork, []string{"EXDATE;TZID=America/New_York:19970902T090000", "RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13"}, "1998-02-13 09:00, 1998-03-13 09:00, 1998-11-13 09:00, 1999-08-13 09:00, 2000-10-13 09:00"},
		"last work day of a month": {"1997-09-30 09:00", newYork, []string{"RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"}, "1997-09-30 09:00, 1997-10-31 09:00, 1997-11-28 09:00"},
		"election day":             {"1996-11-05 09:00", newYork, []string{"RRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3"}, "1996-11-05 09:00, 2000-11-07 09:00, 2004-11-02 09:00"},
		"until, in UTC":            {"1997-12-22 09:00", newYork, []string{"RRULE:FREQ=DAILY;UNTIL=19971224T000000Z"}, "1997-12-22 09:00, 1997-12-23 09:00"},
		"until, a date, counts":    {"1997-12-22 09:00", newYork, []string{"RRULE:FREQ=DAILY;UNTIL=19971224"}, "1997-12-22 09:00, 1997-12-23 09:00, 1997-12-24 09:00"},
		"the clock changes":        {"2026-10-24 09:00", "Europe/Berlin", []string{"RRULE:FREQ=DAILY;COUNT=3"}, "2026-10-24 09:00, 2026-10-25 09:00, 2026-10-26 09:00"},
		"the 31st":                 {"2026-01-31 09:00", newYork, []string{"RRULE:FREQ=MONTHLY;COUNT=3"}, "2026-01-31 09:00, 2026-03-31 09:00, 2026-05-31 09:00"},
		"more and fewer":           {"2026-03-01 09:00", newYork, []string{"RRULE:FREQ=WEEKLY;COUNT=3", "RDATE;TZID=America/New_York:20260303T120000,20260308T090000", "EXDATE:20260315T130000Z"}, "2026-03-01 09:00, 2026-03-03 12:00, 2026-03-08 09:00"},
		"a start outside its rule": {"2026-03-03 09:00", newYork, []string{"RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3"}, "2026-03-03 09:00, 2026-03-09 09:00, 2026-03-16 09:00"},
		"lower case, with spaces":  {"2026-03-03 09:00", newYork, []string{" rrule:freq=daily; count=2 "}, "2026-03-03 09:00, 2026-03-04 09:00"},
	} {
		e := chat.CalendarEvent{Start: at(t, test.start, test.zone), Zone: test.zone, Recurrence: test.recurrence}
		if got := strings.Join(take(t, e, e.Start, 5), ", "); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
	wholeDays := chat.CalendarEvent{Start: at(t, "2026-03-28", "UTC"), AllDay: true, Zone: "Europe/Berlin", Recurrence: []string{"RRULE:FREQ=DAILY;UNTIL=20260330", "EXDATE;VALUE=DATE:20260329"}}
	if got := take(t, wholeDays, wholeDays.Start, 5); !slices.Equal(got, []string{"2026-03-28 00:00", "2026-03-30 00:00"}) {
		t.Errorf("whole days: %v", got)
	}
}

// TestForward compares asking from a time on with counting from the start.
func TestForward(t *testing.T) {
	for _, text := range []string{
		"FREQ=DAILY", "FREQ=DAILY;INTERVAL=13", "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,SU", "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,TU",
		"FREQ=MONTHLY", "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR", "FREQ=MONTHLY;BYMONTHDAY=-1;BYSETPOS=1", "FREQ=YEARLY", "FREQ=YEARLY;INTERVAL=3",
		"FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", "FREQ=YEARLY;BYDAY=20MO", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
		"FREQ=HOURLY;INTERVAL=5", "FREQ=HOURLY;INTERVAL=36;BYDAY=MO", "FREQ=MINUTELY;INTERVAL=7;BYHOUR=3", "FREQ=MINUTELY;INTERVAL=100",
		"FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=30", "FREQ=DAILY;UNTIL=20220301T000000Z",
	} {
		for _, start := range []string{"2020-01-31 02:30", "2020-02-29 23:10", "2019-12-30 09:00"} {
			e := chat.CalendarEvent{Start: at(t, start, "Europe/Berlin"), Zone: "Europe/Berlin", Recurrence: []string{"RRULE:" + text}}
			all := take(t, e, e.Start, 12_000)
			if len(all) < 2 {
				t.Fatalf("%s from %s: %d occurrences", text, start, len(all))
			}
			for _, from := range []string{"2020-02-29 00:00", "2021-03-28 01:30", "2021-10-31 03:00", "2022-02-28 12:00"} {
				i, _ := slices.BinarySearch(all, from)
				want := all[i:min(i+4, len(all))]
				if len(want) < 4 && !strings.Contains(text, "UNTIL") {
					continue // the count of this test ends before
				}
				if got := take(t, e, at(t, from, "Europe/Berlin"), 4); !slices.Equal(got, want) {
					t.Errorf("%s from %s, asked from %s:\n got %v\nwant %v", text, start, from, got, want)
				}
			}
		}
	}
}

func TestRulesThatCannotBeFollowed(t *testing.T) {
	for line, want := range map[string]string{
		"RRULE:FREQ=SOMETIMES":        "cannot be read",
		"RRULE:":                      "cannot be read",
		"RRULE:COUNT=3":               "FREQ",
		"RRULE:FREQ=DAILY;BYMONTH=13": "bymonth",
		"RRULE:FREQ=DAILY;INTERVAL=9223372036854775807":                          "event_interval",
		"RRULE:FREQ=DAILY;INTERVAL=-1":                                           "interval",
		"RRULE:FREQ=DAILY;COUNT=1000000":                                         "event_count",
		"RRULE:FREQ=MONTHLY;BYDAY=53MO":                                          "no month has so many",
		"RRULE:FREQ=YEARLY;BYEASTER=1000":                                        "BYEASTER",
		"RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30":                               "never",
		"RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31":                              "never",
		"RRULE:FREQ=SECONDLY;INTERVAL=60;BYSECOND=30":                            "never",
		"RRULE:FREQ=MINUTELY;INTERVAL=60;BYMINUTE=59":                            "never",
		"RRULE:FREQ=HOURLY;INTERVAL=24;BYHOUR=3":                                 "never",
		"RRULE:FREQ=DAILY;BYHOUR=" + numbers(24) + ";BYMINUTE=" + numbers(60):    "event_times_a_day",
		"RRULE:FREQ=DAILY;BYHOUR=" + strings.Repeat("1,", 1000) + "1":            "event_rule_characters",
		"RRULE:FREQ=DAILY\nRRULE:FREQ=DAILY":                                     "more than one",
		"EXRULE:FREQ=DAILY":                                                      "EXRULE",
		"every Tuesday":                                                          "RRULE:…",
		"RDATE:soon":                                                             "20260301T090000",
		"RDATE;VALUE=DATE:20260301":                                              "whole days",
		"RDATE;TZID=Mars:20260301T090000":                                        "Mars",
		"EXDATE:" + strings.Repeat("20260301T090000,", 3000) + "20260301T090000": "event_dates",
	} {
		start := time.Now()
		_, err := check(chat.CalendarEvent{Start: at(t, "2026-03-01 09:00", "UTC"), End: at(t, "2026-03-01 10:00", "UTC"), Zone: "UTC", Recurrence: strings.Split(line, "\n")})
		if err == nil || !strings.Contains(chat.AsError(err).Detail, want) {
			t.Errorf("%.80s: %v, want %q", line, err, want)
		}
		if spent := time.Since(start); spent > 2*time.Second {
			t.Errorf("%.80s took %s", line, spent)
		}
	}
}

// numbers lists those below n.
func numbers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return strings.Join(list, ",")
}

func TestLast(t *testing.T) {
	for line, want := range map[string]string{
		"":                         "2026-03-01 10:00",
		"RRULE:FREQ=DAILY":         "",
		"RRULE:FREQ=DAILY;COUNT=3": "2026-03-03 10:00",
		"RRULE:FREQ=DAILY;UNTIL=20260304T090000Z":    "2026-03-04 10:00",
		"RDATE:20270101T090000Z":                     "2027-01-01 10:00",
		"RRULE:FREQ=SECONDLY;UNTIL=29990101T000000Z": "2999-01-01 01:00",
	} {
		e := chat.CalendarEvent{Title: "x", Start: at(t, "2026-03-01 09:00", "UTC"), End: at(t, "2026-03-01 10:00", "UTC"), Zone: "UTC"}
		if line != "" {
			e.Recurrence = []string{line}
		}
		e, err := check(e)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if !e.Last.IsZero() {
			got = e.Last.Format("2006-01-02 15:04")
		}
		if got != want {
			t.Errorf("%s: last %q, want %q", line, got, want)
		}
	}
}

func FuzzRule(f *testing.F) {
	for _, text := range []string{
		"RRULE:FREQ=DAILY", "RRULE:FREQ=MONTHLY;BYDAY=-5MO,5FR;BYSETPOS=-1", "RRULE:FREQ=YEARLY;BYWEEKNO=53,-53;BYDAY=SU", "RRULE:FREQ=YEARLY;BYDAY=53MO,-53SU",
		"RRULE:FREQ=SECONDLY;INTERVAL=7;BYSECOND=30;BYHOUR=3", "RRULE:FREQ=YEARLY;BYYEARDAY=366,-366;COUNT=5", "RDATE:20260301T090000Z", "EXDATE;VALUE=DATE:20260301",
		"RRULE:FREQ=WEEKLY;WKST=SU;UNTIL=20270101", "RRULE:FREQ=MONTHLY;BYMONTHDAY=-31,31;INTERVAL=1000",
	} {
		f.Add(text, int64(1772355600), "Europe/Berlin")
	}
	f.Add("RRULE:FREQ=HOURLY", int64(-62135596800), "America/New_York")
	f.Fuzz(func(t *testing.T, text string, start int64, zone string) {
		e := chat.CalendarEvent{Title: "x", Start: time.Unix(start, 0), End: time.Unix(start, 0).Add(time.Hour), Zone: zone, Recurrence: []string{text}}
		began := time.Now()
		e, err := check(e)
		if err != nil {
			return
		}
		w := Window{From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC, Limit: 20}
		if n := len(w.expand(e, nil)); n > 21 {
			t.Errorf("%d occurrences", n)
		}
		if again, err := check(e); err != nil || !slices.Equal(again.Recurrence, e.Recurrence) {
			t.Errorf("%q became %q, and that %q (%v)", text, e.Recurrence, again.Recurrence, err)
		}
		if spent := time.Since(began); spent > 5*time.Second {
			t.Errorf("%q from %d took %s", text, start, spent)
		}
	})
}
