package ics

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// calendar wraps the lines of one event, and of zones before it.
func calendar(event string, before ...string) []byte {
	text := "BEGIN:VCALENDAR\nVERSION:2.0\n" + strings.Join(before, "") + "BEGIN:VEVENT\n" + strings.TrimSpace(event) + "\nEND:VEVENT\nEND:VCALENDAR\n"
	return []byte(strings.ReplaceAll(text, "\n", "\r\n"))
}

func readOne(t *testing.T, data []byte, local *time.Location) Event {
	t.Helper()
	f, err := Read(data, local)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Events) != 1 || len(f.Failed) != 0 {
		t.Fatalf("%d events, failed %v", len(f.Events), f.Failed)
	}
	return f.Events[0]
}

func TestParseLine(t *testing.T) {
	for text, want := range map[string]Line{
		"SUMMARY:a:b;c":                              {Name: "SUMMARY", Value: "a:b;c"},
		"dtstart;value=date:20260301":                {Name: "DTSTART", Params: []Param{{"VALUE", "date"}}, Value: "20260301"},
		`ATTENDEE;CN="Doe; Jane, Dr.":mailto:j@x.de`: {Name: "ATTENDEE", Params: []Param{{"CN", "Doe; Jane, Dr."}}, Value: "mailto:j@x.de"},
		"A;B=1,2;C=^'x^'^n^^:v":                      {Name: "A", Params: []Param{{"B", "1"}, {"B", "2"}, {"C", "\"x\"\n^"}}, Value: "v"},
		"X-A;B=:":                                    {Name: "X-A", Params: []Param{{"B", ""}}},
	} {
		got, err := ParseLine(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ":", "A", "A;", "A;B", "A;B=", "A;B=1", `A;B="1`, `A;B="1"`, `A;B="1"x:y`, "A B:c", "A;=1:x", ";B=1:x"} {
		if l, err := ParseLine(text); err == nil {
			t.Errorf("%q was read as %+v", text, l)
		}
	}
}

func TestLongLinesAreFolded(t *testing.T) {
	l := Line{Name: "SUMMARY", Value: strings.Repeat("für immer 日本語 ", 40)}
	var b bytes.Buffer
	if err := l.write(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(b.String(), "\r\n"), "\r\n") {
		if len(line) > 75 || !utf8.ValidString(line) {
			t.Errorf("a line has %d bytes: %q", len(line), line)
		}
	}
	for _, text := range unfold(b.String()) {
		if text != l.String() {
			t.Errorf("unfolded %q", text)
		}
	}
}

func TestRead(t *testing.T) {
	berlin := zoneOf(t, "Europe/Berlin")
	e := readOne(t, calendar(`
UID:1@example.org
DTSTART;TZID=Europe/Berlin:20260301T090000
DURATION:P1DT1H30M
SUMMARY:Stand-up\, daily\; with\nall
DESCRIPTION:long
  and folded
RRULE:FREQ=DAILY
EXDATE;TZID=America/New_York:20260302T030000
EXDATE;VALUE=DATE:20260303
ORGANIZER;CN=Ana:mailto:ana@example.org
ATTENDEE;CN=Ben:MAILTO:ben%2B1@example.org
BEGIN:VALARM
DESCRIPTION:not this
TRIGGER:-PT5M
END:VALARM
X-UNKNOWN;A=b:c`), time.UTC)
	want := chat.CalendarEvent{
		UID: "1@example.org", Title: "Stand-up, daily; with\nall", Description: "long and folded", Zone: "Europe/Berlin",
		Start: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), End: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC),
		Recurrence: []string{"RRULE:FREQ=DAILY", "EXDATE;TZID=Europe/Berlin:20260302T090000", "EXDATE;TZID=Europe/Berlin:20260303T090000"},
		Attendees:  []chat.Attendee{{Name: "Ana", Email: "ana@example.org"}, {Name: "Ben", Email: "ben+1@example.org"}},
	}
	if !reflect.DeepEqual(e.CalendarEvent, want) {
		t.Errorf("\n got %+v\nwant %+v", e.CalendarEvent, want)
	}

	floating := calendar("UID:2\nDTSTART:20260301T090000\nSUMMARY:here")
	if e := readOne(t, floating, berlin); e.Zone != "Europe/Berlin" || e.Start.Hour() != 8 || !e.End.Equal(e.Start) {
		t.Errorf("a time without a zone: %+v", e)
	}
	if e := readOne(t, bytes.Replace(floating, []byte("VERSION:2.0"), []byte("X-WR-TIMEZONE:Asia/Tokyo"), 1), berlin); e.Zone != "Asia/Tokyo" {
		t.Errorf("in a calendar of Tokyo: %+v", e)
	}
	if e := readOne(t, calendar("DTSTART;VALUE=DATE:20260301\nDTEND;VALUE=DATE:20260301"), berlin); !e.AllDay || e.End.Sub(e.Start) != 24*time.Hour || e.UID == "" {
		t.Errorf("a whole day: %+v", e)
	}
	if a, b := readOne(t, floating, berlin), readOne(t, calendar("DTSTART:20260301T090000\nDTSTAMP:20260101T000000Z"), berlin); a.UID == b.UID || b.UID != readOne(t, calendar("DTSTART:20260301T090000\nDTSTAMP:20270101T000000Z"), berlin).UID {
		t.Error("an event without UID must have the same one again")
	}
}

