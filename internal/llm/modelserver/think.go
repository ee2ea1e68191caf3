package modelserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Names of the tools that the rules know.
const (
	addTool    = "addNumbers"
	searchTool = "search_conversations_tool"
)

// think answers a request by rules.
func think(req *Request) Step {
	if req.Schema != nil {
		directives, topic := ParseDirectives(req.question())
		family, _, _ := strings.Cut(req.SchemaName, "_")
		for _, d := range directives {
			if d.Name == "answer" && (d.Subject == req.SchemaName || d.Subject == family) {
				return Step{Text: words(d.Arguments)}
			}
		}
		return Step{Text: words(example(req.Schema, topic))}
	}
	directives, question := ParseDirectives(req.question())
	_, steps := req.since()
	step := obey(req, directives, question)
	for _, d := range directives {
		switch {
		case d.Name == "reason":
			step.Reasoning = []string{"The question is short, so the answer can be. ", "Nothing speaks against answering at once. "}
		case d.Name == "fault" && d.Subject == "badargs":
			step = spoilArguments(req, step)
		}
		if f := d.fault(steps + 1); f != nil {
			step.Fault = f
		}
	}
	return step
}

// obey is the answer without reasoning and faults.
func obey(req *Request, directives []Directive, question string) Step {
	results, steps := req.since()
	var calls []Call
	for _, d := range directives {
		switch d.Name {
		case "deltas":
			every, err := time.ParseDuration(d.Options["every"])
			if err != nil || every < 0 {
				every = 0
			}
			return Step{Numbered: number(d.Subject, 10, 1e6), Every: every}
		case "loop", "repeat":
			if len(req.Tools) == 0 {
				return says("Stopped after %d tool results.", len(results))
			}
			return Step{Calls: []Call{{Name: d.Subject, Arguments: d.vary(steps + 1)}}}
		case "tool":
			calls = append(calls, Call{Name: d.Subject, Arguments: d.Arguments})
		}
	}
	if len(calls) > 0 && len(results) == 0 && len(req.Tools) > 0 {
		return Step{Calls: calls}
	}
	if len(calls) > 0 {
		return says("The tools answered: %s", strings.Join(results, " | "))
	}
	return answer(req, question, results)
}

// answer is what the rules make of a plain question.
func answer(req *Request, question string, results []string) Step {
	if sum := findSum(question); sum != nil {
		return add(req, sum, results)
	}
	if req.offers(searchTool) && aboutRecords(question) {
		if len(results) == 0 {
			args, _ := json.Marshal(map[string]string{"query": question}) // strings always encode
			return Step{Calls: []Call{{Name: searchTool, Arguments: string(args)}}}
		}
		return quote(results[len(results)-1])
	}
	if question == "" {
		return says("You did not say anything. I can see %d earlier messages.", req.earlier())
	}
	return says("You said: “%s”. I am a scripted model, not a language model, and I can see %d earlier messages.", question, req.earlier())
}

// says is an answer in words.
func says(format string, args ...any) Step { return Step{Text: words(fmt.Sprintf(format, args...))} }

var (
	ownWords   = regexp.MustCompile(`(?i)\b(i|my|me|mine|we|our|us|conversations?|recordings?|meetings?|remember)\b`)
	questioned = regexp.MustCompile(`(?i)\?|^\s*(what|when|who|where|which|why|how|did|do|does|have|find|search|show|tell|summari[sz]e)\b`)
)

// aboutRecords reports whether a question is about the person's own records.
func aboutRecords(question string) bool {
	return ownWords.MatchString(question) && questioned.MatchString(question)
}

// quote answers with the first result of a search and its citation marker.
func quote(result string) Step {
	var found struct {
		Results []struct {
			Cite int    `json:"cite"`
			Text string `json:"text"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(result), &found); err != nil {
		return says("The search did not work: %s", result)
	}
	if len(found.Results) == 0 {
		return says("I found nothing about that in your records.")
	}
	first := found.Results[0]
	return says("Your records say: “%s” [%d]", first.Text, first.Cite)
}

// spoilArguments breaks the JSON of the step's calls, or makes a broken call of
// the first tool when the step has none.
func spoilArguments(req *Request, step Step) Step {
	results, _ := req.since()
	if len(results) > 0 || len(req.Tools) == 0 {
		return step
	}
	if len(step.Calls) == 0 {
		step = Step{Calls: []Call{{Name: req.Tools[0].Name}}}
	}
	for i := range step.Calls {
		step.Calls[i].Arguments = `{"broken": [1, `
	}
	return step
}
