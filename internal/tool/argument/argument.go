// Package argument has what the tools share in reading what a model sends and in
// keeping what they send back within bounds.
package argument

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/tool"
)

// MaxCharacters bounds one result, so that it fits beside others into a context.
const MaxCharacters = 60_000

// Decode reads the arguments of a call, which have been checked against the schema.
func Decode[T any](call tool.Call) (T, error) {
	var args T
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return args, fmt.Errorf("read arguments: %w", err)
	}
	return args, nil
}

// Window is the time range that tools take.
type Window struct {
	StartDate string `json:"start_date"`
	EndDate   string `json:"end_date"`
}

// Parse reads the dates; one that is not given is zero.
func (w Window) Parse() (from, until time.Time, err error) {
	return Range("start_date", w.StartDate, "end_date", w.EndDate)
}

// Range reads two dates by the names of their parameters.
func Range(fromName, fromText, untilName, untilText string) (from, until time.Time, err error) {
	if from, err = Time(fromName, fromText); err != nil {
		return
	}
	if until, err = Time(untilName, untilText); err != nil {
		return
	}
	if !from.IsZero() && !until.IsZero() && until.Before(from) {
		err = tool.Problem(untilName + " is before " + fromName + ".")
	}
	return
}

// Time reads a date, zero when text is empty. It must carry an offset: without
// one it would silently mean another day to a person in another zone.
func Time(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"} {
		if _, err := time.Parse(layout, text); err == nil {
			return time.Time{}, tool.Problem(fmt.Sprintf(
				"%s has no time zone. Write it as YYYY-MM-DDTHH:MM:SS+HH:MM, for example 2024-01-19T00:00:00-08:00.", name))
		}
	}
	return time.Time{}, tool.Problem(name + " is not an ISO 8601 date. Write it as YYYY-MM-DDTHH:MM:SS+HH:MM, for example 2024-01-19T00:00:00-08:00.")
}

// ShowTime is a time as models read it, "" for none.
func ShowTime(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format(time.RFC3339)
}

// Budget counts the characters that still fit into a result.
type Budget struct{ Left int }

// Take reports whether one more item with that text fits.
func (b *Budget) Take(text string) bool {
	b.Left -= utf8.RuneCountInString(text) + 60 // the JSON around it
	return b.Left >= 0
}

// Object joins the properties of a JSON schema. required is a list such as `"a","b"`.
func Object(required string, properties ...string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":[` + required + `],"additionalProperties":false}`)
}
