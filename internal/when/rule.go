package when

import (
	"strconv"
	"time"
)

// rules in the order in which they are tried: the more exactly a way of speaking
// names a time, the earlier it stands.
var rules = []rule{
	// 2023-05-07, 7.5.2023, am 7.5.
	{compile(`<<<year>-(\d\d)-(\d\d)>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.dated(m[1], digits(m[2]), m[3]) }},
	{compile(`<<<day>\. ?(\d{1,2})\. ?<year>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.dated(m[3], digits(m[2]), m[1]) }},
	{compile(`<<(?:am|vom|seit|bis|zum) <day>\. ?(\d{1,2})\.`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.dated("", digits(m[2]), m[1]) }},
	// 7 May 2023, 7. Mai, May 7th
	{compile(`<<<day>(?:st|nd|rd|th|\.)?(?: of)? <month>(?:,? <year>)?>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		return c.dated(m[3], int(months[m[2]]), m[1])
	}},
	{compile(`<<<month> <day>(?:st|nd|rd|th)?(?:,? <year>)?>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		return c.dated(m[3], int(months[m[1]]), m[2])
	}},
	// Tuesday of last week
	{compile(`<<<weekday>(?: of)?(?: the| der)? <choice> (?:week|woche)>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		shift := map[which]int{before: -1, this: 0, after: 1}[choices[m[2]]]
		monday, _ := c.of(week, c.now, shift)
		from, until := c.of(day, monday, (int(weekdays[m[1]])+6)%7)
		return from, until, true
	}},
	// March 2023, summer of 2023, Easter 2023
	{compile(`<<<month>,?(?: of)? <year>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.of(month, c.date(digits(m[2]), months[m[1]], 1), 0)
		return from, until, true
	}},
	{compile(`<<<season>(?: of)? <year>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.season(seasons[m[1]], digits(m[2]))
		return from, until, true
	}},
	{compile(`<<<holiday>,?(?: of| in)? <year>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		return c.celebrated(m[1], digits(m[2]), latest)
	}},
	{compile(`<<<holiday> <choice> (?:year|jahr)>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		shift := map[which]int{before: -1, this: 0, after: 1}[choices[m[2]]]
		return c.celebrated(m[1], c.now.Year()+shift, latest)
	}},
	// the day before yesterday, the week before last
	{compile(`<<(?:day before yesterday|vorgestern)>>`), days(-2)},
	{compile(`<<(?:day after tomorrow|übermorgen)>>`), days(2)},
	{compile(`<<<unit> before last>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.ago(2, units[m[1]]) }},
	{compile(`<<(?:vorletzte[nrs]?) <unit>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.ago(2, units[m[1]]) }},
	// three days ago, vor drei Tagen
	{compile(`<<(?:half an hour ago|vor einer halben stunde)>>`), func(c calendar, _ []string) (time.Time, time.Time, bool) { return c.ago(30, minute) }},
	{compile(`<<<n> <unit> (?:ago|earlier)>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.ago(number(m[1]), units[m[2]]) }},
	{compile(`<<vor <n> <unit>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.ago(number(m[1]), units[m[2]]) }},
	{compile(`<<(?:a few|some|several) <unit> ago>>`), few},
	{compile(`<<vor (?:einigen|ein paar|wenigen) <unit>>>`), few},
	// the last 30 days, die letzten zwei Wochen
	{compile(`<<(?:last|past|previous|letzten?|vergangenen?) <n> <unit>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		return c.past(number(m[1]), units[m[2]])
	}},
	{compile(`<<(?:last|past) (?:few|couple of) <unit>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.past(3, units[m[1]]) }},
	{compile(`<<(?:letzten|vergangenen) paar <unit>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.past(3, units[m[1]]) }},
	// last Tuesday, this week, next month, last March, letzten Sommer, last Christmas
	{compile(`<<<choice> <weekday>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.weekday(weekdays[m[2]], choices[m[1]])
		return from, until, true
	}},
	{compile(`<<<choice> <unit>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.chosen(choices[m[1]], units[m[2]]) }},
	{compile(`<<<choice> <month>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.monthOf(choices[m[1]], months[m[2]])
		return from, until, true
	}},
	{compile(`<<<choice> <season>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.seasonOf(choices[m[1]], seasons[m[2]])
		return from, until, true
	}},
	{compile(`<<<choice> <holiday>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		return c.celebrated(m[2], 0, choices[m[1]])
	}},
	// yesterday, this morning, last night
	{compile(`<<(?:last night|letzte nacht)>>`), func(c calendar, _ []string) (time.Time, time.Time, bool) {
		return c.hour(c.next(c.now, 0, 0, -1), 18), c.hour(c.now, 6), true
	}},
	{compile(`<<(?:this|heute) (morning|afternoon|evening|früh|morgen|vormittag|mittag|nachmittag|abend|nacht)>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		return c.hour(c.now, dayParts[m[1]][0]), c.hour(c.now, dayParts[m[1]][1]), true
	}},
	{compile(`<<tonight>>`), func(c calendar, _ []string) (time.Time, time.Time, bool) {
		return c.hour(c.now, 17), c.hour(c.now, 30), true
	}},
	{compile(`<<(?:yesterday|gestern)>>`), days(-1)},
	{compile(`<<(?:today|heute)>>`), days(0)},
	{compile(`<<tomorrow>>`), days(1)},
	// on Monday, am Dienstagabend, over the weekend
	{compile(`<<<weekday>(früh|morgen|vormittag|mittag|nachmittag|abend|nacht)?>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.weekday(weekdays[m[1]], latest)
		if part, ok := dayParts[m[2]]; ok {
			return c.hour(from, part[0]), c.hour(from, part[1]), true
		}
		return from, until, true
	}},
	{compile(`<<(?:(?:on|over|at|during) the weekend|am wochenende)>>`), func(c calendar, _ []string) (time.Time, time.Time, bool) {
		from, until := c.of(weekend, c.now, 0)
		if from.After(c.now) {
			from, until = c.of(weekend, c.now, -1)
		}
		return from, until, true
	}},
	// in March, in the summer, at Easter, in 2023
	{compile(`<<(?:in|im|during|of|this|diesen) <month>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.monthOf(latest, months[m[1]])
		return from, until, true
	}},
	{compile(`<<(?:in|im|during|over)(?: the)? <season>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.seasonOf(latest, seasons[m[1]])
		return from, until, true
	}},
	{compile(`<<<holiday>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) { return c.celebrated(m[1], 0, latest) }},
	{compile(`<<(?:in|during|im jahre?|of) <year>>>`), func(c calendar, m []string) (time.Time, time.Time, bool) {
		from, until := c.of(year, c.date(digits(m[1]), 1, 1), 0)
		return from, until, true
	}},
}

