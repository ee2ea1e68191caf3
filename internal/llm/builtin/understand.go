package builtin

import (
	"regexp"
	"strconv"
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
