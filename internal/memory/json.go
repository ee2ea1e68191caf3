package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"confidant/internal/chat"
)

// expected is what a JSON file may hold, for people whose file holds something else.
const expected = ` Expected is a list of segments such as [{"speaker":"Ana","text":"Hello","start":0,"end":1.5}], ` +
	`or an object {"title":"…","started_at":"2026-03-14T09:00:00Z","segments":[…]}, or a list of such objects.`

// record is an entry of a JSON file: a segment, or a whole conversation.
type record struct {
	// A segment's.
	Text    *string  `json:"text"`
	Speaker name     `json:"speaker"`
	Start   *seconds `json:"start"`
	End     *seconds `json:"end"`
	Time    instant  `json:"time"`
	Session name     `json:"session"`
	Scope   name     `json:"scope"`

	// Both have one.
	Title name `json:"title"`

	// A conversation's. Recordings of Omi call their segments transcript_segments
	// and keep their title in an object.
	StartedAt  instant          `json:"started_at"`
	FinishedAt instant          `json:"finished_at"`
	CreatedAt  instant          `json:"created_at"`
	Segments   *[]record        `json:"segments"`
	Omi        *[]record        `json:"transcript_segments"`
	Transcript *json.RawMessage `json:"transcript"`
	Structured struct {
		Title name `json:"title"`
	} `json:"structured"`
}

// readJSON reads one JSON value: a list of segments or of conversations, or one
// conversation.
func readJSON(text string, zone *time.Location) ([]Draft, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed[0] == '[' {
		var list []record
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, broken(text, err)
		}
		return gather(list, "Entry", zone)
	}
	var one record
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		return nil, broken(text, err)
	}
	return gather([]record{one}, "Entry", zone)
}

// readLines reads one JSON object a line. Some programs write a JSON file of one
// value under this name; that is read too.
func readLines(text string, zone *time.Location) ([]Draft, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return readJSON(text, zone)
	}
	var list []record
	var numbers []int
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			if len(list) == 0 && json.Valid([]byte(text)) {
				return readJSON(text, zone)
			}
			return nil, chat.Fail(chat.CodeInvalid, fmt.Sprintf("Line %d is not a JSON object of the kind that can be imported: %s.", n, reason(err))+expected)
		}
		list = append(list, r)
		numbers = append(numbers, n)
	}
	return gather(list, "Line", zone, numbers...)
}

// broken says where a JSON file stops being one.
func broken(text string, err error) error {
	at := int64(0)
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = e.Offset
	} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = e.Offset
	}
	where := ""
	if at > 0 {
		where = fmt.Sprintf(" at line %d", 1+strings.Count(text[:min(int(at), len(text))], "\n"))
	}
	return chat.Fail(chat.CodeInvalid, fmt.Sprintf("The JSON cannot be imported: %s%s.", reason(err), where)+expected)
}

// reason is what is wrong with JSON, without what it says.
func reason(err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return "there is a " + e.Value + " where an object should be"
		}
		return fmt.Sprintf("%s is a %s", e.Field, e.Value)
	}
	if errors.Is(err, errNotName) || errors.Is(err, errNotSeconds) || errors.Is(err, errNotTime) {
		return err.Error()
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return e.Error()
	}
	return "it is not JSON"
}

// seconds is a number, or a clock such as "00:01:02.5".
type seconds float64

var errNotSeconds = errors.New("a start or an end is neither a number of seconds nor a time such as 00:01:02")

// UnmarshalJSON implements json.Unmarshaler.
func (s *seconds) UnmarshalJSON(data []byte) error {
	var v float64
	if json.Unmarshal(data, &v) == nil {
		*s = seconds(v)
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) != nil {
		return errNotSeconds
	}
	if json.Unmarshal([]byte(text), &v) == nil {
		*s = seconds(v)
		return nil
	}
	*s = seconds(parseClock(text))
	return nil
}

func (s *seconds) value() float64 {
	if s == nil {
		return -1
	}
	return known(float64(*s))
}

// name is a string, or a number that stands for one.
type name string

var errNotName = errors.New("a speaker, title, session or scope is not a string")

// UnmarshalJSON implements json.Unmarshaler.
func (n *name) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	if json.Unmarshal(data, (*string)(n)) == nil {
		return nil
	}
	var number json.Number
	if json.Unmarshal(data, &number) != nil {
		return errNotName
	}
	*n = name(number)
	return nil
}

// instant is a date as a string, kept until the zone is known, or a number of
// seconds since 1970.
type instant struct {
	text string
	at   time.Time
}

var errNotTime = errors.New("a time is neither a date such as 2026-03-14T09:00:00Z nor a number of seconds since 1970")

// UnmarshalJSON implements json.Unmarshaler.
func (i *instant) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &i.text) == nil {
		return nil
	}
	var unix float64
	if json.Unmarshal(data, &unix) != nil {
		return errNotTime
	}
	if unix > 1e11 { // milliseconds, as JavaScript counts
		unix /= 1000
	}
	if t := time.UnixMilli(int64(unix * 1000)).UTC(); unix > 0 && plausible(t) {
		i.at = t
	}
	return nil
}

// in returns the time, zero when there is none that can be understood.
func (i instant) in(zone *time.Location) time.Time {
	if i.text == "" {
		return i.at
	}
	t, _ := parseTime(i.text, zone)
	return t
}