func TestZones(t *testing.T) {
	for name, want := range map[string]string{
		"W. Europe Standard Time":                                         "Europe/Berlin",
		"Pacific Standard Time":                                           "America/Los_Angeles",
		"/mozilla.org/20050126_1/Europe/Rome":                             "Europe/Rome",
		"/freeassociation.sourceforge.net/America/Argentina/Buenos_Aires": "America/Argentina/Buenos_Aires",
		"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna":    "Europe/Berlin",
		"UTC":          "UTC",
		"GMT+0200":     "Etc/GMT-2",
		"UTC-03:00":    "Etc/GMT+3",
		"(UTC)":        "",
		"Local":        "",
		"../etc":       "",
		"Mars/Olympus": "",
	} {
		zone, ok := Zone(name)
		if ok != (want != "") || ok && zone.String() != want {
			t.Errorf("%s: %v, %v; want %s", name, zone, ok, want)
		}
	}
	for windows, iana := range windowsZones {
		if zone, ok := Zone(windows); !ok || zone.String() != iana && zone.String() != windows {
			t.Errorf("%s: %v, %v", windows, zone, ok)
		}
	}
}

const outlook = `BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
`

func TestZonesThatOnlyTheFileKnows(t *testing.T) {
	rome := zoneOf(t, "Europe/Rome")
	event := "UID:1\nDTSTART;TZID=Customized Time Zone:20260701T090000\nSUMMARY:Call"
	if e := readOne(t, calendar(event, outlook), rome); e.Zone != "Europe/Rome" || e.Start.Hour() != 7 {
		t.Errorf("the person's own zone fits: %+v", e)
	}
	if e := readOne(t, calendar(event, outlook), time.UTC); e.Start.Hour() != 7 {
		t.Errorf("a zone like it: %+v", e)
	}
	fixed := "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0530\nTZOFFSETTO:+0530\nEND:STANDARD\nEND:VTIMEZONE\n"
	if e := readOne(t, calendar(event, fixed), rome); e.Start.Format("15:04") != "03:30" {
		t.Errorf("half past: %+v", e)
	}
	located := "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nX-LIC-LOCATION:Asia/Tokyo\nEND:VTIMEZONE\n"
	if e := readOne(t, calendar(event, located), rome); e.Zone != "Asia/Tokyo" {
		t.Errorf("X-LIC-LOCATION: %+v", e)
	}
	for name, before := range map[string]string{
		"none":     "",
		"empty":    "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\nEND:VTIMEZONE\n",
		"no zone":  strings.ReplaceAll(fixed, "+0530", "+0517"),
		"nonsense": strings.ReplaceAll(fixed, "+0530", "lunch"),
	} {
		f, err := Read(calendar(event, before), rome)
		if err != nil || len(f.Events) != 0 || len(f.Failed) != 1 || !strings.Contains(f.Failed[0].Reason, `"Call": DTSTART: the time zone "Customized Time Zone" is not known`) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	// What is written here is recognised elsewhere, and here under another name.
	var b bytes.Buffer
	e := chat.CalendarEvent{UID: "1", Zone: "America/New_York", Start: time.Date(2026, 7, 1, 13, 0, 0, 0, time.UTC), End: time.Date(2026, 7, 1, 14, 0, 0, 0, time.UTC)}
	if err := Write(&b, []chat.CalendarEvent{e}, e.Start); err != nil {
		t.Fatal(err)
	}
	if got := readOne(t, bytes.ReplaceAll(b.Bytes(), []byte("America/New_York"), []byte("Home")), time.UTC); !got.Start.Equal(e.Start) {
		t.Errorf("begins at %s, want %s\n%s", got.Start, e.Start, b.String())
	}
}

func TestWhatIsWrongBreaksOnlyItsEvent(t *testing.T) {
	const good = "BEGIN:VEVENT\nUID:g\nDTSTART:20260301T090000Z\nEND:VEVENT\n"
	for name, test := range map[string]struct {
		event, want string
		line        int
	}{
		"a line without colon":   {"BEGIN:VEVENT\nSUMMARY:Bad\nhello\nDTSTART:20260301T090000Z\nEND:VEVENT", "NAME;PARAM=value:VALUE", 7},
		"no start":               {"BEGIN:VEVENT\nSUMMARY:Bad\nEND:VEVENT", "DTSTART", 5},
		"a start that is none":   {"BEGIN:VEVENT\nDTSTART:noon\nSUMMARY:Bad\nEND:VEVENT", "20260301T090000", 5},
		"the 31st of February":   {"BEGIN:VEVENT\nDTSTART:20260231T090000\nSUMMARY:Bad\nEND:VEVENT", "20260301T090000", 5},
		"a date and a time":      {"BEGIN:VEVENT\nDTSTART:20260301T090000Z\nDTEND;VALUE=DATE:20260302\nSUMMARY:Bad\nEND:VEVENT", "one is a date", 5},
		"a duration of nonsense": {"BEGIN:VEVENT\nDTSTART:20260301T090000Z\nDURATION:PT\nSUMMARY:Bad\nEND:VEVENT", "PT1H30M", 5},
		"this and future":        {"BEGIN:VEVENT\nDTSTART:20260301T090000Z\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260301T090000Z\nSUMMARY:Bad\nEND:VEVENT", "RANGE", 5},
		"periods":                {"BEGIN:VEVENT\nDTSTART:20260301T090000Z\nRDATE;VALUE=PERIOD:20260301T090000Z/PT1H\nSUMMARY:Bad\nEND:VEVENT", "periods", 5},
		"a task":                 {"BEGIN:VTODO\nSUMMARY:Bad\nEND:VTODO", "VTODO", 5},
		"no end":                 {"BEGIN:VEVENT\nSUMMARY:Bad\nDTSTART:20260301T090000Z", "no END", 5},
	} {
		data := "BEGIN:VCALENDAR\nX:\nY:\nZ:\n" + test.event + "\n"
		if name != "no end" {
			data += good
		}
		f, err := Read([]byte(data+"END:VCALENDAR"), time.UTC)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(f.Failed) != 1 || !strings.Contains(f.Failed[0].Reason, test.want) || f.Failed[0].Line != test.line || !strings.HasPrefix(f.Failed[0].Reason, `"Bad": `) {
			t.Errorf("%s: failed %+v; want line %d, %q", name, f.Failed, test.line, test.want)
		}
		if name != "no end" && len(f.Events) != 1 {
			t.Errorf("%s: %d good events were read, want 1", name, len(f.Events))
		}
	}
	for name, data := range map[string]string{
		"nothing": "", "text": "hello\nworld", "HTML": "<!doctype html>", "not UTF-8": "BEGIN:VCALENDAR\nSUMMARY:f\xfcr\nEND:VCALENDAR",
		"a tower": strings.Repeat("BEGIN:VEVENT\n", 1_000_000),
	} {
		if f, err := Read([]byte(data), time.UTC); err == nil {
			t.Errorf("%s was read as %+v", name, f)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(calendar("UID:1\nDTSTART;TZID=Customized Time Zone:20260701T090000\nRRULE:FREQ=DAILY\nATTENDEE;CN=\"a\":mailto:b", outlook))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;X=1\nEND:VEVENT"))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0000\nDTSTART:16010101T000000\nRRULE:FREQ=YEARLY;BYDAY=99MO;BYMONTH=12\nEND:STANDARD\nEND:VTIMEZONE\nEND:VCALENDAR"))
	f.Add([]byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20260301\nDURATION:P999999999W\nEXDATE:20260301T000000,\nEND:VEVENT\nEND:VCALENDAR"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(data, time.UTC)
		if err != nil {
			return
		}
		var list []chat.CalendarEvent
		for _, e := range file.Events {
			list = append(list, e.CalendarEvent)
		}
		var b bytes.Buffer
		if err := Write(&b, list, time.Time{}); err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(b.String(), "\r\n") {
			if len(text) > 75 {
				t.Errorf("line %d has %d bytes", i+1, len(text))
			}
		}
	})
}
