package ics

import (
	"errors"
	"strings"
)

// component is what stands between BEGIN and END.
type component struct {
	name  string
	lines []Line // its own, not those of its parts
	parts []component
	no    int // of its BEGIN
	// broken is what is wrong with it, at line brokenAt.
	broken   error
	brokenAt int
}

// value is that of the first line of a name, "" when there is none.
func (c component) value(name string) string {
	for _, l := range c.lines {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// mostDepth is how deep components may be nested. Real ones are three deep.
const mostDepth = 20

var (
	errDepth = errors.New("components are nested too deeply")
	errNoEnd = errors.New("it has no END")
)

// components reads a file as far as it can be read: what is wrong within a
// component breaks only that one.
func components(data string) (component, error) {
	stack := []component{{name: "the file"}}
	top := func() *component { return &stack[len(stack)-1] }
	pop := func() {
		done := *top()
		stack = stack[:len(stack)-1]
		top().parts = append(top().parts, done)
	}
	for no, text := range unfold(data) {
		l, err := ParseLine(text)
		l.No = no
		switch {
		case err != nil:
			if top().broken == nil {
				top().broken, top().brokenAt = err, no
			}
		case l.Name == "BEGIN":
			if len(stack) > mostDepth {
				return component{}, errDepth
			}
			stack = append(stack, component{name: strings.ToUpper(strings.TrimSpace(l.Value)), no: no})
		case l.Name == "END":
			name := strings.ToUpper(strings.TrimSpace(l.Value))
			open := len(stack) - 1
			for open > 0 && stack[open].name != name {
				open--
			}
			if open == 0 {
				continue // the end of nothing
			}
			for len(stack)-1 > open {
				top().broken, top().brokenAt = errNoEnd, top().no
				pop()
			}
			pop()
		default:
			top().lines = append(top().lines, l)
		}
	}
	for len(stack) > 1 {
		if top().name != "VCALENDAR" { // the last END may be cut off without loss
			top().broken, top().brokenAt = errNoEnd, top().no
		}
		pop()
	}
	return stack[0], nil
}
