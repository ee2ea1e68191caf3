package uselite

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxTokens is how much of a text the network reads.
	maxTokens = 128
	// maxSymbols bounds the search for the best split. The longest piece has 16
	// symbols, so 128 tokens span at most 2048; the other half is margin in which
	// the paths of a cut text and of the whole one have met again.
	maxSymbols = 4096
	// maxBytes bounds what is read of a text that consists of unknown symbols
	// mostly, however long it is; any other ends at maxSymbols before.
	maxBytes = 64 << 10
	// wordMark stands for a space, and before the text.
	wordMark = '▁'
	// unknown is the id of every symbol that no piece begins with.
	unknown = 0
	// reservedPieces at the start of the vocabulary never match text.
	reservedPieces = 6
)

// Piece is one entry of the vocabulary; its index is the token's id.
type Piece struct {
	Text string
	// Score is the logarithm of the piece's probability. The published vocabulary
	// has lost a few (":" and its like were once read as YAML numbers): they
	// count as 0, as they do in the reference.
	Score float64
}

// tokenizer splits text into pieces as the reference implementation does, by
// the unigram model of SentencePiece: the path of the highest total score.
//
// It departs from the reference in one thing. A run of white space, line breaks
// included, is one space, and none is kept at the ends; the reference takes line
// breaks for unknown symbols, although the network was trained on folded text.
type tokenizer struct {
	edges  map[edge]int32 // trie: node and symbol → node
	pieces []ending       // by node
}

type edge struct {
	node   int32
	symbol rune
}

// ending is the piece that a node of the trie completes; id is unknown (0) where
// it completes none.
type ending struct {
	id    int32
	score float64
}

func newTokenizer(vocabulary []Piece) *tokenizer {
	t := &tokenizer{edges: make(map[edge]int32), pieces: make([]ending, 1)}
	for id := reservedPieces; id < len(vocabulary); id++ {
		t.insert(vocabulary[id], int32(id))
	}
	return t
}

// insert adds a piece to the trie; of two equal pieces the later one counts.
func (t *tokenizer) insert(p Piece, id int32) {
	node := int32(0)
	for _, symbol := range p.Text {
		next, ok := t.edges[edge{node, symbol}]
		if !ok {
			next = int32(len(t.pieces))
			t.edges[edge{node, symbol}] = next
			t.pieces = append(t.pieces, ending{})
		}
		node = next
	}
	t.pieces[node] = ending{id: id, score: p.Score}
}

// encode returns the ids of the text's first 128 tokens. A text without any
// symbol is one unknown token, so that every text has a vector.
func (t *tokenizer) encode(text string) []int32 {
	ids := t.all(text)
	if len(ids) > maxTokens {
		ids = ids[:maxTokens]
	}
	return ids
}

// all returns the ids of all tokens of a text, up to maxSymbols symbols.
func (t *tokenizer) all(text string) []int32 {
	symbols := t.symbols(text)
	if len(symbols) == 0 {
		return []int32{unknown}
	}
	return t.bestPath(symbols)
}

// symbols returns the normalised text (NFKC, white space folded and marked), at
// most maxSymbols of it. Every symbol of the vocabulary is also a piece, so any
// other is surely unknown: of a run of those only the first is kept, since the
// run becomes one token anyway.
func (t *tokenizer) symbols(text string) []rune {
	text = text[:min(len(text), maxBytes)]
	var (
		symbols    = make([]rune, 0, min(len(text)+1, maxSymbols))
		wordBegins = true
		inUnknown  = false
		iter       norm.Iter
	)
	iter.InitString(norm.NFKC, text)
	for !iter.Done() && len(symbols) < maxSymbols {
		for _, symbol := range string(iter.Next()) {
			if unicode.IsSpace(symbol) {
				wordBegins = true
				continue
			}
			if wordBegins {
				symbols = append(symbols, wordMark)
				wordBegins, inUnknown = false, false
			}
			_, known := t.edges[edge{0, symbol}]
			if known || !inUnknown {
				symbols = append(symbols, symbol)
			}
			inUnknown = !known
		}
	}
	return symbols
}

// step is the best way to reach a position: the token that ends there and where
// that token starts.
type step struct {
	score float64
	start int32
	id    int32
}

// bestPath is Viterbi's search. Ties go to the later start, and a score of
// exactly 0 counts as "not reached yet": both as in the reference, where they
// decide how a text that begins with ":" is split.
func (t *tokenizer) bestPath(symbols []rune) []int32 {
	best := make([]step, len(symbols)+1)
	reach := func(end int, s step) {
		if best[end].score == 0 || s.score >= best[end].score {
			best[end] = s
		}
	}
	for start := range symbols {
		node, matched := int32(0), false
		for end := start; end < len(symbols); end++ {
			next, ok := t.edges[edge{node, symbols[end]}]
			if !ok {
				break
			}
			node = next
			if piece := t.pieces[node]; piece.id != unknown {
				matched = true
				reach(end+1, step{best[start].score + piece.score, int32(start), piece.id})
			}
		}
		if !matched {
			reach(start+1, step{best[start].score, int32(start), unknown})
		}
	}
	return tokensOf(best)
}

// tokensOf walks back from the end of the text and joins runs of unknown tokens.
func tokensOf(best []step) []int32 {
	var ids []int32
	for end := int32(len(best) - 1); end > 0; end = best[end].start {
		id := best[end].id
		if id == unknown && len(ids) > 0 && ids[len(ids)-1] == unknown {
			continue
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}
