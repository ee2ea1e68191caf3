package chunk

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"confidant/internal/chat"
)

// words counts words: an easy measure to write tests with.
func words(text string) int { return len(strings.Fields(text)) }

// cut cuts pages of these texts.
func cut(count Counter, texts ...string) (chunks []chat.Chunk) {
	c := NewCutter(count)
	for i, text := range texts {
		chunks = append(chunks, c.Page(chat.FilePage{Number: i + 1, Text: text})...)
	}
	return append(chunks, c.End()...)
}

func TestPages(t *testing.T) {
	sentence := func(word string, n int) string { return strings.Repeat(word+" ", n-1) + word + ". " }
	chunks := cut(words, "Preface of the book.\n\n# Tides\n\nThe sea rises.\n\n## Spring tides\n\n"+
		sentence("a", 60)+sentence("b", 50)+sentence("c", 20)+sentence("d", 60), "More of it.\n\n# Moon\n\nIt pulls.")
	if len(chunks) != 6 {
		t.Fatalf("%d chunks: %+v", len(chunks), chunks)
	}
	for i, want := range []struct{ begins, ends, headings string }{
		{"Preface", "book.", ""},
		{"# Tides", "rises.", "Tides"},
		{"## Spring tides", "b.", "Tides › Spring tides"},
		{"c c", "d.", "Tides › Spring tides"},
	} {
		got := chunks[i]
		if !strings.HasPrefix(got.Text, want.begins) || !strings.HasSuffix(got.Text, want.ends) || got.Heading() != want.headings || got.Position != i || got.Page != 1 {
			t.Errorf("chunk %d is %+v, want %+v", i, got, want)
		}
	}
	// The next page goes on under the same headings, and counts on.
	second := chunks[4:]
	if second[0].Heading() != "Tides › Spring tides" || second[0].Position != 4 || second[1].Heading() != "Moon" || second[1].Page != 2 {
		t.Errorf("second page: %+v", second)
	}
}

func TestChunksOverlap(t *testing.T) {
	text := strings.Repeat("One two three four five six seven eight nine ten. ", 30)
	chunks := cut(words, text)
	for i, c := range chunks {
		if i > 0 && (c.Start >= chunks[i-1].End || c.Start <= chunks[i-1].Start) {
			t.Errorf("chunk %d begins at %d; the one before spans %d to %d", i, c.Start, chunks[i-1].Start, chunks[i-1].End)
		}
	}
	if len(chunks) != 3 {
		t.Errorf("%d chunks of 300 words", len(chunks))
	}
}

func TestLongUnitsAreDivided(t *testing.T) {
	for name, text := range map[string]string{
		"a sentence":     strings.Repeat("word ", 1000),
		"no spaces":      strings.Repeat("x", 5000),
		"another script": strings.Repeat("潮汐", 2000),
		"a table":        strings.Repeat("| a | b | c |\n", 400),
	} {
		chunks := cut(Estimate, text)
		if len(chunks) < 5 {
			t.Errorf("%s: %d chunks", name, len(chunks))
		}
		whole(t, text, chunks)
	}
}

// whole checks what holds for every page: chunks are small, stand in the page
// where they say, and leave nothing out but spaces.
func whole(t *testing.T, text string, chunks []chat.Chunk) {
	t.Helper()
	at := 0
	for i, c := range chunks {
		if c.Position != i || text[c.Start:c.End] != c.Text || !utf8.ValidString(c.Text) {
			t.Fatalf("chunk %d at %d to %d is not its part of the page: %q", i, c.Start, c.End, c.Text)
		}
		if n := Estimate(c.Text); n > Most {
			t.Errorf("chunk %d has %d tokens", i, n)
		}
		if c.Start > at && strings.TrimSpace(text[at:c.Start]) != "" {
			t.Errorf("%q before chunk %d is left out", text[at:c.Start], i)
		}
		at = max(at, c.End)
	}
	if strings.TrimSpace(text[at:]) != "" {
		t.Errorf("%q is left out at the end", text[at:])
	}
}

func FuzzPage(f *testing.F) {
	for _, seed := range []string{"", "# A\n\ntext", "#\n#\n", "a. b! c?", "潮。汐！", "\t \n", strings.Repeat("long ", 300), "## B ##\n| x |\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		whole(t, text, cut(Estimate, text))
	})
}

func TestClassify(t *testing.T) {
	for want, texts := range map[chat.ChunkType][]string{
		chat.ChunkDefinition: {
			"A tide is the periodic rise and fall of the sea.", "The moment of inertia is defined as the sum of masses.",
			"Definition 3.1. Let G be a group.", "Unter einer Gezeit versteht man das Steigen des Meeres.", "# Tide\n\nA tide is a wave.",
			"The term refers to any long wave.",
		},
		chat.ChunkQuestion: {
			"What is the cause of the tides?", "1. Explain why there are two tides a day.", "Exercise 4: compute the height.", "Question: who was Kelvin?",
			"(b) Show that the sum converges.", "Warum steigt das Meer?",
		},
		chat.ChunkAnswer:         {"Answer: the moon pulls the water.", "Solution 3. The sum is 12.", "A: Yes, it does.", "Antwort: der Mond."},
		chat.ChunkQuestionAnswer: {"Q: What causes tides?\nA: The moon does.", "How do I install it?\nRun the installer and follow what it says on the screen."},
		chat.ChunkOther:          {"We sailed out at noon and came back late.", "| 1 | 2 |", "", "The ship left. Was it wise? Nobody knew then."},
	} {
		for _, text := range texts {
			if got := Classify(text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
	if !slices.Contains(chat.ChunkTypes, Classify("x")) {
		t.Error("not one of the types")
	}
}
