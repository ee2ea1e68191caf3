package uselite

import (
	"slices"
	"strings"
	"testing"
)

// toyVocabulary has the same oddities as the published one: a piece whose score
// was lost, and one that stands in it twice.
func toyVocabulary() []Piece {
	pieces := make([]Piece, reservedPieces, reservedPieces+16)
	return append(pieces,
		Piece{"▁", -5}, Piece{"a", -4}, Piece{"b", -4}, Piece{"ab", -7}, Piece{"▁ab", -6}, Piece{"▁a", -9},
		Piece{":", 0}, Piece{"▁:", 0}, Piece{"b", -4.5})
}

func TestToyTokens(t *testing.T) {
	const mark, a, ab, markAB, colon, b = 6, 7, 9, 10, 12, 14
	tokenizer := newTokenizer(toyVocabulary())
	for _, c := range []struct {
		name, text string
		want       []int32
	}{
		{"the best path wins", "ab", []int32{markAB}},
		{"a later start wins a tie", "a a", []int32{mark, a, mark, a}},
		{"the later of two equal pieces counts", "xb", []int32{mark, unknown, b}},
		{"a score of 0 counts as not reached", ":", []int32{mark, colon}},
		{"a run of unknown symbols is one token", "a??!?ab", []int32{mark, a, unknown, ab}},
		{"a run ends with its word", "?? ??", []int32{mark, unknown, mark, unknown}},
		{"blank is unknown", " \n", []int32{unknown}},
		{"nothing is unknown", "", []int32{unknown}},
		{"compatibility forms are unified", "ａｂ", []int32{markAB}},
	} {
		if got := tokenizer.encode(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q → %v, want %v", c.name, c.text, got, c.want)
		}
	}
}

func TestOnlySoMuchIsRead(t *testing.T) {
	tokenizer := newTokenizer(toyVocabulary())
	if got := len(tokenizer.symbols(strings.Repeat("ab", maxSymbols))); got > maxSymbols+1 {
		t.Errorf("%d symbols of a long word, want %d", got, maxSymbols)
	}
	near := tokenizer.encode(strings.Repeat("?", maxBytes-2) + "ab")
	far := tokenizer.encode(strings.Repeat("?", maxBytes) + "ab")
	if len(near) != 3 || len(far) != 2 {
		t.Errorf("before the limit %v, want a mark, unknown, ab; beyond it %v, want no ab", near, far)
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, seed := range []string{
		"", " ", "ab ab", "a\x00b", "\xff\xfe", "语言", "e\u0301", "ﷺ", ":ab", "\u2028\u0085", "👩‍👩‍👧", "▁▁ab",
	} {
		f.Add(seed)
	}
	vocabulary := toyVocabulary()
	tokenizer := newTokenizer(vocabulary)
	f.Fuzz(func(t *testing.T, text string) {
		ids := tokenizer.encode(text)
		if len(ids) == 0 || len(ids) > maxTokens {
			t.Fatalf("%d tokens", len(ids))
		}
		for i, id := range ids {
			if id != unknown && (id < reservedPieces || int(id) >= len(vocabulary)) {
				t.Fatalf("token %d: id %d is no piece", i, id)
			}
			if i > 0 && id == unknown && ids[i-1] == unknown {
				t.Fatalf("tokens %d and %d are one run of unknown symbols", i-1, i)
			}
		}
		if again := tokenizer.encode(" " + text + "\n"); !slices.Equal(ids, again) {
			t.Fatalf("white space around the text changed its tokens: %v, %v", ids, again)
		}
	})
}
