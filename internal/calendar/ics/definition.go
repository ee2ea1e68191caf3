package ics

import (
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// definition is a VTIMEZONE (RFC 5545 section 3.6.5). Real ones are incomplete,
// old or wrong, so it serves to recognise a known zone and for nothing else.
type definition struct {
	location    string // X-LIC-LOCATION
	observances []observance
}

// observance is a STANDARD or DAYLIGHT part: from each of its onsets, in the time
// of the clocks before it (in UTC here), the offset is to.
type observance struct {
	onsets   []time.Time
	endless  bool // it goes on behind the last onset
	from, to int  // seconds
}

// What is looked at of a file's zones. Outlook's rules begin in 1601.
const (
	mostOnsets      = 600 // of one observance
	mostObservances = 600 // of one zone
	mostDefinitions = 100 // of one file
)

// sampleYear is a year in which today's rules hold.
const sampleYear = 2025

func newDefinition(c component) definition {
	d := definition{location: c.value("X-LIC-LOCATION")}
	for _, part := range c.parts[:min(len(c.parts), mostObservances)] {
		if o, ok := newObservance(part); ok {
			d.observances = append(d.observances, o)
		}
	}
	return d
}

func newObservance(c component) (observance, bool) {
	from, okFrom := utcOffset(c.value("TZOFFSETFROM"))
	to, okTo := utcOffset(c.value("TZOFFSETTO"))
	start, err := time.Parse(localForm, c.value("DTSTART"))
	if !okFrom || !okTo || err != nil {
		return observance{}, false
	}
	o := observance{onsets: []time.Time{start}, from: from, to: to}
	for _, l := range c.lines {
		switch l.Name {
		case "RDATE":
			if dates, _, err := l.Times(time.UTC, func(string) (*time.Location, error) { return time.UTC, nil }); err == nil {
				o.onsets = append(o.onsets, dates...)
			}
		case "RRULE":
			o.recur(l.Value)
		}
	}
	return o, true
}

// recur adds the onsets of a rule. Zones change by rules of the year; others are
// not looked at.
func (o *observance) recur(text string) {
	defer func() { _ = recover() }() // the library trusts its input more than we do
	option, err := rrule.StrToROption(strings.ToUpper(text))
	if err != nil || option.Freq != rrule.YEARLY || option.Interval > 100 || len(option.Byhour)+len(option.Byminute)+len(option.Bysecond)+len(option.Byeaster) > 0 {
		return
	}
	option.Dtstart = o.onsets[0]
	o.endless = option.Until.IsZero() && option.Count == 0
	if o.endless {
		option.Until = time.Date(sampleYear+50, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	rule, err := rrule.NewRRule(*option)
	if err != nil {
		return
	}
	next := rule.Iterator()
	for range mostOnsets {
		t, ok := next()
		if !ok {
			return
		}
		o.onsets = append(o.onsets, t)
	}
}

// zone is the known zone that behaves as defined.
func (d definition) zone(preferred *time.Location) (*time.Location, bool) {
	if zone, ok := Zone(d.location); ok {
		return zone, true
	}
	if len(d.observances) == 0 {
		return nil, false
	}
	zone := like(preferred, d.sample(), d.offset)
	return zone, zone != nil
}

// sample is when to compare: under today's rules when the definition has them,
// else in the last year that it speaks of.
func (d definition) sample() time.Time {
	var last time.Time
	count := 0
	for _, o := range d.observances {
		if o.endless {
			return time.Date(max(sampleYear, o.onsets[0].Year()+1), 1, 15, 12, 0, 0, 0, time.UTC)
		}
		count += len(o.onsets)
		for _, t := range o.onsets {
			if t.After(last) {
				last = t
			}
		}
	}
	if count == 1 {
		return time.Date(sampleYear, 1, 15, 12, 0, 0, 0, time.UTC)
	}
	return last.AddDate(-1, 0, 5)
}

// offset is the defined offset, in seconds, at a time of the clocks.
func (d definition) offset(wall time.Time) int {
	offset := d.observances[0].from
	var since time.Time
	for _, o := range d.observances {
		for _, t := range o.onsets {
			if !t.After(wall) && t.After(since) {
				since, offset = t, o.to
			}
		}
	}
	return offset
}

// utcOffset reads +0100 or -033000 as seconds.
func utcOffset(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if len(text) != 5 && len(text) != 7 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	n, err := strconv.Atoi((text[1:] + "00")[:6])
	if err != nil || n < 0 {
		return 0, false
	}
	seconds := n/10000*3600 + n/100%100*60 + n%100
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
