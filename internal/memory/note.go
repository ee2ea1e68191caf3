package memory

import (
	"regexp"
	"strings"
	"time"

	"confidant/internal/chat"
)

// Sources say what a conversation came from.
const (
	sourceNote       = "note"
	sourceTranscript = "transcript"
)

// readText reads plain text: what people said, when most lines name a speaker,
// else a note of paragraphs.
func readText(text string, zone *time.Location) ([]Draft, error) {
	d, lines := header(text, zone)
	if segments, ok := transcript(lines); ok {
		d.Source, d.Segments = sourceTranscript, segments
		return d.checked()
	}
	d.Segments = paragraphs(lines)
	return d.checked()
}

// readMarkdown reads Markdown like plain text, with headings. The first one is
// the title unless the front matter has one; a later one stays in front of the
// paragraph that it introduces, so that both are found together.
func readMarkdown(text string, zone *time.Location) ([]Draft, error) {
	d, lines := header(text, zone)
	var body []string
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		heading, ok := headingOf(line)
		if ok && !fenced && d.Title == "" && onlyBlank(body) {
			d.Title, d.Named = heading, true
			if onlyBlank(lines[i+1:]) {
				body = append(body, heading) // all there is
			}
			continue
		}
		body = append(body, line)
	}
	if segments, ok := transcript(withoutHeadings(body)); ok {
		d.Source, d.Segments = sourceTranscript, segments
		return d.checked()
	}
	d.Segments = sections(body)
	return d.checked()
}

// checked is the only draft of a file, or an error when nothing is in it.
func (d Draft) checked() ([]Draft, error) {
	if d.Source == "" {
		d.Source = sourceNote
	}
	for _, s := range d.Segments {
		if strings.TrimSpace(s.Text) != "" {
			return []Draft{d}, nil
		}
	}
	return nil, chat.Fail(chat.CodeInvalid, "The file has no text besides its header.")
}

var field = regexp.MustCompile(`^(?i)(title|date|started_at|created):\s*(.*)$`)

// header reads the front matter between lines of "---", or lines such as
// "Date: 2026-03-14" at the very beginning, and returns the lines after it.
// Something else that is between the lines is not kept: it is for programs.
func header(text string, zone *time.Location) (Draft, []string) {
	var d Draft
	lines := strings.Split(text, "\n")
	fields, rest := lines[:0], lines
	if strings.TrimSpace(lines[0]) == "---" {
		for i, line := range lines[1:] {
			if end := strings.TrimSpace(line); end == "---" || end == "..." {
				fields, rest = lines[1:i+1], lines[i+2:]
				break
			}
		}
	} else {
		n := 0
		for n < len(lines) && isField(lines[n], zone) {
			n++
		}
		fields, rest = lines[:n], lines[n:]
	}
	for _, line := range fields {
		m := field.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if strings.EqualFold(m[1], "title") {
			d.Title, d.Named = strings.Trim(strings.TrimSpace(m[2]), `"'`), true
		} else if t, ok := parseTime(m[2], zone); ok {
			d.StartedAt = t
		}
	}
	return d, rest
}

// isField reports whether a line outside of front matter is a field. One whose
// date cannot be read is text like any other, so that it is not lost.
func isField(line string, zone *time.Location) bool {
	m := field.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil || strings.EqualFold(m[1], "title") {
		return m != nil
	}
	_, ok := parseTime(m[2], zone)
	return ok
}

var heading = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)

func headingOf(line string) (string, bool) {
	m := heading.FindStringSubmatch(line)
	if m == nil || strings.TrimSpace(m[1]) == "" {
		return "", false
	}
	return m[1], true
}

func onlyBlank(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return false
		}
	}
	return true
}

func withoutHeadings(lines []string) []string {
	var rest []string
	for _, line := range lines {
		if _, ok := headingOf(line); !ok {
			rest = append(rest, line)
		}
	}
	return rest
}

// paragraphs are what blank lines separate.
func paragraphs(lines []string) []chat.Segment {
	var list []chat.Segment
	for part := range strings.SplitSeq(strings.Join(blankLines(lines), "\n"), "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			list = append(list, chat.Segment{Text: part, Start: -1, End: -1})
		}
	}
	return list
}

// blankLines empties lines of white space only.
func blankLines(lines []string) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			list[i] = strings.TrimRight(line, " \t")
		}
	}
	return list
}

// sections are paragraphs of Markdown, each heading joined to what follows it.
func sections(lines []string) []chat.Segment {
	var list []chat.Segment
	var part []string
	pending := "" // headings that wait for their paragraph
	end := func() {
		text := strings.Trim(strings.Join(part, "\n"), "\n")
		part = nil
		if text == "" {
			return
		}
		list = append(list, chat.Segment{Text: pending + text, Start: -1, End: -1})
		pending = ""
	}
	fenced := false
	for _, line := range blankLines(lines) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if title, ok := headingOf(line); ok && !fenced {
			end()
			pending += title + "\n"
			continue
		}
		if line == "" && !fenced {
			end()
			continue
		}
		part = append(part, line)
	}
	end()
	if pending != "" {
		list = append(list, chat.Segment{Text: strings.TrimSpace(pending), Start: -1, End: -1})
	}
	return list
}
