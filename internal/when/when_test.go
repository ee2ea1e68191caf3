package when_test

import (
	"testing"
	"time"

	"confidant/internal/when"
)

var (
	berlin = zone("Europe/Berlin")
	// now is a Wednesday afternoon.
	now = time.Date(2026, 11, 18, 15, 30, 0, 0, berlin)
)

func zone(name string) *time.Location {
	l, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return l
}

func at(year int, month time.Month, day, hour int) time.Time {
	return time.Date(year, month, day, hour, 0, 0, 0, berlin)
}

// whole is from the first day to the end of the last.
func whole(from, last time.Time) [2]time.Time {
	return [2]time.Time{from, time.Date(last.Year(), last.Month(), last.Day()+1, 0, 0, 0, 0, last.Location())}
}

func oneDay(year int, month time.Month, day int) [2]time.Time {
	return whole(at(year, month, day, 0), at(year, month, day, 0))
}

func oneMonth(year int, month time.Month) [2]time.Time {
	return [2]time.Time{at(year, month, 1, 0), at(year, month+1, 1, 0)}
}

func TestFind(t *testing.T) {
	open := time.Time{}
	for text, want := range map[string][2]time.Time{
		"yesterday":                             oneDay(2026, 11, 17),
		"what did Ana say today?":               oneDay(2026, 11, 18),
		"tomorrow":                              oneDay(2026, 11, 19),
		"the day before yesterday":              oneDay(2026, 11, 16),
		"this morning":                          {at(2026, 11, 18, 0), at(2026, 11, 18, 12)},
		"yesterday evening":                     {at(2026, 11, 17, 17), at(2026, 11, 18, 0)},
		"last night":                            {at(2026, 11, 17, 18), at(2026, 11, 18, 6)},
		"tonight":                               {at(2026, 11, 18, 17), at(2026, 11, 19, 6)},
		"last week":                             {at(2026, 11, 9, 0), at(2026, 11, 16, 0)},
		"this week":                             {at(2026, 11, 16, 0), at(2026, 11, 23, 0)},
		"next week":                             {at(2026, 11, 23, 0), at(2026, 11, 30, 0)},
		"the week before last":                  {at(2026, 11, 2, 0), at(2026, 11, 9, 0)},
		"last month":                            oneMonth(2026, 10),
		"this year":                             whole(at(2026, 1, 1, 0), at(2026, 12, 31, 0)),
		"last year":                             whole(at(2025, 1, 1, 0), at(2025, 12, 31, 0)),
		"last quarter":                          whole(at(2026, 7, 1, 0), at(2026, 9, 30, 0)),
		"last weekend":                          whole(at(2026, 11, 14, 0), at(2026, 11, 15, 0)),
		"over the weekend":                      whole(at(2026, 11, 14, 0), at(2026, 11, 15, 0)),
		"on Monday":                             oneDay(2026, 11, 16),
		"about John's budget last Tuesday":      oneDay(2026, 11, 17),
		"last Wednesday":                        oneDay(2026, 11, 11),
		"on Wednesday":                          oneDay(2026, 11, 18),
		"on Thursday":                           oneDay(2026, 11, 12),
		"next Friday":                           oneDay(2026, 11, 20),
		"Tuesday of last week":                  oneDay(2026, 11, 10),
		"on Tuesday morning":                    {at(2026, 11, 17, 0), at(2026, 11, 17, 12)},
		"Friday night":                          {at(2026, 11, 13, 18), at(2026, 11, 14, 6)},
		"3 days ago":                            oneDay(2026, 11, 15),
		"a week ago":                            {at(2026, 11, 9, 0), at(2026, 11, 16, 0)},
		"two weeks ago":                         {at(2026, 11, 2, 0), at(2026, 11, 9, 0)},
		"a couple of days ago":                  oneDay(2026, 11, 16),
		"a few days ago":                        whole(at(2026, 11, 12, 0), at(2026, 11, 16, 0)),
		"6 hours ago":                           {now.Add(-7 * time.Hour), now.Add(-5 * time.Hour)},
		"half an hour ago":                      {now.Add(-45 * time.Minute), now.Add(-15 * time.Minute)},
		"in the last hour":                      {now.Add(-time.Hour), now},
		"the last 30 days":                      whole(at(2026, 10, 19, 0), at(2026, 11, 18, 0)),
		"over the past three weeks":             whole(at(2026, 10, 28, 0), at(2026, 11, 18, 0)),
		"in March":                              oneMonth(2026, 3),
		"in december":                           oneMonth(2025, 12),
		"last November":                         oneMonth(2025, 11),
		"in March 2023":                         oneMonth(2023, 3),
		"in 2023":                               whole(at(2023, 1, 1, 0), at(2023, 12, 31, 0)),
		"on 7 May 2023":                         oneDay(2023, 5, 7),
		"on 3 June, 2023":                       oneDay(2023, 6, 3),
		"on May 7th, 2023":                      oneDay(2023, 5, 7),
		"the 7th of May":                        oneDay(2026, 5, 7),
		"on December 24":                        oneDay(2025, 12, 24),
		"on 2023-05-07?":                        oneDay(2023, 5, 7),
		"25 October, 1 month ago":               oneDay(2026, 10, 25),
		"last summer":                           whole(at(2026, 6, 1, 0), at(2026, 8, 31, 0)),
		"in the fall":                           whole(at(2026, 9, 1, 0), at(2026, 11, 30, 0)),
		"summer 2024":                           whole(at(2024, 6, 1, 0), at(2024, 8, 31, 0)),
		"last winter":                           whole(at(2025, 12, 1, 0), at(2026, 2, 28, 0)),
		"at Easter":                             whole(at(2026, 4, 3, 0), at(2026, 4, 6, 0)),
		"the week before Easter":                whole(at(2026, 3, 27, 0), at(2026, 4, 2, 0)),
		"the week before Easter 2024":           whole(at(2024, 3, 22, 0), at(2024, 3, 28, 0)),
		"two weeks before August 11, 2023":      whole(at(2023, 7, 25, 0), at(2023, 7, 31, 0)),
		"the week before August 3, 2023":        whole(at(2023, 7, 27, 0), at(2023, 8, 2, 0)),
		"the weekend before 20 October 2023":    whole(at(2023, 10, 14, 0), at(2023, 10, 15, 0)),
		"the Tuesday before 20 July 2023":       oneDay(2023, 7, 18),
		"the day after Christmas":               oneDay(2025, 12, 27),
		"around Christmas":                      whole(at(2025, 12, 21, 0), at(2025, 12, 29, 0)),
		"around Christmas last year":            whole(at(2025, 12, 21, 0), at(2025, 12, 29, 0)),
		"on new year's eve":                     oneDay(2025, 12, 31),
		"last Thanksgiving":                     oneDay(2025, 11, 27),
		"Memorial Day 2026":                     oneDay(2026, 5, 25),
		"since March":                           whole(at(2026, 3, 1, 0), at(2026, 11, 18, 0)),
		"since yesterday":                       whole(at(2026, 11, 17, 0), at(2026, 11, 18, 0)),
		"before Easter":                         {open, at(2026, 4, 3, 0)},
		"after 1 June 2026":                     {at(2026, 6, 2, 0), open},
		"until Friday":                          {open, at(2026, 11, 14, 0)},
		"between March and May 2026":            whole(at(2026, 3, 1, 0), at(2026, 5, 31, 0)),
		"from 3 May 2026 to 7 May 2026":         whole(at(2026, 5, 3, 0), at(2026, 5, 7, 0)),
		"gestern":                               oneDay(2026, 11, 17),
		"vorgestern Abend":                      {at(2026, 11, 16, 17), at(2026, 11, 17, 0)},
		"Was sagte Ana heute Morgen?":           {at(2026, 11, 18, 0), at(2026, 11, 18, 12)},
		"letzte Woche":                          {at(2026, 11, 9, 0), at(2026, 11, 16, 0)},
		"vorletzte Woche":                       {at(2026, 11, 2, 0), at(2026, 11, 9, 0)},
		"am Dienstag":                           oneDay(2026, 11, 17),
		"am Dienstagabend":                      {at(2026, 11, 17, 17), at(2026, 11, 18, 0)},
		"letzten Freitag":                       oneDay(2026, 11, 13),
		"am Wochenende":                         whole(at(2026, 11, 14, 0), at(2026, 11, 15, 0)),
		"vor drei Tagen":                        oneDay(2026, 11, 15),
		"vor einer Woche":                       {at(2026, 11, 9, 0), at(2026, 11, 16, 0)},
		"vor 2 Stunden":                         {now.Add(-3 * time.Hour), now.Add(-time.Hour)},
		"in den letzten 30 Tagen":               whole(at(2026, 10, 19, 0), at(2026, 11, 18, 0)),
		"im März":                               oneMonth(2026, 3),
		"am 7. Mai 2023":                        oneDay(2023, 5, 7),
		"am 7.5.2023":                           oneDay(2023, 5, 7),
		"am 7.5.":                               oneDay(2026, 5, 7),
		"letzten Sommer":                        whole(at(2026, 6, 1, 0), at(2026, 8, 31, 0)),
		"in der Woche vor Ostern":               whole(at(2026, 3, 27, 0), at(2026, 4, 2, 0)),
		"zwei Wochen nach Ostern":               whole(at(2026, 4, 14, 0), at(2026, 4, 20, 0)),
		"seit Ostern":                           whole(at(2026, 4, 3, 0), at(2026, 11, 18, 0)),
		"zwischen Ostern und Pfingsten":         whole(at(2026, 4, 3, 0), at(2026, 5, 25, 0)),
		"um Weihnachten herum":                  whole(at(2025, 12, 21, 0), at(2025, 12, 29, 0)),
		"What did the İstanbul team do in May?": oneMonth(2026, 5),
	} {
		got, ok := when.Find(text, now)
		if !ok || !got.From.Equal(want[0]) || !got.Until.Equal(want[1]) {
			t.Errorf("%q is %s to %s (%q), %t; want %s to %s", text, got.From, got.Until, got.Words, ok, want[0], want[1])
		}
	}
}