func days(n int) func(calendar, []string) (time.Time, time.Time, bool) {
	return func(c calendar, _ []string) (time.Time, time.Time, bool) {
		from, until := c.of(day, c.now, n)
		return from, until, true
	}
}

// few is what people mean by a few units ago: two to six of them.
func few(c calendar, m []string) (time.Time, time.Time, bool) {
	u := units[m[1]]
	if u == minute || u == hour {
		scale := map[unit]time.Duration{minute: 5 * time.Minute, hour: time.Hour}[u]
		return c.now.Add(-6 * scale), c.now.Add(-scale), true
	}
	from, _ := c.of(u, c.now, -6)
	_, until := c.of(u, c.now, -2)
	return from, until, true
}

// dated is a day, of the year that is named or the last that had it.
func (c calendar) dated(yearText string, monthNumber int, dayText string) (from, until time.Time, ok bool) {
	m, d, y := time.Month(monthNumber), digits(dayText), digits(yearText)
	if y == 0 {
		y = c.now.Year()
		if c.date(y, m, d).After(c.now) {
			y--
		}
	}
	from = c.date(y, m, d)
	if from.Month() != m || from.Day() != d || d == 0 { // 31 February
		return from, until, false
	}
	return from, c.next(from, 0, 0, 1), true
}

// chosen is this, the last or the next of a unit. The last week is the one
// before this; the last hour the one until now.
func (c calendar) chosen(w which, u unit) (from, until time.Time, ok bool) {
	shift := map[which]int{before: -1, this: 0, after: 1}[w]
	if u == minute || u == hour {
		if w != before {
			return from, until, false
		}
		return c.past(1, u)
	}
	if u == day && w == before { // "the last day" is no time by itself
		return from, until, false
	}
	from, until = c.of(u, c.now, shift)
	return from, until, true
}

func (c calendar) monthOf(w which, m time.Month) (from, until time.Time) {
	return c.yearly(w, func(y int) (time.Time, time.Time) { return c.of(month, c.date(y, m, 1), 0) })
}

func (c calendar) seasonOf(w which, m time.Month) (from, until time.Time) {
	return c.yearly(w, func(y int) (time.Time, time.Time) { return c.season(m, y) })
}

// season is three months, from those of the northern half of the world.
func (c calendar) season(m time.Month, y int) (from, until time.Time) {
	from = c.date(y, m, 1)
	return from, c.next(from, 0, 3, 0)
}

// digits reads a number that a pattern has checked, 0 for none.
func digits(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
