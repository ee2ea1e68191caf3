package memory

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"confidant/internal/chat"
)

// maxSegment is how many bytes of text a segment may have. A longer one is cut,
// so that what is found and quoted is a passage and not a document.
const maxSegment = 600

// Cut cuts a segment that is too long at the borders of sentences, else of
// words, else of characters. Its time is shared out by length.
func Cut(s chat.Segment) []chat.Segment {
	s.Text = strings.TrimSpace(s.Text)
	if len(s.Text) <= maxSegment {
		if s.Text == "" {
			return nil
		}
		return []chat.Segment{s}
	}
	var list []chat.Segment
	whole := len(s.Text)
	for done := 0; done < whole; {
		n := border(s.Text[done:])
		piece := s
		piece.Text = strings.TrimSpace(s.Text[done : done+n])
		if s.Start >= 0 && s.End >= 0 {
			length := s.End - s.Start
			piece.Start = s.Start + length*float64(done)/float64(whole)
			piece.End = s.Start + length*float64(done+n)/float64(whole)
		}
		if piece.Text != "" {
			if s.ClientID != "" && len(list) > 0 {
				piece.ClientID = fmt.Sprintf("%s#%d", s.ClientID, len(list)+1) // each is sent once
			}
			list = append(list, piece)
		}
		done += n
	}
	return list
}

// border returns how many bytes of a text the next piece takes, at least one
// character.
func border(text string) int {
	if len(text) <= maxSegment {
		return len(text)
	}
	word, sentence := 0, 0
	before := ' '
	for at, r := range text[:maxSegment] {
		switch {
		case r == '\n':
			sentence = at + 1
		case unicode.IsSpace(r):
			word = at
			if strings.ContainsRune(".!?…", before) {
				sentence = at
			}
		case strings.ContainsRune("。！？", r):
			sentence = at + utf8.RuneLen(r)
		}
		if !strings.ContainsRune(`"'”’)]`, r) {
			before = r
		}
	}
	// A border near the beginning would leave crumbs.
	const least = maxSegment / 3
	switch {
	case sentence >= least && sentence <= maxSegment:
		return sentence
	case word >= least:
		return word
	}
	end := maxSegment
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}
