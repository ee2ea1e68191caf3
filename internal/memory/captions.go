package memory

import (
	"html"
	"regexp"
	"strings"
	"time"
	"unicode"

	"confidant/internal/chat"
)

// Captions are read here and not by a library: the one that we looked at
// (go-astisub) panics on a cue without an end, stops silently at a line over
// 64 KiB, and writes what people said into the log.

var (
	arrow  = regexp.MustCompile(`^\s*(-?[\d:.,]+)\s*-->\s*(-?[\d:.,]*)(?:\s.*)?$`)
	number = regexp.MustCompile(`^\d+$`)
	voice  = regexp.MustCompile(`<v(?:\.[^\s>]*)*[ \t]+([^>]+)>`)
	tag    = regexp.MustCompile(`</?(?:v|c|i|b|u|ruby|rt|lang|font|\d)[^<>]*>|\{\\[^{}]*\}`)
)

// cue is what is shown from one time to another.
type cue struct {
	start, end float64
	lines      []string
}

// readCaptions reads WebVTT and SubRip: cues of a time and lines. A voice tag
// or a "NAME:" before a line says who speaks. Times that make no sense are
// unknown, the text is kept.
func readCaptions(text string, _ *time.Location) ([]Draft, error) {
	d := Draft{Source: sourceTranscript}
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "WEBVTT") {
		d.Title = strings.TrimLeft(strings.TrimPrefix(first, "WEBVTT"), " \t-–")
		d.Named = d.Title != ""
	}
	cues := cuesOf(text)
	names := namesIn(cues)
	for _, c := range cues {
		d.Segments = append(d.Segments, c.segments(names)...)
	}
	if len(cues) == 0 {
		return nil, chat.Fail(chat.CodeInvalid, "The file has no captions. Expected are lines such as 00:00:01.000 --> 00:00:04.000, each with text below it.")
	}
	if len(d.Segments) == 0 {
		return nil, chat.Fail(chat.CodeInvalid, "The captions of the file have no text.")
	}
	return []Draft{d}, nil
}

// cuesOf finds the cues. What stands between a blank line and the next time is
// not shown: numbers, names of cues, notes and styles.
func cuesOf(text string) []cue {
	var cues []cue
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		m := arrow.FindStringSubmatch(line)
		switch {
		case m != nil:
			if open { // no blank line came, so the number is still with the text
				last := &cues[len(cues)-1]
				if n := len(last.lines); n > 0 && number.MatchString(last.lines[n-1]) {
					last.lines = last.lines[:n-1]
				}
			}
			cues = append(cues, cue{start: parseClock(m[1]), end: parseClock(m[2])})
			open = true
		case strings.TrimSpace(line) == "":
			open = false
		case open:
			last := &cues[len(cues)-1]
			last.lines = append(last.lines, strings.TrimSpace(line))
		}
	}
	return cues
}

// namesIn returns which words before a colon are speakers: those in capitals,
// and those that come more than once.
func namesIn(cues []cue) map[string]bool {
	counts := map[string]int{}
	for _, c := range cues {
		for _, line := range c.lines {
			if turn, ok := turnOf(clean(line)); ok && turn.Text != "" {
				counts[turn.Speaker]++
			}
		}
	}
	names := map[string]bool{}
	for name, n := range counts {
		names[name] = n > 1 || strings.IndexFunc(name, unicode.IsLower) < 0
	}
	return names
}

// segments are what each speaker of a cue says, in order.
func (c cue) segments(names map[string]bool) []chat.Segment {
	var list []chat.Segment
	say := func(speaker string, fresh bool, text string) {
		if text == "" {
			return
		}
		if n := len(list); n > 0 && (!fresh || list[n-1].Speaker == speaker) {
			list[n-1].Text += "\n" + text
			return
		}
		list = append(list, chat.Segment{Speaker: speaker, Text: text, Start: c.start, End: c.end})
	}
	speaker := ""
	for _, line := range c.lines {
		rest := 0
		fresh := false
		for _, m := range voice.FindAllStringSubmatchIndex(line, -1) {
			say(speaker, fresh, clean(line[rest:m[0]]))
			speaker, fresh, rest = html.UnescapeString(strings.TrimSpace(line[m[2]:m[3]])), true, m[1]
		}
		text := clean(line[rest:])
		if turn, ok := turnOf(text); ok && rest == 0 && names[turn.Speaker] {
			speaker, fresh, text = turn.Speaker, true, turn.Text
		}
		say(speaker, fresh, text)
	}
	return list
}

// clean removes the marks of style from a line.
func clean(line string) string {
	return strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(line, "")))
}
