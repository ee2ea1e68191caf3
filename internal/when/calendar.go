package when

import "time"

// calendar counts days, weeks and months from now, in now's zone. Days are
// counted by their dates and never by hours, so that those on which clocks
// change are right.
type calendar struct{ now time.Time }

// date is the first moment of a day.
func (c calendar) date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, c.now.Location())
}

// next is the day so many years, months and days after that of t.
func (c calendar) next(t time.Time, years, months, days int) time.Time {
	year, month, day := t.Date()
	return c.date(year+years, month+time.Month(months), day+days)
}

// hour of the day of t, which may be one of the next day.
func (c calendar) hour(t time.Time, hour int) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, hour, 0, 0, 0, c.now.Location())
}

// week is the Monday of the week of t.
func (c calendar) week(t time.Time) time.Time { return c.next(t, 0, 0, -(int(t.Weekday())+6)%7) }

func (c calendar) month(t time.Time) time.Time { return c.date(t.Year(), t.Month(), 1) }

func (c calendar) year(t time.Time) time.Time { return c.date(t.Year(), 1, 1) }

// unit is a length of time that has a beginning.
type unit int

const (
	minute unit = iota + 1
	hour
	day
	week
	weekend
	month
	quarter
	year
)

// of returns the unit that t lies in, moved by n units. A weekend belongs to the
// week before it.
func (c calendar) of(u unit, t time.Time, n int) (from, until time.Time) {
	switch u {
	case day:
		from = c.next(t, 0, 0, n)
		return from, c.next(from, 0, 0, 1)
	case week:
		from = c.next(c.week(t), 0, 0, 7*n)
		return from, c.next(from, 0, 0, 7)
	case weekend:
		from = c.next(c.week(t), 0, 0, 7*n+5)
		return from, c.next(from, 0, 0, 2)
	case month:
		from = c.next(c.month(t), 0, n, 0)
		return from, c.next(from, 0, 1, 0)
	case quarter:
		from = c.date(t.Year(), (t.Month()-1)/3*3+1+time.Month(3*n), 1)
		return from, c.next(from, 0, 3, 0)
	case year:
		from = c.next(c.year(t), n, 0, 0)
		return from, c.next(from, 1, 0, 0)
	}
	return from, until
}

// ago is a while before now, as exactly as people mean it: three hours ago is
// said of an hour before or after that, two weeks ago of a whole week.
func (c calendar) ago(n int, u unit) (from, until time.Time, ok bool) {
	switch u {
	case minute:
		slack := time.Duration(max(10, n/2)) * time.Minute
		at := c.now.Add(-time.Duration(n) * time.Minute)
		return at.Add(-slack), at.Add(slack), true
	case hour:
		at := c.now.Add(-time.Duration(n) * time.Hour)
		return at.Add(-time.Hour), at.Add(time.Hour), true
	}
	from, until = c.of(u, c.now, -n)
	return from, until, true
}

// past is the time from n units before today until the end of today.
func (c calendar) past(n int, u unit) (from, until time.Time, ok bool) {
	until = c.next(c.now, 0, 0, 1)
	switch u {
	case minute:
		return c.now.Add(-time.Duration(n) * time.Minute), c.now, true
	case hour:
		return c.now.Add(-time.Duration(n) * time.Hour), c.now, true
	case day:
		return c.next(c.now, 0, 0, -n), until, true
	case week:
		return c.next(c.now, 0, 0, -7*n), until, true
	case weekend:
		from, _ = c.of(weekend, c.now, -n)
		return from, until, true
	case month:
		return c.next(c.now, 0, -n, 0), until, true
	case quarter:
		return c.next(c.now, 0, -3*n, 0), until, true
	case year:
		return c.next(c.now, -n, 0, 0), until, true
	}
	return from, until, false
}

// which says which of several of a kind is meant.
type which int

const (
	latest which = iota // the last that began: "on Monday", "in March"
	before              // the last one before that which is now: "last Monday"
	this                // the one of this week or year
	after               // "next Monday"
)

// weekday returns the day meant.
func (c calendar) weekday(d time.Weekday, w which) (from, until time.Time) {
	back := (int(c.now.Weekday()) - int(d) + 7) % 7
	switch w {
	case before:
		if back == 0 {
			back = 7
		}
	case this:
		return c.of(day, c.next(c.week(c.now), 0, 0, (int(d)+6)%7), 0)
	case after:
		back -= 7
	}
	return c.of(day, c.now, -back)
}

// yearly returns the time of a year that is meant, when one is [from, until) of
// the year. Seasons may end in the next.
func (c calendar) yearly(w which, one func(year int) (from, until time.Time)) (time.Time, time.Time) {
	year := c.now.Year()
	for y := year + 1; ; y-- {
		from, until := one(y)
		switch w {
		case this:
			return one(year)
		case after:
			if prior, _ := one(y - 1); !prior.After(c.now) {
				return from, until
			}
		case before:
			if !until.After(c.now) {
				return from, until
			}
		default:
			if !from.After(c.now) {
				return from, until
			}
		}
	}
}
