package commit

import (
	"slices"
	"testing"
	"time"

	"confidant/internal/chat"
)

const tides, foreign = "01JCZ0000000000000000TIDES", "01JCZ00000000000000F0RE1GN"

var sources = map[int]chat.Citation{
	1: {N: 1, ConversationID: "a", Quote: "The launch moves to May, Ana said.", Speaker: "Ana"},
	2: {N: 2, ConversationID: "b", Quote: "John prefers tea over coffee."},
	3: {N: 3, ConversationID: "c", Quote: "We paid 1,250 euros.", Title: "Invoices", At: time.Date(2025, 3, 7, 10, 0, 0, 0, time.UTC)},
	4: {N: 4, ConversationID: "d", Quote: "明日は雨が降ります"},
	5: {N: 5, ConversationID: "e", Quote: "Der Zug fährt um acht ab."},
	6: {N: 6, Kind: chat.CitesPage, FileID: tides, Page: 12, Quote: "The moon pulls the water."},
	7: {N: 7, Kind: chat.CitesPage, FileID: tides, Page: 12, Quote: "Harbours are dredged in spring."},
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
		cited      []int
	}{
		"kept":                        {"The launch moved to May[1].", "The launch moved to May[1].", []int{1}},
		"the space goes":              {"The launch moved to May [1].", "The launch moved to May[1].", []int{1}},
		"unknown numbers go":          {"The launch moved to May[1][9].", "The launch moved to May[1].", []int{1}},
		"a foreign span goes":         {"The launch moved to May[2].", "The launch moved to May.", nil},
		"each sentence for itself":    {"The launch moved to May[1]. John drinks tea[2]! And whales sing[1].", "The launch moved to May[1]. John drinks tea[2]! And whales sing.", []int{1, 2}},
		"order of mention, each once": {"John likes tea[2]. The launch is in May[1]. John hates coffee[2].", "John likes tea[2]. The launch is in May[1]. John hates coffee[2].", []int{2, 1}},
		"two for one statement":       {"Ana said May for the launch, and John prefers tea[1][2].", "Ana said May for the launch, and John prefers tea[1][2].", []int{1, 2}},
		"after the full stop":         {"The launch moves to May.[1] John likes tea.[2]", "The launch moves to May.[1] John likes tea.[2]", []int{1, 2}},
		"a date carries":              {"On Friday, 7 March 2025[3].", "On Friday, 7 March 2025[3].", []int{3}},
		"numbers carry":               {"It was 1,250 euros[3].", "It was 1,250 euros[3].", []int{3}},
		"code is left alone":          {"Use `a[1]` or:\n```\nb[2]\n```\nThe launch is in May[1].", "Use `a[1]` or:\n```\nb[2]\n```\nThe launch is in May[1].", []int{1}},
		"Japanese":                    {"明日は雨です[4]。", "明日は雨です[4]。", []int{4}},
		"German":                      {"Der Zug fuhr um acht[5].", "Der Zug fuhr um acht[5].", []int{5}},
		"no words of its own":         {"Yes[1].", "Yes[1].", []int{1}},
		"links are not citations":     {"See [the page](x) and [0].", "See [the page](x) and.", nil},
		"a page":                      {"The moon pulls water [12](" + tides + ").", "The moon pulls water[12](" + tides + ").", []int{6}},
		"the passage of the page":     {"Harbours are dredged[12](" + tides + ").", "Harbours are dredged[12](" + tides + ").", []int{7}},
		"a page never retrieved":      {"The moon pulls water[13](" + tides + ").", "The moon pulls water.", nil},
		"a file never retrieved":      {"The moon pulls water[12](" + foreign + ").", "The moon pulls water.", nil},
		"a page of something else":    {"Whales sing[12](" + tides + ").", "Whales sing.", nil},
		"an ordinary link":            {"See [12](https://example.org).", "See [12](https://example.org).", nil},
		"a made-up page":              {"The moon pulls water[5](fileId).", "The moon pulls water.", nil},
		"a page after the full stop":  {"Harbours are dredged.[12](" + tides + ") Whales sing.", "Harbours are dredged.[12](" + tides + ") Whales sing.", []int{7}},
		"empty":                       {"", "", nil},
		"an open fence":               {"```\na[1]", "```\na[1]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, citations := Check(test.text, sources)
			var cited []int
			for _, c := range citations {
				cited = append(cited, c.N)
			}
			if got != test.want || !slices.Equal(cited, test.cited) {
				t.Errorf("Check(%q)\n got %q, cited %v\nwant %q, cited %v", test.text, got, cited, test.want, test.cited)
			}
		})
	}
}

// FuzzCheck: what is not a citation is never changed, and nothing is cited that
// no tool offered.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"May[1].", "`[1]", "a [1][2] b", "[99999]", "``` x ``` [1]", "\xff[1]", "明日[4]。", "water[12](" + tides + ").", "[1](x) [2](https://x)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, citations := Check(text, sources)
		if a, b := marker.ReplaceAllString(got, ""), marker.ReplaceAllString(text, ""); a != b {
			t.Errorf("text changed:\n%q\n%q", b, a)
		}
		for _, c := range citations {
			if _, ok := sources[c.N]; !ok {
				t.Errorf("cited %d", c.N)
			}
		}
	})
}
