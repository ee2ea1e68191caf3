package pdf_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"confidant/internal/library/extract"
	"confidant/internal/library/extract/extracttest"
	"confidant/internal/library/pdftest"
)

// leastF1 is how well the words of an ordinary document have to agree with poppler's.
const leastF1 = 0.99

// formulas are documents in which readers differ about what is a word: v with an index
// is one for us, and two for others.
var formulas = map[string]float64{"crc-doc.1.0.pdf": 0.95}

// TestWordsAgreeWithPoppler compares the words of real documents, as multisets, with
// those that another reader finds. Documents come from the machine's own documentation,
// and from CONFIDANT_TEST_PDFS, a folder.
func TestWordsAgreeWithPoppler(t *testing.T) {
	if _, err := exec.LookPath("pdftotext"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("pdftotext is not installed (Debian: poppler-utils)")
		}
		t.Skip("pdftotext is not installed (Debian: poppler-utils)")
	}
	f := pdftest.Open(t, extract.DefaultLimits, nil)
	for name, content := range documents(t) {
		t.Run(name, func(t *testing.T) {
			s := extracttest.Write(t, name, "application/pdf", content)
			pages, _ := extracttest.All(t, f, s, 1)
			var ours strings.Builder
			for _, p := range pages {
				ours.WriteString(p.Text + "\n")
			}
			theirs, err := exec.CommandContext(t.Context(), "pdftotext", s.Path, "-").Output()
			if err != nil {
				t.Fatalf("pdftotext: %v", err)
			}
			f1, extra, missing := agreement(words(ours.String()), words(string(theirs)))
			t.Logf("word F1 %.4f over %d pages; ours alone %.12q, poppler's alone %.12q", f1, len(pages), extra, missing)
			least := leastF1
			if of, ok := formulas[name]; ok {
				least = of
			}
			if f1 < least {
				t.Errorf("word F1 is %.4f, want %.2f", f1, least)
			}
		})
	}
}

// documents are generated ones, for every producer that is here, and those at hand.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	list := map[string][]byte{"generated.pdf": report().bytes()}
	patterns := []string{"/usr/share/doc/*/*.pdf", "/usr/share/doc/*/*.pdf.gz"}
	if folder := os.Getenv("CONFIDANT_TEST_PDFS"); folder != "" {
		patterns = append(patterns, filepath.Join(folder, "*.pdf"))
	}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			list[strings.TrimSuffix(filepath.Base(path), ".gz")] = unpacked(t, path)
		}
	}
	return list
}

// words are the runs of letters and digits of a text, in lower case.
func words(s string) map[string]int {
	count := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		count[w]++
	}
	return count
}

// agreement is the harmonic mean of precision and recall of two multisets, and what
// each has alone.
func agreement(ours, theirs map[string]int) (f1 float64, extra, missing []string) {
	both, total := 0, 0
	for w, n := range ours {
		both, total = both+min(n, theirs[w]), total+n
		if n > theirs[w] {
			extra = append(extra, w)
		}
	}
	for w, n := range theirs {
		total += n
		if n > ours[w] {
			missing = append(missing, w)
		}
	}
	if total == 0 {
		return 1, nil, nil
	}
	return 2 * float64(both) / float64(total), extra, missing
}

func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return content
	}
	return gunzip(t, bytes.NewReader(content))
}
