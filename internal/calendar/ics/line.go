package ics

import (
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// Line is a content line (RFC 5545 section 3.1): NAME;PARAM=value:VALUE.
type Line struct {
	Name   string // upper case
	Params []Param
	// Value is as it stands in the file; Unescape reads it where it is text.
	Value string
	// No is the number of its first line in the file, from 1; 0 when there is none.
	No int
}

// Param is a parameter of a line. Its name is upper case, its value without
// quotes and with the escapes of RFC 6868 resolved.
type Param struct{ Name, Value string }

// Get returns the first value of a parameter, "" when it is not there.
func (l Line) Get(name string) string {
	for _, p := range l.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

var errLine = errors.New("a line is not of the form NAME;PARAM=value:VALUE")

// ParseLine reads one unfolded content line.
func ParseLine(text string) (Line, error) {
	end := strings.IndexAny(text, ";:")
	if end <= 0 || !isName(text[:end]) {
		return Line{}, errLine
	}
	l := Line{Name: strings.ToUpper(text[:end])}
	rest := text[end:]
	for rest[0] == ';' {
		name, after, found := strings.Cut(rest[1:], "=")
		if !found || !isName(name) {
			return Line{}, errLine
		}
		var err error
		if rest, err = l.values(strings.ToUpper(name), after); err != nil {
			return Line{}, err
		}
	}
	l.Value = rest[1:]
	return l, nil
}

// values reads the values of a parameter and returns what is behind them, which
// begins with a semicolon or the colon.
func (l *Line) values(name, text string) (string, error) {
	for {
		var value string
		if quoted, ok := strings.CutPrefix(text, `"`); ok {
			value, text, ok = strings.Cut(quoted, `"`)
			if !ok {
				return "", errLine
			}
		} else {
			end := strings.IndexAny(text, ",;:")
			if end < 0 {
				return "", errLine
			}
			value, text = text[:end], text[end:]
		}
		l.Params = append(l.Params, Param{name, fromParam.Replace(value)})
		switch {
		case strings.HasPrefix(text, ","):
			text = text[1:]
		case strings.HasPrefix(text, ";"), strings.HasPrefix(text, ":"):
			return text, nil
		default:
			return "", errLine
		}
	}
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '-' && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != ""
}

// RFC 6868 lets parameters carry quotes and line breaks.
var (
	fromParam = strings.NewReplacer("^n", "\n", "^'", `"`, "^^", "^")
	toParam   = strings.NewReplacer("^", "^^", "\r\n", "^n", "\n", "^n", "\r", "^n", `"`, "^'")
)

// String is the line as it stands in a file, unfolded.
func (l Line) String() string {
	var b strings.Builder
	b.WriteString(l.Name)
	for _, p := range l.Params {
		b.WriteString(";" + p.Name + "=")
		value := toParam.Replace(p.Value)
		if strings.ContainsAny(value, ",;:") {
			value = `"` + value + `"`
		}
		b.WriteString(value)
	}
	b.WriteString(":" + l.Value)
	return b.String()
}

// write puts a line out folded: 75 bytes at most, never within a character.
func (l Line) write(w io.StringWriter) error {
	const most = 75
	text, room := l.String(), most
	for len(text) > room {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		if _, err := w.WriteString(text[:cut] + "\r\n "); err != nil {
			return err
		}
		text, room = text[cut:], most-1
	}
	_, err := w.WriteString(text + "\r\n")
	return err
}

// unfold yields the unfolded lines of a file with the number of their first one.
// Any line break will do.
func unfold(data string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var line strings.Builder
		first, no := 0, 0
		for raw := range strings.Lines(data) {
			no++
			raw = strings.TrimRight(raw, "\r\n")
			if first > 0 && raw != "" && (raw[0] == ' ' || raw[0] == '\t') {
				line.WriteString(raw[1:])
				continue
			}
			if first > 0 && line.Len() > 0 && !yield(first, line.String()) {
				return
			}
			line.Reset()
			line.WriteString(raw)
			first = no
		}
		if line.Len() > 0 {
			yield(first, line.String())
		}
	}
}

// Unescape reads the text of a value. What is escaped without need stands for itself.
func Unescape(value string) string {
	if !strings.Contains(value, `\`) {
		return value
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '\\' && i+1 < len(value) {
			i++
			if c = value[i]; c == 'n' || c == 'N' {
				c = '\n'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Escape is a text as it stands in a value.
func Escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)
