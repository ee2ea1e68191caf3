package when

import "time"

// easter is the Sunday of the western churches (Meeus/Jones/Butcher).
func (c calendar) easter(year int) time.Time {
	a, b, d := year%19, year/100, year%100
	e := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	f := (32 + 2*(b%4) + 2*(d/4) - e - d%4) % 7
	g := (a + 11*e + 22*f) / 451
	n := e + f - 7*g + 114
	return c.date(year, time.Month(n/31), n%31+1)
}

// holiday is when a feast begins and how many days it has.
type holiday struct {
	begins func(c calendar, year int) time.Time
	days   int
}

// fromEaster is a feast so many days after Easter Sunday.
func fromEaster(offset, days int) holiday {
	return holiday{func(c calendar, year int) time.Time { return c.next(c.easter(year), 0, 0, offset) }, days}
}

func on(month time.Month, day, days int) holiday {
	return holiday{func(c calendar, year int) time.Time { return c.date(year, month, day) }, days}
}

// nth is the n-th such weekday of a month, from its end when n is negative.
func nth(n int, d time.Weekday, month time.Month) holiday {
	return holiday{func(c calendar, year int) time.Time {
		if n < 0 {
			last := c.date(year, month+1, 0)
			return c.next(last, 0, 0, -(int(last.Weekday())-int(d)+7)%7)
		}
		first := c.date(year, month, 1)
		return c.next(first, 0, 0, (int(d)-int(first.Weekday())+7)%7+7*(n-1))
	}, 1}
}

// holidays by their names, in lower case. The longest name that fits is taken.
var holidays = map[string]holiday{
	"easter sunday": fromEaster(0, 1), "easter monday": fromEaster(1, 1), "easter": fromEaster(-2, 4), "good friday": fromEaster(-2, 1),
	"ascension day": fromEaster(39, 1), "whitsun": fromEaster(49, 2), "pentecost": fromEaster(49, 2),
	"christmas eve": on(time.December, 24, 1), "christmas day": on(time.December, 25, 1), "christmas": on(time.December, 24, 3), "xmas": on(time.December, 24, 3),
	"boxing day": on(time.December, 26, 1), "new year's eve": on(time.December, 31, 1), "new year's day": on(time.January, 1, 1), "new year's": on(time.January, 1, 1), "new year": on(time.January, 1, 1),
	"valentine's day": on(time.February, 14, 1), "halloween": on(time.October, 31, 1), "independence day": on(time.July, 4, 1),
	"thanksgiving": nth(4, time.Thursday, time.November), "labor day": nth(1, time.Monday, time.September), "memorial day": nth(-1, time.Monday, time.May),
	"mother's day": nth(2, time.Sunday, time.May),
	"ostersonntag": fromEaster(0, 1), "ostermontag": fromEaster(1, 1), "ostern": fromEaster(-2, 4), "karfreitag": fromEaster(-2, 1),
	"christi himmelfahrt": fromEaster(39, 1), "pfingsten": fromEaster(49, 2), "rosenmontag": fromEaster(-48, 1),
	"heiligabend": on(time.December, 24, 1), "weihnachten": on(time.December, 24, 3), "nikolaus": on(time.December, 6, 1),
	"silvester": on(time.December, 31, 1), "neujahr": on(time.January, 1, 1), "valentinstag": on(time.February, 14, 1), "muttertag": nth(2, time.Sunday, time.May),
}

// celebrated is the feast of the year, or the one that is meant.
func (c calendar) celebrated(name string, year int, w which) (from, until time.Time, ok bool) {
	h, ok := holidays[name]
	if !ok {
		return from, until, false
	}
	one := func(year int) (time.Time, time.Time) {
		begins := h.begins(c, year)
		return begins, c.next(begins, 0, 0, h.days)
	}
	if year > 0 {
		from, until = one(year)
	} else {
		from, until = c.yearly(w, one)
	}
	return from, until, true
}
