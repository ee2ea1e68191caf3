package process

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"confidant/internal/chat"
)

// maxMentions bounds each list, so that filters stay filters.
const maxMentions = 60

// metadata notes who and what the conversation speaks of.
func (r *run) metadata(ctx context.Context) (result, error) {
	if r.c.Discarded {
		return skipped("Discarded."), nil
	}
	c := r.c
	if r.opt.Model == nil {
		c.Mentions = r.byRule()
		return waiting(chat.Outcome{Conversation: &c}), nil
	}
	var found chat.Mentions
	for _, w := range windows(r.segments) {
		answer, err := ask[chat.Mentions](ctx, r, metadataPrompt, r.setting(), w.text)
		if err != nil {
			return result{}, err
		}
		found.People = append(found.People, answer.People...)
		found.Topics = append(found.Topics, answer.Topics...)
		found.Entities = append(found.Entities, answer.Entities...)
		found.Dates = append(found.Dates, answer.Dates...)
	}
	rules := r.byRule()
	c.Mentions = chat.Mentions{
		People:   normalised(append(found.People, rules.People...)),
		Topics:   normalised(found.Topics),
		Entities: normalised(found.Entities),
		Dates:    validDates(append(found.Dates, rules.Dates...)),
	}
	return result{state: chat.StepDone, prompt: metadataPrompt.Name, outcome: chat.Outcome{Conversation: &c}}, nil
}

// byRule is what can be told for certain without a model: who spoke, and the
// days that were named.
func (r *run) byRule() chat.Mentions {
	var people, dates []string
	for _, name := range r.c.Speakers {
		if !generic.MatchString(name) {
			people = append(people, name)
		}
	}
	for _, s := range r.segments {
		dates = append(dates, datesIn(s.Text, r.c.At(s).In(r.opt.Zone), !r.c.StartedAt.IsZero())...)
		if len(dates) > 4*maxMentions {
			break
		}
	}
	return chat.Mentions{People: normalised(people), Dates: validDates(dates)}
}

// generic is the name that a machine gives to somebody whom it does not know.
var generic = regexp.MustCompile(`(?i)^\s*(speaker|sprecher(in)?|unknown|unbekannt|user|guest|participant|person|spk)?[\s_-]*\d*\s*$`)

var (
	isoDate  = regexp.MustCompile(`\b(\d{4})-(\d\d)-(\d\d)\b`)
	longDate = regexp.MustCompile(`(?i)\b(?:(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(` + monthNames + `)|(` + monthNames + `)\s+(\d{1,2})(?:st|nd|rd|th)?)\b(?:,?\s+(\d{4}))?`)
	dayWords = regexp.MustCompile(`(?i)\b(today|tomorrow|yesterday|heute|morgen|gestern)\b`)
)

const monthNames = `january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember`

var months = map[string]time.Month{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12,
}

// datesIn finds the days that a text names. Days relative to it, and those
// without a year, need to know when it was said.
func datesIn(text string, said time.Time, known bool) []string {
	var list []string
	list = append(list, isoDate.FindAllString(text, -1)...)
	for _, m := range longDate.FindAllStringSubmatch(text, -1) {
		day, month, year := m[1]+m[4], months[strings.ToLower(m[2]+m[3])], m[5]
		if year == "" {
			if !known {
				continue
			}
			year = said.Format("2006")
		}
		if t, err := time.Parse("2006-1-2", year+"-"+time.Date(2000, month, 1, 0, 0, 0, 0, time.UTC).Format("1")+"-"+day); err == nil {
			list = append(list, t.Format(time.DateOnly))
		}
	}
	if !known {
		return list
	}
	for _, m := range dayWords.FindAllString(text, -1) {
		switch strings.ToLower(m) {
		case "today", "heute":
			list = append(list, said.Format(time.DateOnly))
		case "tomorrow", "morgen":
			list = append(list, said.AddDate(0, 0, 1).Format(time.DateOnly))
		default:
			list = append(list, said.AddDate(0, 0, -1).Format(time.DateOnly))
		}
	}
	return list
}

// validDates keeps real days, each once, in order.
func validDates(dates []string) []string {
	var list []string
	for _, d := range dates {
		if _, err := time.Parse(time.DateOnly, d); err == nil && !slices.Contains(list, d) && len(list) < maxMentions {
			list = append(list, d)
		}
	}
	slices.Sort(list)
	return list
}

// short are the expressions that have a usual short form (facts/omi.md section 9).
var short = map[string]string{"artificial intelligence": "ai", "machine learning": "ml", "natural language processing": "nlp"}

// fillers are dropped from names of things.
var fillers = map[string]bool{
	"the": true, "a": true, "an": true, "and": true, "or": true, "but": true, "in": true, "on": true, "at": true, "to": true,
}

// Normalise brings a name into the form in which mentions are kept and looked
// for: lower case, no punctuation but the hyphen, no articles.
func Normalise(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '-' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		case r == '\'' || r == '’' || r == '.':
			return -1
		}
		return ' '
	}, name)
	words := slices.DeleteFunc(strings.Fields(name), func(w string) bool { return fillers[w] })
	name = strings.Join(words, " ")
	if s, ok := short[name]; ok {
		return s
	}
	return name
}

func normalised(names []string) []string {
	var list []string
	for _, n := range names {
		if n = Normalise(cutRunes(n, 100)); n != "" && !generic.MatchString(n) && !slices.Contains(list, n) && len(list) < maxMentions {
			list = append(list, n)
		}
	}
	return list
}
