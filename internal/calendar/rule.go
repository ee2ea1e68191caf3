package calendar

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"confidant/internal/calendar/ics"
	"confidant/internal/chat"
)

// rule says when an event takes place: its start, the rule that repeats it, and
// the dates that come on top or fall out (RFC 5545 section 3.8.5). Its times are
// in the event's zone, UTC for whole days, so that 9:00 stays 9:00.
type rule struct {
	start  time.Time
	zone   *time.Location
	allDay bool
	text   string         // of the RRULE, "" for none
	option *rrule.ROption // nil for none
	added  []time.Time    // RDATE
	except []time.Time    // EXDATE
}

// newRule reads the recurrence of an event. The error is a sentence for a person.
func newRule(e chat.CalendarEvent) (rule, error) {
	zone, ok := ics.Zone(e.Zone)
	if e.AllDay {
		zone, ok = time.UTC, true
	}
	if !ok {
		return rule{}, invalid("%q is not an IANA time zone such as Europe/Berlin.", brief(e.Zone))
	}
	r := rule{start: e.Start.In(zone), zone: zone, allDay: e.AllDay}
	for _, text := range e.Recurrence {
		if err := r.add(text); err != nil {
			return rule{}, err
		}
	}
	if n := len(r.added) + len(r.except); n > mostDates {
		return rule{}, overLimit("recurrence", n, mostDates, "dates", "event_dates")
	}
	r.added, r.except = sorted(r.added), sorted(r.except)
	return r, nil
}

func (r *rule) add(text string) error {
	l, err := ics.ParseLine(strings.TrimSpace(text))
	if err != nil {
		return invalid("recurrence has a line that is not one of RRULE:…, RDATE:… and EXDATE:….")
	}
	switch l.Name {
	case "RRULE":
		if r.option != nil {
			return invalid("recurrence has more than one RRULE.")
		}
		return r.repeat(l.Value)
	case "RDATE", "EXDATE":
		times, dates, err := l.Times(r.zone, func(tzid string) (*time.Location, error) {
			if zone, ok := ics.Zone(tzid); ok {
				return zone, nil
			}
			return nil, fmt.Errorf("the time zone %q is not known", brief(tzid))
		})
		if err == nil && dates != r.allDay {
			err = errors.New("dates belong to events of whole days, and times to others")
		}
		if err != nil {
			return invalid("%s of recurrence cannot be read: %s.", l.Name, err.Error())
		}
		for i := range times {
			times[i] = times[i].In(r.zone)
		}
		if l.Name == "RDATE" {
			r.added = append(r.added, times...)
		} else {
			r.except = append(r.except, times...)
		}
		return nil
	}
	return invalid("recurrence has a line %s; only RRULE, RDATE and EXDATE are known.", brief(l.Name))
}

// repeat reads a RRULE. It refuses what the library would take and then run
// forever, or fall over.
func (r *rule) repeat(text string) (err error) {
	text = strings.ToUpper(strings.Join(strings.Fields(text), ""))
	if len(text) > mostRule {
		return overLimit("RRULE", len(text), mostRule, "characters", "event_rule_characters")
	}
	defer func() {
		if p := recover(); p != nil { // the library trusts its input more than we do
			err = invalid("RRULE cannot be followed.")
		}
	}()
	option, err := rrule.StrToROptionInLocation(r.untilEnd(text), r.zone)
	if err != nil {
		return invalid("RRULE cannot be read: %s.", brief(err.Error()))
	}
	option.Dtstart = r.start
	if _, err := rrule.NewRRule(*option); err != nil {
		return invalid("RRULE cannot be followed: %s.", brief(err.Error()))
	}
	switch {
	case len(option.Byeaster) > 0:
		return invalid("RRULE has BYEASTER, which RFC 5545 does not know.")
	case option.Interval > mostInterval:
		return overLimit("RRULE", option.Interval, mostInterval, "as INTERVAL", "event_interval")
	case option.Count > mostCount:
		return overLimit("RRULE", option.Count, mostCount, "as COUNT", "event_count")
	case timesADay(*option) > mostADay:
		return overLimit("RRULE", timesADay(*option), mostADay, "times a day", "event_times_a_day")
	}
	for _, day := range option.Byweekday {
		// The library looks behind its tables for the 53rd Monday of a month.
		if n := day.N(); (n > 5 || n < -5) && (option.Freq == rrule.MONTHLY || len(option.Bymonth) > 0) {
			return invalid("RRULE has BYDAY=%s, and no month has so many.", day.String())
		}
	}
	r.text, r.option = text, option
	return nil
}