func TestWhatIsNoTime(t *testing.T) {
	for _, text := range []string{
		"", "what about the launch?", "May I ask who may come?", "march in the parade", "room 2023", "the 31 February meeting", "a second opinion",
		"How long ago was Caroline's birthday?", "before the meeting", "the fall of Rome", "version 1.2.", "the last day", "Sundays", "mondays are hard",
	} {
		if w, ok := when.Find(text, now); ok {
			t.Errorf("%q is %s to %s by %q, want no time", text, w.From, w.Until, w.Words)
		}
	}
}

func TestWordsAreThoseOfTheText(t *testing.T) {
	for text, want := range map[string]string{
		"What did Ana say Last Tuesday about money?":      "Last Tuesday",
		"Was war in der Woche vor Ostern mit Jürgen?":     "Woche vor Ostern",
		"Who came to the party on 7 May 2023?":            "7 May 2023",
		"Grüße, was sagte Jörg gestern Abend zum Budget?": "gestern Abend",
	} {
		if w, ok := when.Find(text, now); !ok || w.Words != want {
			t.Errorf("%q: %q, want %q", text, w.Words, want)
		}
	}
}

// Clocks change in the night to 29 March and to 25 October 2026 in Berlin; in
// Beirut the day itself begins at one o'clock.
func TestDaysOnWhichClocksChange(t *testing.T) {
	for _, test := range []struct {
		text  string
		now   time.Time
		hours float64
	}{
		{"yesterday", time.Date(2026, 3, 30, 0, 30, 0, 0, berlin), 23},
		{"yesterday", time.Date(2026, 10, 26, 12, 0, 0, 0, berlin), 25},
		{"last week", time.Date(2026, 11, 1, 12, 0, 0, 0, berlin), 7*24 + 1},
		{"last Sunday", time.Date(2026, 4, 1, 12, 0, 0, 0, berlin), 23},
		{"yesterday", time.Date(2026, 3, 30, 9, 0, 0, 0, zone("Asia/Beirut")), 23},
	} {
		w, ok := when.Find(test.text, test.now)
		if !ok || w.Until.Sub(w.From).Hours() != test.hours {
			t.Errorf("%q at %s is %s to %s; want %g hours", test.text, test.now, w.From, w.Until, test.hours)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range []string{"the week before Easter 2024", "am 31.4.", "between 7 May and İ yesterday", "vor 999 Jahren", "last \xff week", "nächste 0 tage"} {
		f.Add(text, int64(1_790_000_000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		w, ok := when.Find(text, time.Unix(unix%8_000_000_000, 0).In(berlin))
		switch {
		case !ok:
		case w.From.IsZero() && w.Until.IsZero():
			t.Errorf("%q names a window without ends", text)
		case !w.From.IsZero() && !w.Until.IsZero() && !w.From.Before(w.Until):
			t.Errorf("%q is %s to %s", text, w.From, w.Until)
		case w.Words == "":
			t.Errorf("%q has a window and no words", text)
		}
	})
}
