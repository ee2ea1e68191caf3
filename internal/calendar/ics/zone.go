package ics

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Zone finds the time zone of a name: one of IANA's, also behind a prefix such as
// /mozilla.org/20050126_1/, one of Windows', or an offset such as UTC+01:00.
func Zone(name string) (*time.Location, bool) {
	name = strings.TrimSpace(name)
	if zone, ok := load(name); ok {
		return zone, true
	}
	if iana, ok := windowsZones[name]; ok {
		return load(iana)
	}
	parts := strings.Split(name, "/")
	for n := 3; n >= 2; n-- {
		if len(parts) > n {
			if zone, ok := load(strings.Join(parts[len(parts)-n:], "/")); ok {
				return zone, true
			}
		}
	}
	if zone, ok := byCity(name); ok {
		return zone, true
	}
	return byOffset(name)
}

// loaded are the zones that were found, by their names; the library reads its file
// each time. There are some six hundred.
var loaded sync.Map

func load(name string) (*time.Location, bool) {
	if name == "" || name == "Local" || len(name) > 60 {
		return nil, false
	}
	if zone, ok := loaded.Load(name); ok {
		return zone.(*time.Location), true
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	loaded.Store(name, zone)
	return zone, true
}

// byCity reads Outlook's "(UTC+01:00) Amsterdam, Berlin, Bern, Rome".
func byCity(name string) (*time.Location, bool) {
	_, cities, found := strings.Cut(name, ") ")
	if !found {
		return nil, false
	}
	for city := range strings.SplitSeq(cities, ", ") {
		for _, zone := range known() {
			if strings.HasSuffix(zone.String(), "/"+strings.ReplaceAll(city, " ", "_")) {
				return zone, true
			}
		}
	}
	return nil, false
}

var offsetName = regexp.MustCompile(`^\(?(?:UTC|GMT) ?([+-])(\d{1,2})(?::?00)?\)?$`)

// byOffset reads names that are whole hours. IANA's names for them have the
// opposite sign.
func byOffset(name string) (*time.Location, bool) {
	m := offsetName.FindStringSubmatch(name)
	if m == nil {
		return nil, false
	}
	hours, err := strconv.Atoi(m[2])
	if err != nil {
		return nil, false
	}
	if hours == 0 {
		return time.UTC, true
	}
	sign := "-"
	if m[1] == "-" {
		sign = "+"
	}
	return load(fmt.Sprintf("Etc/GMT%s%d", sign, hours))
}

// known are the zones that Windows distinguishes, which are all that differ today.
var known = sync.OnceValue(func() []*time.Location {
	zones := []*time.Location{time.UTC}
	for _, name := range slices.Sorted(maps.Values(windowsZones)) {
		if zone, ok := load(name); ok {
			zones = append(zones, zone)
		}
	}
	return zones
})

// ZoneName is the IANA name of a zone, also of the machine's own, which does not
// tell its name: there it is a zone that has the same offsets this year.
func ZoneName(zone *time.Location) string {
	if name := zone.String(); name != "Local" {
		return name
	}
	now := time.Now()
	if found := like(nil, time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC), func(wall time.Time) int {
		return offsetAt(zone, wall)
	}); found != nil {
		return found.String()
	}
	return "UTC"
}

// like finds a zone whose offsets, in seconds, are those that are given at twelve
// times a month apart, preferably a certain one. nil when there is none.
func like(preferred *time.Location, from time.Time, offset func(wall time.Time) int) *time.Location {
	candidates := known()
	if preferred != nil {
		candidates = append([]*time.Location{preferred}, candidates...)
	}
	var want [12]int
	for i := range want {
		want[i] = offset(from.AddDate(0, i, 0))
	}
	for _, zone := range candidates {
		same := true
		for i := range want {
			same = same && offsetAt(zone, from.AddDate(0, i, 0)) == want[i]
		}
		if same {
			return zone
		}
	}
	return nil
}

// offsetAt is a zone's offset in seconds at a time of its clocks.
func offsetAt(zone *time.Location, wall time.Time) int {
	_, offset := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone).Zone()
	return offset
}

// zones finds the zones of one file.
type zones struct {
	local   *time.Location // of times without a zone
	defined map[string]component
	found   map[string]*time.Location
}

// find resolves a TZID: by its name, or else by what the file says of it.
func (z *zones) find(tzid string) (*time.Location, error) {
	if zone, ok := z.found[tzid]; ok {
		return zone, nil
	}
	zone, ok := Zone(tzid)
	if !ok {
		var c component
		if c, ok = z.defined[tzid]; ok {
			zone, ok = newDefinition(c).zone(z.local)
		}
	}
	if !ok {
		return nil, fmt.Errorf("the time zone %q is not known, and what the file says of it fits none", brief(tzid))
	}
	z.found[tzid] = zone
	return zone, nil
}

// brief is a text that fits into a sentence.
func brief(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return text
}
