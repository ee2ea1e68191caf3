package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"confidant/internal/chat"
)

var berlin = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}()

// show renders drafts so that a test can tell all of them in a few lines.
func show(drafts []Draft) string {
	var b strings.Builder
	for _, d := range drafts {
		fmt.Fprintf(&b, "%s %q %s..%s %v\n", d.Source, d.Title, stamp(d.StartedAt), stamp(d.FinishedAt), d.Speakers)
		for _, s := range d.Segments {
			fmt.Fprintf(&b, "  %g-%g %s: %q\n", s.Start, s.End, s.Speaker, s.Text)
		}
	}
	return b.String()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return t.Format("2006-01-02T15:04:05Z07")
}

func TestReadFiles(t *testing.T) {
	for name, want := range map[string]string{
		"kitchen-call.txt": `transcript "kitchen-call" 2026-03-13T23:00:00Z..2026-03-13T23:00:21Z [Ana Ben]
  3--1 Ana: "Did the plumber call back about the kitchen?"
  9--1 Ben: "He did. He wants 480 euros, and he can come on Thursday.\nThat is without the new tap."
  21--1 Ana: "Fine. Tell him Thursday at nine."
`,
		"2026-02-01-garden.md": `note "Garden plan" 2026-01-31T23:00:00Z..? []
  -1--1 : "The south bed gets tomatoes this year."
  -1--1 : "Watering\nEvery second evening, from the rain barrel."
  -1--1 : "The hose leaks at the tap."
  -1--1 : "` + "```" + `\n# not a heading\n\npump = off\n` + "```" + `"
`,
		"standup.vtt": `transcript "Monday stand-up" 2026-05-01T08:00:00Z..2026-05-01T08:00:09Z [Ana Silva Ben]
  1-4.5 Ana Silva: "The importer is done,\nand the tests are green."
  4.5-6 Ben: "Even on slow disks?"
  4.5-6 Ana Silva: "Even & always."
  9--1 : "Nobody in particular"
`,
		"interview.srt": `transcript "interview" 2026-05-01T08:00:00Z..2026-05-01T08:00:08Z [INTERVIEWER MARTA]
  0-2 INTERVIEWER: "Where did you grow up?"
  2.5-6 MARTA: "In Porto, above\na bakery."
  6.5-8 : "One thing: it smelled wonderful."
`,
		"call.json": `transcript "Call with the landlord" 2026-01-05T17:30:00Z..2026-01-05T17:30:07Z [Ben Landlord]
  1-2 Ben: "Good evening."
  -1--1 : "A door slams."
  4-7.5 Landlord: "The rent stays as it is."
`,
		"sessions.jsonl": `transcript "s1" 2025-11-02T09:00:00Z..2025-11-02T09:00:20Z [Ben Ana]
  0--1 Ben: "Really? Where?"
  20--1 Ana: "I started pottery."
transcript "s2" 2025-12-01T08:00:00Z..2025-12-01T08:00:00Z [Ana]
  0--1 Ana: "The kiln broke."
`,
	} {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("testdata/files", name))
			if err != nil {
				t.Fatal(err)
			}
			drafts, err := Read(chat.Import{Name: name, Content: content, Modified: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}, berlin)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(drafts); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestReadContent(t *testing.T) {
	for _, c := range []struct {
		about, name, content, want string
	}{
		{"a list of fields is a note", "a.txt", "Name: Ana\nPhone: 12\nCity: Porto\n", `note "a" ?..? []
  -1--1 : "Name: Ana\nPhone: 12\nCity: Porto"
`},
		{"a sentence with a colon is no speaker", "a.txt", "Remember this one thing above all: sleep.\n\nhttp://example.org/x", `note "a" ?..? []
  -1--1 : "Remember this one thing above all: sleep."
  -1--1 : "http://example.org/x"
`},
		{"a speaker on a line of their own", "a.txt", "Ana Silva  0:03\nHello.\n\nBen  1:02:03\nHi.\n", `transcript "a" ?..? [Ana Silva Ben]
  3--1 Ana Silva: "Hello."
  3723--1 Ben: "Hi."
`},
		{"bold names", "a.md", "# Talk\n\n**Ana:** Hello.\n\n**Ben**: Hi.\n", `transcript "Talk" ?..? [Ana Ben]
  -1--1 Ana: "Hello."
  -1--1 Ben: "Hi."
`},
		{"times out of order", "a.txt", "[0:09] Ana: later\n[0:01] Ben: sooner\n", `transcript "a" ?..? [Ben Ana]
  1--1 Ben: "sooner"
  9--1 Ana: "later"
`},
		{"only a heading", "a.md", "# Buy milk\n", `note "Buy milk" ?..? []
  -1--1 : "Buy milk"
`},
		{"a bare list of segments", "x.json", `[{"speaker":1,"text":"a","start":2,"end":1},{"text":" "}]`, `transcript "x" ?..? [1]
  2--1 1: "a"
`},
		{"documents with titles and no session", "x.jsonl", `{"id":"1","title":"One","text":"a"}` + "\n" + `{"id":"2","title":"Two","text":"b"}`, `transcript "One" ?..? []
  -1--1 : "a"
transcript "Two" ?..? []
  -1--1 : "b"
`},
		{"conversations a line", "x.jsonl", `{"title":"One","segments":[{"text":"a"}]}` + "\n\n" + `{"structured":{"title":"Two"},"created_at":1767225600,"transcript_segments":[{"text":"b","start":0,"end":1}]}`, `transcript "One" ?..? []
  -1--1 : "a"
transcript "Two" 2026-01-01T00:00:00Z..2026-01-01T00:00:01Z []
  0-1 : "b"
`},
		{"a transcript that is text", "x.json", `{"title":"T","transcript":"Ana: hello\nBen: hi"}`, `transcript "T" ?..? [Ana Ben]
  -1--1 Ana: "hello"
  -1--1 Ben: "hi"
`},
		{"a time of Zoom", "GMT20260314-090500_Recording.vtt", "00:01.000 --> bad\nhi\n", `transcript "GMT20260314-090500_Recording" 2026-03-14T09:05:00Z..2026-03-14T09:05:01Z []
  1--1 : "hi"
`},
	} {
		t.Run(c.about, func(t *testing.T) {
			drafts, err := Read(chat.Import{Name: c.name, Content: []byte(c.content)}, berlin)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(drafts); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name, content string
		code          chat.Code
		say           string
	}{
		{"a.png", "x", chat.CodeUnsupported, "Known kinds: json, jsonl, md"},
		{"a.txt", "ab\x00c", chat.CodeUnsupported, "binary, not text: it has a NUL character at position 2"},
		{"a.txt", "ab\xffc", chat.CodeUnsupported, "not UTF-8: see the byte at position 2"},
		{"a.txt", "\xff\xfea", chat.CodeUnsupported, "odd number of bytes"},
		{"a.txt", " \n\t", chat.CodeInvalid, "empty"},
		{"a.md", "---\ntitle: x\n---\n", chat.CodeInvalid, "no text besides its header"},
		{"a.srt", "hello", chat.CodeInvalid, "00:00:01.000 --> 00:00:04.000"},
		{"a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n\n", chat.CodeInvalid, "have no text"},
		{"a.json", `{"price": 3}`, chat.CodeInvalid, "Entry 1 is an object without text or segments. Expected is a list of segments"},
		{"a.json", "[\n{\"text\":\"a\"},\n{\"text\":]\n", chat.CodeInvalid, "at line 3"},
		{"a.json", `7`, chat.CodeInvalid, "there is a number where an object should be"},
		{"a.json", `[{"text":{"a":1}}]`, chat.CodeInvalid, "text is a object"},
		{"a.json", `[{"text":"a","start":[1]}]`, chat.CodeInvalid, "neither a number of seconds"},
		{"a.json", `{"segments":[{"text":"a"},{"speaker":"b"}]}`, chat.CodeInvalid, "Entry 1: segment 2 has no text"},
		{"a.json", `[]`, chat.CodeInvalid, "no text in any segment"},
		{"a.jsonl", "{\"text\":\"a\"}\n\nsecret", chat.CodeInvalid, "Line 3 is not a JSON object"},
	} {
		t.Run(c.name+" "+c.say, func(t *testing.T) {
			_, err := Read(chat.Import{Name: c.name, Content: []byte(c.content)}, time.UTC)
			e, ok := errors.AsType[*chat.Error](err)
			if !ok || e.Code != c.code || !strings.Contains(e.Detail, c.say) {
				t.Errorf("got %v, want %s with %q", err, c.code, c.say)
			}
			if ok && strings.Contains(e.Error(), "secret") {
				t.Errorf("the error tells the file's text: %v", e)
			}
		})
	}
}

func TestReadUTF16(t *testing.T) {
	content := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("Grüße aus Köln 🎈")) {
		content = append(content, byte(u), byte(u>>8))
	}
	drafts, err := Read(chat.Import{Name: "a.txt", Content: content}, time.UTC)
	if err != nil || drafts[0].Segments[0].Text != "Grüße aus Köln 🎈" {
		t.Errorf("got %v, %v", drafts, err)
	}
}

func TestKindOverridesName(t *testing.T) {
	drafts, err := Read(chat.Import{Name: "talk.log", Kind: "txt", Content: []byte("hello")}, time.UTC)
	if err != nil || drafts[0].Title != "talk" {
		t.Errorf("got %v, %v", drafts, err)
	}
}

func TestLongTextIsCut(t *testing.T) {
	for about, text := range map[string]string{
		"sentences": strings.Repeat("The quick brown fox jumps over it. ", 200),
		"words":     strings.Repeat("word ", 2000),
		"one word":  strings.Repeat("x", 1<<20),
		"no spaces": strings.Repeat("これは文です。", 500),
		"runes":     strings.Repeat("ü", 100_000),
	} {
		t.Run(about, func(t *testing.T) {
			drafts, err := Read(chat.Import{Name: "a.txt", Content: []byte(text)}, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			var joined strings.Builder
			for _, s := range drafts[0].Segments {
				if len(s.Text) > maxSegment || !utf8.ValidString(s.Text) {
					t.Fatalf("a piece has %d bytes, valid: %v", len(s.Text), utf8.ValidString(s.Text))
				}
				if about == "sentences" && !strings.HasSuffix(s.Text, ".") {
					t.Fatalf("a piece ends within a sentence: %q", s.Text[len(s.Text)-20:])
				}
				joined.WriteString(s.Text)
			}
			bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
			if bare(joined.String()) != bare(text) {
				t.Error("text was lost or doubled")
			}
		})
	}
}

func TestTimeInName(t *testing.T) {
	for name, want := range map[string]string{
		"2026-03-14 notes.txt":       "2026-03-14T00:00:00Z",
		"call_20260314_0905.txt":     "2026-03-14T09:05:00Z",
		"2026-03-14 at 09.05.07.txt": "2026-03-14T09:05:07Z",
		"2026-03-14T09:05:07Z.jsonl": "2026-03-14T09:05:07Z",
		"2026-02-31.txt":             "?",
		"2026-0314.txt":              "?",
		"invoice 1202603140.txt":     "?",
		"room 2026.txt":              "?",
	} {
		if got := stamp(timeInName(name, time.UTC)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
