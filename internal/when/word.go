package when

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	"januar": 1, "jänner": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12, "okt": 10, "dez": 12,
}

var weekdays = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6, "sonnabend": 6, "sonntag": 0,
}

// seasons begin with the month; they last three.
var seasons = map[string]time.Month{
	"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
	"frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9,
}

var numbers = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"a couple of": 2, "ein": 1, "eine": 1, "einem": 1, "einer": 1, "einen": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8,
	"neun": 9, "zehn": 10, "elf": 11, "zwölf": 12,
}

var units = map[string]unit{
	"minute": minute, "minutes": minute, "minuten": minute, "hour": hour, "hours": hour, "stunde": hour, "stunden": hour,
	"day": day, "days": day, "tag": day, "tage": day, "tagen": day, "week": week, "weeks": week, "woche": week, "wochen": week,
	"weekend": weekend, "weekends": weekend, "wochenende": weekend, "wochenenden": weekend, "month": month, "months": month, "monat": month, "monate": month, "monaten": month,
	"quarter": quarter, "quarters": quarter, "quartal": quarter, "year": year, "years": year, "jahr": year, "jahre": year, "jahren": year,
}

// The words by which one of several is chosen.
var choices = map[string]which{
	"last": before, "previous": before, "past": before, "this": this, "next": after, "coming": after,
	"letzte": before, "letzten": before, "letzter": before, "letztes": before, "vorige": before, "vorigen": before, "voriges": before,
	"vergangene": before, "vergangenen": before, "vergangenes": before, "diese": this, "diesen": this, "dieser": this, "dieses": this, "diesem": this,
	"nächste": after, "nächsten": after, "nächster": after, "nächstes": after, "kommende": after, "kommenden": after, "kommendes": after,
}

// anyOf is a pattern of the keys of a table, the longest first.
func anyOf[V any](table map[string]V) string {
	keys := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	for i, k := range keys {
		keys[i] = regexp.QuoteMeta(k)
	}
	return "(" + strings.Join(keys, "|") + ")"
}

// compile replaces the names of tables in a pattern and gives it borders: Go's
// own \b knows ASCII letters only.
func compile(pattern string) *regexp.Regexp {
	return regexp.MustCompile(tables.Replace(pattern))
}

var tables = strings.NewReplacer(
	"<month>", anyOf(months), "<weekday>", anyOf(weekdays), "<season>", anyOf(seasons), "<holiday>", anyOf(holidays),
	"<unit>", anyOf(units), "<choice>", anyOf(choices), "<n>", `(\d{1,3}|`+anyOf(numbers)[1:], "<day>", `(\d{1,2})`, "<year>", `((?:19|20|21)\d\d)`,
	"<<", `(?:^|[^\pL\pN])`, ">>", `(?:$|[^\pL\pN])`,
)

// number reads digits or a word, 0 for what is none.
func number(text string) int {
	if n, ok := numbers[text]; ok {
		return n
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
