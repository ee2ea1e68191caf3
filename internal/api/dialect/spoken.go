package dialect

import (
	"strings"

	"confidant/internal/chat"
)

// spoken follows the text of a turn for clients that cannot unsay what they were
// sent: their formats have only deltas. When a step is retracted and the model,
// asked again, says the same, nothing is sent twice; when it says something else,
// a line tells the reader where the answer begins again.
type spoken struct {
	text string // what finished steps said
	step string // what the present step says
	void string // what was sent of a retracted step and may yet be said again
	held bool   // the present step has said nothing beyond void
}

// again stands between a broken off answer and the one that replaces it.
const again = "\n\n[The answer broke off here and begins again.]\n\n"

// hear takes an event and returns the text to send for it, mostly none.
func (s *spoken) hear(body chat.Body) string {
	switch b := body.(type) {
	case chat.TextDelta:
		s.step += b.Delta
		if !s.held {
			return b.Delta
		}
		return s.compare()
	case chat.StepRetracted:
		if !s.held {
			s.void, s.held = s.step, s.step != ""
		}
		s.step = ""
	case chat.StepFinished:
		out := ""
		if s.held { // it said less than before
			out = again + strings.TrimPrefix(s.step, "\n\n")
		}
		s.text += s.step
		s.step, s.void, s.held = "", "", false
		return out
	}
	return ""
}

// compare returns what there is to send while the step may repeat void.
func (s *spoken) compare() string {
	if len(s.step) < len(s.void) && strings.HasPrefix(s.void, s.step) {
		return ""
	}
	s.held = false
	if rest, same := strings.CutPrefix(s.step, s.void); same {
		return rest
	}
	return again + strings.TrimPrefix(s.step, "\n\n")
}

// said is the answer so far, without what was retracted.
func (s *spoken) said() string { return s.text + s.step }
