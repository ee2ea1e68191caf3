package modelserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Directive is an order to the model in a message:
//
//	[[tool:NAME {json}]]       call the tool, together with those of other tool directives, then say what came back
//	[[loop:NAME {json}]]       call the tool in every step with other arguments, until no tools are offered
//	[[repeat:NAME {json}]]     the same with the same arguments
//	[[answer:SCHEMA {json}]]   the answer when JSON of the schema of that name is asked for; its version, from the
//	                           first underscore on, may be left out
//	[[reason]]                 reason first
//	[[deltas:N every:50ms]]    stream N numbered deltas, see Stamps
//	[[fault:KIND ...]]         stall, cut, end, malformed, error, 429, 500 or badargs; more words may follow:
//	                           after:N (deltas, 2 unless told), step:N (of the model since the question, 1 unless
//	                           told), once (the same question goes through when it is asked again),
//	                           wait:1s (the Retry-After of a 429)
//
// What is not understood stays in the message as text.
type Directive struct {
	// Name is what stands before the colon.
	Name string
	// Subject is the first word after it: the tool, the kind of fault, the number.
	Subject string
	// Arguments is the tool's JSON object, "{}" without one.
	Arguments string
	// Options are the words after the subject, cut at their colon.
	Options map[string]string
}

// ParseDirectives splits a message into its directives and the rest of its text.
func ParseDirectives(text string) (directives []Directive, rest string) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "[[")
		b.WriteString(before)
		if !found {
			return directives, strings.TrimSpace(b.String())
		}
		d, tail, err := parseDirective(after)
		if err != nil {
			b.WriteString("[[")
			text = after
			continue
		}
		directives = append(directives, d)
		text = tail
	}
}

// errDirective is the reason of everything that is not a directive.
var errDirective = errors.New("not a directive")

// parseDirective reads a directive after its opening brackets, and returns what
// follows its closing ones.
func parseDirective(text string) (d Directive, tail string, err error) {
	end := strings.IndexAny(text, ":]")
	if end < 0 {
		return d, "", errDirective
	}
	d.Name = text[:end]
	switch d.Name {
	case "tool", "loop", "repeat", "answer":
		return parseCall(d, text[end:])
	case "reason", "deltas", "fault":
		body, tail, found := strings.Cut(text[end:], "]]")
		if !found {
			return d, "", errDirective
		}
		words := strings.Fields(strings.TrimPrefix(body, ":"))
		if len(words) > 0 {
			d.Subject, words = words[0], words[1:]
		}
		d.Options = map[string]string{}
		for _, w := range words {
			key, value, _ := strings.Cut(w, ":")
			d.Options[key] = value
		}
		return d, tail, nil
	}
	return d, "", errDirective
}

// parseCall reads ":NAME {json}]]". The JSON may itself contain brackets.
func parseCall(d Directive, text string) (Directive, string, error) {
	text = strings.TrimPrefix(text, ":")
	end := strings.IndexAny(text, " ]{")
	if end <= 0 {
		return d, "", errDirective
	}
	d.Subject, d.Arguments = text[:end], "{}"
	text = strings.TrimLeft(text[end:], " ")
	if strings.HasPrefix(text, "{") {
		dec := json.NewDecoder(strings.NewReader(text))
		var object map[string]json.RawMessage
		if err := dec.Decode(&object); err != nil {
			return d, "", errDirective
		}
		d.Arguments, text = text[:dec.InputOffset()], text[dec.InputOffset():]
	}
	tail, found := strings.CutPrefix(strings.TrimLeft(text, " "), "]]")
	if !found {
		return d, "", errDirective
	}
	return d, tail, nil
}

// number is an option or subject as a number between 0 and limit.
func number(s string, fallback, limit int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fallback
	}
	return min(n, limit)
}

// fault is the fault that a directive orders for a step of the model, counted
// from 1; nil when it orders none for this step.
func (d Directive) fault(step int) *Fault {
	if d.Name != "fault" || number(d.Options["step"], 1, 1000) != step {
		return nil
	}
	_, once := d.Options["once"]
	f := &Fault{Kind: FaultKind(d.Subject), After: number(d.Options["after"], 2, 1e6), Once: once}
	switch d.Subject {
	case "429":
		wait, err := time.ParseDuration(d.Options["wait"])
		if err != nil {
			wait = time.Second
		}
		f.Status, f.Code, f.Message, f.RetryAfter = http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached.", wait
	case "500":
		f.Status, f.Code, f.Message = http.StatusInternalServerError, "server_error", "The server had an error."
	case "error":
		f.Code, f.Message = "server_error", "The model had an error."
	case "stall", "cut", "end", "malformed":
	default:
		return nil
	}
	return f
}

// vary returns the directive's arguments for a step, different in each: numbers
// are moved on and texts get another beginning.
func (d Directive) vary(step int) string {
	var args map[string]any
	if d.Name == "repeat" || json.Unmarshal([]byte(d.Arguments), &args) != nil {
		return d.Arguments
	}
	for key, value := range args {
		switch v := value.(type) {
		case float64:
			args[key] = v + float64(step-1)
		case string:
			args[key] = fmt.Sprintf("%016x %s", uint64(step)*0x9e3779b97f4a7c15, v)
		}
	}
	varied, err := json.Marshal(args)
	if err != nil {
		return d.Arguments
	}
	return string(varied)
}
