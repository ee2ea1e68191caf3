package memory

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// layouts are the ways in which dates are written in files, the most exact first.
// "1/2/2006" is not among them: half of the world means another day by it.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04",
	"2006-01-02", "2006/01/02 15:04", "2006/01/02", "02.01.2006 15:04", "02.01.2006",
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006", "Monday, 2 January 2006",
	"Monday, January 2, 2006", "2 January 2006 15:04", "2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006",
}

// parseTime reads a date as people and programs write it, in the zone unless it
// says another.
func parseTime(text string, zone *time.Location) (time.Time, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, zone); err == nil && plausible(t) {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// plausible keeps out what only looks like a date.
func plausible(t time.Time) bool { return t.Year() >= 1900 && t.Year() < 2200 }

var dateInName = regexp.MustCompile(`(?:^|[^0-9])((?:19|20|21)\d\d)([-_.]?)(0[1-9]|1[0-2])([-_.]?)(0[1-9]|[12]\d|3[01])(?:[T _-]+(?:at )?([01]\d|2[0-3])[-:._h]?([0-5]\d)(?:[-:._]?([0-5]\d))?)?(?:[^0-9]|$)`)

// timeInName finds a date such as 2026-03-14, with or without a time, in the
// name of a file; zero when there is none. Zoom writes GMT before its own.
func timeInName(name string, zone *time.Location) time.Time {
	m := dateInName.FindStringSubmatchIndex(name)
	if m == nil {
		return time.Time{}
	}
	part := func(n int) int {
		if m[2*n] < 0 {
			return 0
		}
		v, _ := strconv.Atoi(name[m[2*n]:m[2*n+1]])
		return v
	}
	if name[m[4]:m[5]] != name[m[8]:m[9]] { // 2026-0314 is no date
		return time.Time{}
	}
	if strings.HasSuffix(strings.ToUpper(name[:m[2]]), "GMT") || strings.HasPrefix(name[m[1]-1:], "Z") {
		zone = time.UTC
	}
	t := time.Date(part(1), time.Month(part(3)), part(5), part(6), part(7), part(8), 0, zone)
	if t.Day() != part(5) { // 31 February
		return time.Time{}
	}
	return t.UTC()
}

var clock = regexp.MustCompile(`^(?:(\d{1,3}):)?(\d{1,3}):([0-5]?\d)(?:[.,](\d{1,6}))?$`)

// parseClock reads 01:02:03.500, 02:03 and the like as seconds, -1 when it is
// nothing of the kind.
func parseClock(text string) float64 {
	m := clock.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return -1
	}
	number := func(s string) float64 {
		v, _ := strconv.ParseFloat("0"+s, 64)
		return v
	}
	seconds := number(m[1])*3600 + number(m[2])*60 + number(m[3])
	if m[4] != "" {
		seconds += number("." + m[4])
	}
	return known(seconds)
}
