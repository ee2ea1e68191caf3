package modelserver

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Step is the answer to one request: reasoning, then text, then calls.
type Step struct {
	// When says which requests the step may answer; nil is any that does not
	// ask for a JSON schema, so that titles do not eat up a script.
	When func(*Request) bool
	// Reasoning are the parts of the reasoning summary.
	Reasoning []string
	// Text are the deltas of the answer.
	Text []string
	// Numbered adds that many deltas of the form "NUMBER:UNIX_NANOSECONDS ",
	// made at the moment they are sent; see Stamps.
	Numbered int
	// Every is the pause between two deltas, kept without drift.
	Every time.Duration
	// Calls are the tool calls. A call without an id gets one.
	Calls []Call
	// Stop is why the answer ends; empty is the natural reason.
	Stop Stop
	// Usage is what the answer is said to have cost; nil is an estimate.
	Usage *Usage
	// Bare leaves out what careless servers leave out: usage and call ids.
	Bare bool
	// Fault, when set, spoils the answer.
	Fault *Fault
}

// fits reports whether the step may answer req.
func (s Step) fits(req *Request) bool {
	if s.When == nil {
		return req.Schema == nil
	}
	return s.When(req)
}

// Stop is an unnatural reason to stop.
type Stop string

// The unnatural reasons.
const (
	StopLength  Stop = "length"
	StopRefused Stop = "refused"
)

// Call is a tool call.
type Call struct{ ID, Name, Arguments string }

// Usage counts tokens; Input includes Cached.
type Usage struct{ Input, Cached, Output int }

// Fault is a way to fail. A Status fails the request at once; otherwise the
// stream goes wrong after so many deltas, which include reasoning parts and calls.
type Fault struct {
	Kind  FaultKind
	After int
	// Once lets the same question through when it is asked again.
	Once bool

	Status     int
	Code       string
	Message    string
	RetryAfter time.Duration
}

// FaultKind is how a stream goes wrong.
type FaultKind string

// The ways in which streams go wrong.
const (
	// FaultStall sends nothing more and keeps the connection open.
	FaultStall FaultKind = "stall"
	// FaultCut breaks the connection off.
	FaultCut FaultKind = "cut"
	// FaultEnd ends the response properly, but before the terminal event.
	FaultEnd FaultKind = "end"
	// FaultMalformed sends half a JSON value and goes on.
	FaultMalformed FaultKind = "malformed"
	// FaultError sends the API's error event with Code and Message.
	FaultError FaultKind = "error"
)

// writeError answers with the error object that both APIs share.
func writeError(w http.ResponseWriter, f Fault) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	writeJSON(w, f.Status, map[string]any{"error": map[string]any{
		"message": f.Message, "type": f.Code, "code": f.Code, "param": nil,
	}})
}

// usage is the step's usage, or an estimate from the sizes of question and answer.
func (s Step) usage(req *Request) Usage {
	if s.Usage != nil {
		return *s.Usage
	}
	words := s.Numbered
	for _, t := range s.Text {
		words += len(strings.Fields(t))
	}
	for _, c := range s.Calls {
		words += 1 + len(c.Arguments)/4
	}
	return Usage{Input: len(req.Raw)/4 + 1, Output: words + 1}
}

// stop is the reason to stop in the words of Chat Completions.
func (s Step) stop() string {
	switch {
	case s.Stop == StopLength:
		return "length"
	case s.Stop == StopRefused:
		return "content_filter"
	case len(s.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// Stamps reads the times out of a text made of numbered deltas. It returns nil
// for any other text, and when a delta is missing or out of order.
func Stamps(text string) []time.Time {
	var stamps []time.Time
	for i, field := range strings.Fields(text) {
		number, nanos, ok := strings.Cut(field, ":")
		n, err := strconv.Atoi(number)
		ns, err2 := strconv.ParseInt(nanos, 10, 64)
		if !ok || err != nil || err2 != nil || n != i {
			return nil
		}
		stamps = append(stamps, time.Unix(0, ns))
	}
	return stamps
}
