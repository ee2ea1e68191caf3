package when

import (
	"regexp"
	"time"
)

// reference reads a time by its distance to another, which follows it.
type reference struct {
	pattern *regexp.Regexp
	// build fails by returning zeros.
	build func(c calendar, m []string, anchor span) (from, until time.Time)
}

var references = []reference{
	// between March and May
	{compile(`<<(?:between|zwischen|from|von|vom) `), func(calendar, []string, span) (from, until time.Time) { return }},
	// the Tuesday before 20 July
	{compile(`<<<weekday> (before|after|vor|nach) `), func(c calendar, m []string, anchor span) (from, until time.Time) {
		if earlier(m[2]) {
			last := c.next(anchor.from, 0, 0, -1)
			return c.of(day, last, -(int(last.Weekday())-int(weekdays[m[1]])+7)%7)
		}
		return c.of(day, anchor.until, (int(weekdays[m[1]])-int(anchor.until.Weekday())+7)%7)
	}},
	// two weeks before Easter
	{compile(`<<<n> <unit> (before|after|vor|nach) `), func(c calendar, m []string, anchor span) (from, until time.Time) {
		n := number(m[1])
		if earlier(m[3]) {
			n = -n
		}
		switch units[m[2]] {
		case day:
			return c.of(day, anchor.from, n)
		case week: // give or take half a week
			at := c.next(anchor.from, 0, 0, 7*n)
			return c.next(at, 0, 0, -3), c.next(at, 0, 0, 4)
		case month, quarter, year:
			return c.of(units[m[2]], anchor.from, n)
		}
		return from, until
	}},
	// the week before Easter: the seven days that end with it
	{compile(`<<<unit> (before|after|vor|nach) `), func(c calendar, m []string, anchor span) (from, until time.Time) {
		back := earlier(m[2])
		edge := anchor.until
		if back {
			edge = anchor.from
		}
		years, months, days := 0, 0, 0
		switch units[m[1]] {
		case day:
			days = 1
		case week:
			days = 7
		case weekend:
			from, until = c.of(weekend, edge, 0)
			if back && !from.Before(edge) {
				return c.of(weekend, edge, -1)
			}
			if !back && until.Before(edge) {
				return c.of(weekend, edge, 1)
			}
			return from, until
		case month:
			months = 1
		case year:
			years = 1
		default:
			return from, until
		}
		if back {
			return c.next(edge, -years, -months, -days), edge
		}
		return edge, c.next(edge, years, months, days)
	}},
	// around Christmas
	{compile(`<<(?:around|rund um|um|gegen) `), func(c calendar, _ []string, anchor span) (from, until time.Time) {
		return c.next(anchor.from, 0, 0, -3), c.next(anchor.until, 0, 0, 3)
	}},
	{compile(`<<(?:ever since|since|seit) `), func(c calendar, _ []string, anchor span) (from, until time.Time) {
		return anchor.from, c.next(c.now, 0, 0, 1)
	}},
	{compile(`<<(?:until|till|bis)(?: zum)? `), func(_ calendar, _ []string, anchor span) (from, until time.Time) { return from, anchor.until }},
	{compile(`<<(?:before|prior to|vor) `), func(_ calendar, _ []string, anchor span) (from, until time.Time) { return from, anchor.from }},
	{compile(`<<(?:after|nach) `), func(_ calendar, _ []string, anchor span) (from, until time.Time) { return anchor.until, until }},
}

func earlier(word string) bool { return word == "before" || word == "vor" }

// anchors are ways of naming a time that count only where something refers to it:
// alone, "may" is a verb and 2023 a number.
var anchors = []rule{
	{compile(`^ ?<month>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.monthOf(latest, months[m[1]])
		return from, until, true
	}},
	{compile(`^ ?(?:the |dem )?<season>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.seasonOf(latest, seasons[m[1]])
		return from, until, true
	}},
	{compile(`^ ?<year>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.of(year, c.date(digits(m[1]), 1, 1), 0)
		return from, until, true
	}},
}

// ranges are what stands between the two ends of a range.
var ranges = regexp.MustCompile(`^\s*(?:and|und|to|till|until|bis(?: zum)?|-|–)\s+`)

// rangeTo reads from one time to another, the second after the first.
func (c calendar) rangeTo(first span, rest string) (last span, length int, ok bool) {
	at := ranges.FindStringIndex(rest)
	if at == nil {
		return span{}, 0, false
	}
	last, ok = c.anchor(rest[at[1]:])
	return last, at[1] + last.end, ok && first.from.Before(last.until)
}

// anchor reads the time that a text begins with.
func (c calendar) anchor(text string) (span, bool) {
	exact, found := c.first(rules, text, leads)
	if s, ok := c.first(anchors, text, leads); ok && !found {
		return s, true
	}
	return exact, found
}
