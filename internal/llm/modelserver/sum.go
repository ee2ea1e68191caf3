package modelserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// sum is a number, or left + right.
type sum struct {
	value       float64
	left, right *sum
	nested      bool // stood in parentheses
}

// sumLike finds what may be a sum of at least two numbers.
var sumLike = regexp.MustCompile(`[0-9(][0-9.()+ ]{0,200}`)

// findSum returns the first sum in a text, nil when there is none.
func findSum(text string) *sum {
	for _, candidate := range sumLike.FindAllString(text, -1) {
		p := sumParser{rest: strings.TrimRight(candidate, " .+(")}
		if s := p.sum(); s != nil && s.left != nil && strings.Trim(p.rest, " )") == "" {
			s.nested = false
			return s
		}
	}
	return nil
}

// sumParser reads a sum from left to right.
type sumParser struct{ rest string }

func (p *sumParser) next(prefix string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " "), prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *sumParser) sum() *sum {
	left := p.term()
	for left != nil && p.next("+") {
		right := p.term()
		if right == nil {
			return nil
		}
		left = &sum{left: left, right: right}
	}
	return left
}

func (p *sumParser) term() *sum {
	if p.next("(") {
		s := p.sum()
		if s == nil || !p.next(")") {
			return nil
		}
		s.nested = true
		return s
	}
	p.rest = strings.TrimLeft(p.rest, " ")
	end := 0
	for end < len(p.rest) && (p.rest[end] == '.' || p.rest[end] >= '0' && p.rest[end] <= '9') {
		end++
	}
	value, err := strconv.ParseFloat(p.rest[:end], 64)
	if err != nil {
		return nil
	}
	p.rest = p.rest[end:]
	return &sum{value: value}
}

// String is the sum as a person writes it.
func (s *sum) String() string {
	text := format(s.value)
	if s.left != nil {
		text = s.left.String() + " + " + s.right.String()
	}
	if s.nested && s.left != nil {
		return "(" + text + ")"
	}
	return text
}

// add works out a sum with the tool for it, two numbers a call and all calls
// that can be made at once in one step, and without tools in its head.
func add(req *Request, s *sum, results []string) Step {
	question := s.String()
	var values []float64
	for _, r := range results {
		v, ok := asNumber(r)
		if !ok {
			return says("The tool did not return a number: %s", r)
		}
		values = append(values, v)
	}
	for {
		round := s.waiting()
		if len(round) == 0 {
			return says("%s = %s.", question, format(s.value))
		}
		if !req.offers(addTool) {
			for _, a := range round[min(len(values), len(round)):] {
				values = append(values, a.left.value+a.right.value)
			}
		}
		if len(values) < len(round) {
			var calls []Call
			for _, a := range round[len(values):] {
				calls = append(calls, Call{Name: addTool, Arguments: fmt.Sprintf(`{"a":%s,"b":%s}`, format(a.left.value), format(a.right.value))})
			}
			return Step{Calls: calls}
		}
		for i, a := range round {
			*a = sum{value: values[i]}
		}
		values = values[len(round):]
	}
}

// waiting lists the additions whose two sides are known.
func (s *sum) waiting() []*sum {
	if s.left == nil {
		return nil
	}
	if s.left.left == nil && s.right.left == nil {
		return []*sum{s}
	}
	return append(s.left.waiting(), s.right.waiting()...)
}

func format(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// asNumber reads a tool's result: a number, or an object that has one.
func asNumber(result string) (float64, bool) {
	var v float64
	if json.Unmarshal([]byte(result), &v) == nil {
		return v, true
	}
	var object struct {
		Result *float64 `json:"result"`
	}
	if json.Unmarshal([]byte(result), &object) == nil && object.Result != nil {
		return *object.Result, true
	}
	return 0, false
}
