package ics

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// The forms of dates and times (RFC 5545 sections 3.3.4 and 3.3.5).
const (
	dateForm  = "20060102"
	localForm = "20060102T150405"
	utcForm   = "20060102T150405Z"
)

var (
	errTime   = errors.New("a time is not of the form 20260301T090000 or 20260301T090000Z")
	errDate   = errors.New("a date is not of the form 20260301")
	errPeriod = errors.New("periods in RDATE are not supported")
)

// Times reads the dates or times of a line such as DTSTART, RDATE or EXDATE, in
// the zone that zones finds for its TZID, or in local when it has none. Dates are
// midnights in UTC.
func (l Line) Times(local *time.Location, zones func(tzid string) (*time.Location, error)) (times []time.Time, dates bool, err error) {
	if strings.EqualFold(l.Get("VALUE"), "PERIOD") || strings.Contains(l.Value, "/") {
		return nil, false, errPeriod
	}
	if tzid := l.Get("TZID"); tzid != "" {
		if local, err = zones(tzid); err != nil {
			return nil, false, err
		}
	}
	values := strings.Split(l.Value, ",")
	// Some programs write a date and forget to say so.
	dates = strings.EqualFold(l.Get("VALUE"), "DATE") || len(strings.TrimSpace(values[0])) == len(dateForm)
	for _, v := range values {
		v = strings.ToUpper(strings.TrimSpace(v))
		var t time.Time
		switch {
		case dates:
			if t, err = time.Parse(dateForm, v); err != nil {
				return nil, false, errDate
			}
		case strings.HasSuffix(v, "Z"):
			if t, err = time.Parse(utcForm, v); err != nil {
				return nil, false, errTime
			}
			t = t.In(time.UTC)
		default:
			if t, err = time.ParseInLocation(localForm, v, local); err != nil {
				return nil, false, errTime
			}
		}
		times = append(times, t)
	}
	return times, dates, nil
}

// TimesLine is the line that Times reads: times in a zone, or dates.
func TimesLine(name string, times []time.Time, zone *time.Location, dates bool) Line {
	l := Line{Name: name}
	form := localForm
	switch {
	case dates:
		form, zone = dateForm, time.UTC
		l.Params = []Param{{"VALUE", "DATE"}}
	case zone.String() == "UTC":
		form = utcForm
	default:
		l.Params = []Param{{"TZID", zone.String()}}
	}
	values := make([]string, len(times))
	for i, t := range times {
		values[i] = t.In(zone).Format(form)
	}
	l.Value = strings.Join(values, ",")
	return l
}

var errDuration = errors.New("a duration is not of the form PT1H30M")

// duration is a DURATION: whole days, which are of the calendar, and the rest.
func duration(value string) (days int, rest time.Duration, err error) {
	text, ok := strings.CutPrefix(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(value)), "+"), "P")
	if !ok || text == "" {
		return 0, 0, errDuration
	}
	clock := false
	for text != "" {
		if after, found := strings.CutPrefix(text, "T"); found && !clock {
			text, clock = after, true
		}
		end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 || end > 9 {
			return 0, 0, errDuration
		}
		n, err := strconv.Atoi(text[:end])
		if err != nil || n > 100_000_000 {
			return 0, 0, errDuration
		}
		switch unit := text[end]; {
		case unit == 'W' && !clock:
			days += 7 * n
		case unit == 'D' && !clock:
			days += n
		case unit == 'H' && clock && n <= 1_000_000:
			rest += time.Duration(n) * time.Hour
		case unit == 'M' && clock:
			rest += time.Duration(n) * time.Minute
		case unit == 'S' && clock:
			rest += time.Duration(n) * time.Second
		default:
			return 0, 0, errDuration
		}
		text = text[end+1:]
	}
	return days, rest, nil
}