// untilEnd lets a last day that is only a date count whole, as it is meant by
// programs that write it so for events that have a time.
func (r *rule) untilEnd(text string) string {
	if r.allDay {
		return text
	}
	parts := strings.Split(text, ";")
	for i, p := range parts {
		if date, ok := strings.CutPrefix(p, "UNTIL="); ok && len(date) == len("20060102") {
			parts[i] = p + "T235959"
		}
	}
	return strings.Join(parts, ";")
}

// timesADay is how often a rule of days or more comes on one day, at most.
func timesADay(o rrule.ROption) int {
	if o.Freq >= rrule.HOURLY {
		return 1
	}
	return max(1, len(o.Byhour)) * max(1, len(o.Byminute)) * max(1, len(o.Bysecond))
}

// lines are the recurrence as it is stored: one line of each kind, in one form.
func (r rule) lines() []string {
	var lines []string
	if r.option != nil {
		lines = append(lines, "RRULE:"+r.text)
	}
	if len(r.added) > 0 {
		lines = append(lines, ics.TimesLine("RDATE", r.added, r.zone, r.allDay).String())
	}
	if len(r.except) > 0 {
		lines = append(lines, ics.TimesLine("EXDATE", r.except, r.zone, r.allDay).String())
	}
	return lines
}

// from yields when the event begins, at or after a time, in order. The start
// itself always counts, also for COUNT (RFC 5545 section 3.8.5.3).
func (r rule) from(t time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		except := map[int64]bool{}
		for _, x := range r.except {
			except[x.Unix()] = true
		}
		fixed := sorted(append([]time.Time{r.start}, r.added...))
		next := r.repeated(t)
		rule, more := next()
		last := time.Time{}
		for more || len(fixed) > 0 {
			var at time.Time
			if len(fixed) > 0 && (!more || !fixed[0].After(rule)) {
				at, fixed = fixed[0], fixed[1:]
			} else {
				at = rule
				rule, more = next()
			}
			if at.Before(t) || at.Equal(last) || except[at.Unix()] {
				continue
			}
			if last = at; !yield(at) {
				return
			}
		}
	}
}

// repeated iterates over what the RRULE makes, beginning before t.
func (r rule) repeated(t time.Time) rrule.Next {
	none := func() (time.Time, bool) { return time.Time{}, false }
	if r.option == nil {
		return none
	}
	option := *r.option
	if option.Count == 0 {
		option = forward(option, t)
	}
	made, err := rrule.NewRRule(option)
	if err != nil {
		return none // checked when the rule was read
	}
	if option.Count > 0 {
		if first, ok := made.Iterator()(); ok && !first.Equal(r.start) {
			if option.Count--; option.Count == 0 {
				return none
			}
			if made, err = rrule.NewRRule(option); err != nil {
				return none
			}
		}
	}
	return made.Iterator()
}

// last is when the last occurrence of a length ends, zero when there is none. It
// may be too late, by what falls out, and is never too early.
func (r rule) last(length time.Duration) time.Time {
	last := r.start
	if r.option != nil {
		switch {
		case r.option.Count > 0:
			for at := range r.from(r.start) {
				last = later(last, at)
			}
		case !r.option.Until.IsZero():
			last = later(last, r.option.Until)
		default:
			return time.Time{}
		}
	}
	for _, at := range r.added {
		last = later(last, at)
	}
	return last.Add(length).UTC()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// sorted orders times and removes doubles.
func sorted(times []time.Time) []time.Time {
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}
