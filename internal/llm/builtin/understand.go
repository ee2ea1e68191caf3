package builtin

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var sumQuestion = regexp.MustCompile(`^\D*?(-?\d+(?:\.\d+)?)\s*(?:\+|plus)\s*(-?\d+(?:\.\d+)?)\D*$`)

// sum reads a question such as "What is 42 + 58?".
func sum(question string) (a, b float64, ok bool) {
	m := sumQuestion.FindStringSubmatch(question)
	if m == nil {
		return 0, 0, false
	}
	a, errA := strconv.ParseFloat(m[1], 64)
	b, errB := strconv.ParseFloat(m[2], 64)
	return a, b, errA == nil && errB == nil
}

var greeting = regexp.MustCompile(`(?i)^\s*(hi|hello|hey|good (morning|afternoon|evening)|thanks|thank you|hallo|guten (morgen|tag|abend)|danke)[\s!.,]*$`)

func isGreeting(text string) bool { return greeting.MatchString(text) }

var ago = regexp.MustCompile(`\b(\d{1,3}) (hour|day|week|month)s? ago\b`)

// Window turns the time words of a question into a half-open range of times in
// the zone of now. Without such words it reports false.
func Window(question string, now time.Time) (from, until time.Time, ok bool) {
	q := strings.ToLower(question)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	monday := today.AddDate(0, 0, -int(now.Weekday()+6)%7)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location())
	if m := ago.FindStringSubmatch(q); m != nil {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "hour":
			at := now.Add(-time.Duration(n) * time.Hour)
			return at.Add(-time.Hour), at.Add(time.Hour), true
		case "day":
			from = today.AddDate(0, 0, -n)
			return from, from.AddDate(0, 0, 1), true
		case "week":
			from = monday.AddDate(0, 0, -7*n)
			return from, from.AddDate(0, 0, 7), true
		default:
			from = month.AddDate(0, -n, 0)
			return from, from.AddDate(0, 1, 0), true
		}
	}
	for _, w := range []struct {
		words       string
		from, until time.Time
	}{
		{"yesterday", today.AddDate(0, 0, -1), today},
		{"today", today, today.AddDate(0, 0, 1)},
		{"this morning", today, today.Add(12 * time.Hour)},
		{"last week", monday.AddDate(0, 0, -7), monday},
		{"this week", monday, monday.AddDate(0, 0, 7)},
		{"last month", month.AddDate(0, -1, 0), month},
		{"this month", month, month.AddDate(0, 1, 0)},
		{"last year", time.Date(now.Year()-1, 1, 1, 0, 0, 0, 0, now.Location()), time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location())},
	} {
		if strings.Contains(q, w.words) {
			return w.from, w.until, true
		}
	}
	return time.Time{}, time.Time{}, false
}
