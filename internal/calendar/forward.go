package calendar

import (
	"time"

	"github.com/teambition/rrule-go"
)

// endOfTime is when rules end that have no end: the last year that can be written.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// units are the lengths of the frequencies below a day, in seconds.
var units = map[rrule.Frequency]int64{rrule.HOURLY: 3600, rrule.MINUTELY: 60, rrule.SECONDLY: 1}

// forward lets a rule without COUNT begin a period or two before t: whatever it
// makes from t on stays the same, and an event of every second since 1970 is
// asked for today's occurrences without counting all others. Steps are of the
// clock and the calendar, as the rule's own.
func forward(o rrule.ROption, t time.Time) rrule.ROption {
	o = explicit(o)
	start := o.Dtstart
	t = t.In(start.Location())
	if !t.After(start) {
		return o
	}
	every := max(1, o.Interval)
	days := int((wall(t).Unix() - wall(start).Unix()) / 86400) // a time.Duration ends after 292 years
	// The steps that are left out; one more is kept, because periods may begin
	// before the time that they are counted from.
	steps := func(periods int) int { return max(0, periods/every-1) * every }
	y, m, d := start.Date()
	hour, minute, second := start.Clock()
	at := func(y int, m time.Month, d int) time.Time {
		return time.Date(y, m, d, hour, minute, second, 0, start.Location())
	}
	switch o.Freq {
	case rrule.YEARLY:
		if n := steps(t.Year() - y); n > 0 {
			o.Dtstart = at(y+n, 1, 1)
		}
	case rrule.MONTHLY:
		if n := steps((t.Year()-y)*12 + int(t.Month()-m)); n > 0 {
			o.Dtstart = at(y, m+time.Month(n), 1)
		}
	case rrule.WEEKLY:
		o.Dtstart = at(y, m, d+7*steps(days/7))
	case rrule.DAILY:
		o.Dtstart = at(y, m, d+steps(days))
	default:
		// Only whole days keep the clock, and only so many that the steps fit in.
		step := int64(every) * units[o.Freq]
		every = int(step / gcd(step, 86400))
		for n := steps(days); n > 0; n -= every {
			if moved := at(y, m, d+n); wall(moved).Equal(wall(at(y, m, d)).AddDate(0, 0, n)) {
				o.Dtstart = moved
				break // else the clock was changed at that time of that day
			}
		}
	}
	return o
}

// explicit writes out what a rule takes from its start, so that the start may move.
func explicit(o rrule.ROption) rrule.ROption {
	if o.Until.IsZero() {
		o.Until = endOfTime
	}
	made, err := rrule.NewRRule(o)
	if err != nil {
		return o // checked when the rule was read
	}
	start := o.Dtstart
	o = made.Options
	if o.Freq < rrule.HOURLY {
		if len(o.Byhour) == 0 {
			o.Byhour = []int{start.Hour()}
		}
		if len(o.Byminute) == 0 {
			o.Byminute = []int{start.Minute()}
		}
		if len(o.Bysecond) == 0 {
			o.Bysecond = []int{start.Second()}
		}
	}
	return o
}

// happens reports whether a rule ever makes an occurrence. The library looks for
// one until the year 9999, so it is asked from a time on that leaves it few
// periods, and is not asked at all where it would never come back.
func happens(o rrule.ROption) bool {
	if !reachable(o) {
		return false
	}
	const periods = 20_000 // of days: 54 years, two cycles of weekdays and leap years
	o.Count, o.Until = 0, time.Time{}
	every := max(1, o.Interval)
	from := endOfTime
	switch o.Freq {
	case rrule.YEARLY, rrule.MONTHLY:
		from = o.Dtstart // at most 120,000 periods in all
	case rrule.WEEKLY:
		from = from.AddDate(0, 0, -7*every*periods/4)
	case rrule.DAILY:
		from = from.AddDate(0, 0, -every*periods)
	default:
		step := int64(every) * units[o.Freq]
		from = from.AddDate(0, 0, -int(max(1, step/86400))*periods)
	}
	made, err := rrule.NewRRule(forward(o, from))
	if err != nil {
		return false
	}
	_, ok := made.Iterator()()
	return ok
}

// reachable reports whether the clock times of a rule below a day are ever met
// by its steps: every 60 seconds from 9:00:00 on it is never 30 seconds past. The
// library steps on until it is.
func reachable(o rrule.ROption) bool {
	unit, below := units[o.Freq]
	if !below {
		return true
	}
	hour, minute, second := o.Dtstart.Clock()
	step := int64(max(1, o.Interval)) * unit
	at := int64(hour*3600 + minute*60 + second)
	for range 86400 / gcd(step, 86400) {
		if allows(o.Byhour, at/3600) && (o.Freq < rrule.MINUTELY || allows(o.Byminute, at/60%60)) && (o.Freq < rrule.SECONDLY || allows(o.Bysecond, at%60)) {
			return true
		}
		at = (at + step) % 86400
	}
	return false
}

func allows(list []int, value int64) bool {
	for _, v := range list {
		if int64(v) == value {
			return true
		}
	}
	return len(list) == 0
}

// wall is what the clocks show, as if they were in UTC.
func wall(t time.Time) time.Time {
	y, m, d := t.Date()
	hour, minute, second := t.Clock()
	return time.Date(y, m, d, hour, minute, second, 0, time.UTC)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
