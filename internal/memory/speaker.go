package memory

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"confidant/internal/chat"
)

// The parts of a line that says who spoke.
const (
	clockPart = `[\[(]?(?:\d{1,3}:)?\d{1,3}:\d\d(?:[.,]\d{1,3})?[\])]?`
	namePart  = `\p{L}[\p{L}\p{M}\p{N} .'’_()&/-]{0,59}?`
)

var (
	// spoken is "Ana: hello", "[00:01:02] Ana: hello", "**Ana** (01:02): hello".
	spoken = regexp.MustCompile(`^(?:(` + clockPart + `)[\s–-]+)?(?:[-–*]\s+)?(?:\*\*|__)?(` + namePart + `)(?:\*\*|__)?(?:\s+(` + clockPart + `))?:(?:\*\*|__)?(?:\s+(\S.*))?$`)
	// announced is a line of its own before what is said: "Ana Silva  0:03".
	announced = regexp.MustCompile(`^(?:\*\*)?(` + namePart + `)(?:\*\*)?\s+(` + clockPart + `)$`)
)

// maxNameWords is how many words a speaker's name may have; more is a sentence
// that happens to have a colon.
const maxNameWords = 4

// turnOf reads a line that says who spoke, at what second, and perhaps what.
func turnOf(line string) (chat.Segment, bool) {
	line = strings.TrimSpace(line)
	if m := spoken.FindStringSubmatch(line); m != nil && isName(m[2]) {
		at := m[1]
		if at == "" {
			at = m[3]
		}
		return chat.Segment{Speaker: strings.TrimSpace(m[2]), Text: m[4], Start: parseClock(strings.Trim(at, "[]()")), End: -1}, true
	}
	if m := announced.FindStringSubmatch(line); m != nil && isName(m[1]) {
		return chat.Segment{Speaker: strings.TrimSpace(m[1]), Start: parseClock(strings.Trim(m[2], "[]()")), End: -1}, true
	}
	return chat.Segment{}, false
}

func isName(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return len(strings.Fields(text)) <= maxNameWords && !unicode.IsLower(first)
}

// transcript reads lines as what people said, in turns. It reports false unless
// most lines that could be turns look like some. A list of fields ("Name: …",
// "Phone: …") has each name once, a talk has few names or times.
func transcript(lines []string) ([]chat.Segment, bool) {
	var segments []chat.Segment
	names := map[string]int{}
	turns, others, timed := 0, 0, 0
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		turn, ok := turnOf(line)
		switch {
		case ok:
			turns++
			names[turn.Speaker]++
			if turn.Start >= 0 {
				timed++
			}
			segments = append(segments, turn)
		case len(segments) == 0:
			others++
			segments = append(segments, chat.Segment{Text: strings.TrimSpace(line), Start: -1, End: -1})
		default:
			// What follows belongs to who spoke last; after an announcement it is the turn.
			last := &segments[len(segments)-1]
			if last.Text != "" {
				others++
				last.Text += "\n"
			}
			last.Text += strings.TrimSpace(line)
		}
	}
	people := len(names) <= 2 || len(names) <= turns*2/3 || timed*2 >= turns
	return segments, turns >= 2 && turns*10 >= (turns+others)*6 && people
}
