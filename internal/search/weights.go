package search

import "confidant/internal/chat"

// Weights say how the words of a passage are scored. They were tuned by hand, each
// change kept only if no set lost by it; `confidant bench retrieval` and `confidant
// bench pages` show what they do on others. docs/retrieval.md has the tables.
type Weights struct {
	// K1 and B are BM25's: how soon a word said again stops to count, and how much
	// the length of a text counts against it.
	K1, B float64
	// Speaker and Title are what a word counts for in the speaker's name or the
	// title, in the text being 1. Name multiplies what a speaker's name counts for.
	Speaker, Title, Name float64

	// Before and After are what the passage before, and after, lends of its words
	// and its meaning. Second is the part of that which the next but one lends, and
	// Asked what a segment that asks lends more: what follows a question answers it.
	Before, After, Second, Asked float64
	// Session is what the other candidates of its group lend together.
	Session float64
}

// weightsOf are the measured ones of each shelf. What is said is short, and makes
// sense among what is said around it. What was derived stands for itself. Chunks
// are all about as long, and repeat the end of the one before: lent words made
// their neighbours win over the one that has the sentence, and a long file over a
// short one; that a word is there says nearly all, how often little. Their speaker
// are the headings that they stand under. This raised hit@1 of 300 sentences for
// which nothing was tuned from .91 to .97, and of what is remembered of them from
// .85 to .93.
var weightsOf = map[chat.Shelf]Weights{
	chat.ShelfSaid: {
		K1: 1.2, B: 0.3, Speaker: 1.5, Title: 0.3, Name: 2,
		Before: 0.4, After: 0.2, Second: 0.3, Asked: 1, Session: 0.1,
	},
	chat.ShelfDerived: {K1: 1.2, B: 0.3, Speaker: 1.5, Title: 0.3, Name: 2},
	chat.ShelfWritten: {K1: 0.3, B: 0.1, Speaker: 0.7, Title: 0.3, Name: 1},
}

// meaningShare is the weight of the meaning, the rest being that of the words. Both
// are normalised to their best candidate; of the meaning only what exceeds
// meaningFloor of the best counts, because any two texts are somewhat alike. The
// share is a balance: with .2 or .3, or a higher floor, abstracts lose, and
// conversations gain nothing at ten.
const (
	meaningShare = 0.25
	meaningFloor = 0.3
)

// When the best of a kind has less of the question's words than leastCover and is
// no nearer in meaning than leastMeaning, the question is not about what this
// person has, and nothing of the kind is shown. Measured on locomo-dev: this
// silences 65 of 100 questions about other people's meetings and 96 of 100 about
// biology, and 3 of 495 of the person's own. A single candidate that has none of
// the rare words must be somewhat near. Without meaning, words have to be
// believed sooner.
const (
	leastCover   = 0.3
	leastWords   = 0.2 // of cover, when meaning is not searched
	leastMeaning = 0.4
	somewhatNear = 0.3
)

// lend is what the passages around one lend it, by their distance: it calls f
// with each neighbour and its weight.
func (w Weights) lend(t []*text, i int, f func(j int, weight float64)) {
	neighbour := func(j, distance int, weight float64) {
		if weight > 0 && j >= 0 && j < len(t) && t[j].passage.GroupID == t[i].passage.GroupID && abs(t[j].passage.Position-t[i].passage.Position) == distance {
			f(j, weight)
		}
	}
	before := w.Before
	if i > 0 && t[i-1].asks {
		before *= 1 + w.Asked
	}
	neighbour(i-1, 1, before)
	neighbour(i-2, 2, w.Before*w.Second)
	neighbour(i+1, 1, w.After)
	neighbour(i+2, 2, w.After*w.Second)
}

// context is the sum of what a passage is usually lent, 0 where none is.
func (w Weights) context() float64 { return (w.Before + w.After) * (1 + w.Second) }

func abs(n int) int { return max(n, -n) }
