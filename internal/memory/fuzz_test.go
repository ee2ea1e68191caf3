package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// fuzzKind holds a reader to what Read promises. The seeds are the files of
// testdata and the given ones, all of which must be readable.
func fuzzKind(f *testing.F, kind string, seeds ...string) {
	names, err := filepath.Glob("testdata/files/*." + kind)
	if err != nil || len(names) == 0 {
		f.Fatalf("no seeds for %s: %v", kind, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, string(content))
	}
	for _, seed := range seeds {
		if _, err := Read(chat.Import{Name: "seed." + kind, Content: []byte(seed)}, time.UTC); err != nil {
			f.Fatalf("a seed cannot be read: %v", err)
		}
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		drafts, err := Read(chat.Import{Name: "2026-03-14." + kind, Content: content}, time.UTC)
		if err != nil {
			if e, ok := errors.AsType[*chat.Error](err); !ok || e.Code != chat.CodeInvalid && e.Code != chat.CodeUnsupported {
				t.Fatalf("an error that nobody can act on: %v", err)
			}
			return
		}
		if len(drafts) == 0 {
			t.Fatal("no drafts and no error")
		}
		for _, d := range drafts {
			if d.Title == "" || d.StartedAt.IsZero() || len(d.Segments) == 0 {
				t.Fatalf("title %q, start %v, %d segments", d.Title, d.StartedAt, len(d.Segments))
			}
			last := -1.0
			for _, s := range d.Segments {
				if strings.TrimSpace(s.Text) == "" || len(s.Text) > maxSegment || !utf8.ValidString(s.Text) || !utf8.ValidString(s.Speaker) {
					t.Fatalf("text %q of %q", s.Text, s.Speaker)
				}
				if s.Start != -1 && s.Start < last || s.End != -1 && s.End < s.Start || s.Start < -1 || s.End < -1 {
					t.Fatalf("time %g-%g after %g", s.Start, s.End, last)
				}
				last = max(last, s.Start)
			}
		}
	})
}

func FuzzText(f *testing.F) {
	fuzzKind(f, "txt", "hello", "Ana  0:03\nHello.\nBen  1:02:03\nHi.", "\xff\xfea\x00", "Title: x\nDate: 2026-01-01\n\ntext")
}

func FuzzMarkdown(f *testing.F) {
	fuzzKind(f, "md", "# A\n## B\n", "```\n# x\n", "---\ndate: 2 Jan 2026\n---\n# T\n\np")
}

func FuzzVTT(f *testing.F) {
	fuzzKind(f, "vtt", "00:01.000 --> x\n<v A>b<v C>d", "1:1 -->\n-->\nx")
}

func FuzzSRT(f *testing.F) {
	fuzzKind(f, "srt", "1\n00:00:01,5 --> 00:00:01,4\n- A: b\n- C: d\n2\n99:99:99 --> \nz")
}

func FuzzJSON(f *testing.F) {
	fuzzKind(f, "json", `[{"text":"a","start":1e300,"time":-5}]`, `{"transcript":[{"text":"a","time":"2026-01-01"}],"started_at":"x"}`)
}

func FuzzLines(f *testing.F) {
	fuzzKind(f, "jsonl", "{\"text\":\"a\",\"session\":1}\n", `[{"text":"a"}]`, "{\n\"text\":\"a\"}")
}
