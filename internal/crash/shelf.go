package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// content is a file to upload.
type content struct {
	name string
	data []byte
}

// shelfSize is how many files a shelf of real ones has.
const shelfSize = 30

// broken is the name of the file that cannot be read.
const broken = "broken.pdf"

// shelf is a set of files, and what a server does with them that nobody disturbs.
type shelf struct {
	files []content
	env   []string // of the server
	// embedded says that the chunks get vectors.
	embedded bool
	want     account
}

// largestPDF is the size up to which a PDF is used, in bytes: a round is to take
// seconds.
const largestPDF = 350_000

// words are the smaller PDFs of a folder and invented files, read without an embedder: the
// time goes into reading, where kills are to hit.
func words(folder string) (*shelf, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	if err != nil {
		return nil, err
	}
	s := &shelf{env: []string{"CONFIDANT_EMBEDDER=none"}}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if len(data) <= largestPDF {
			s.files = append(s.files, content{filepath.Base(path), data})
		}
	}
	if len(s.files) == 0 {
		return nil, fmt.Errorf("there is no PDF of up to %d bytes in %s: run make pdfs", largestPDF, folder)
	}
	s.files = append(s.files, invented(max(0, shelfSize-2-len(s.files)), 60)...)
	s.awkward()
	return s, nil
}

// meaning are a few short files that are read for their meaning, too.
func meaning() *shelf {
	s := &shelf{files: invented(6, 12), env: []string{"CONFIDANT_EMBEDDER=builtin"}, embedded: true}
	s.awkward()
	return s
}

// awkward adds a file that is there under another name, and one that is broken.
func (s *shelf) awkward() {
	again := content{"the same again.txt", s.files[len(s.files)/2].data}
	s.files = append(s.files, again, content{broken, []byte("%PDF-1.7\nThe rest of this file was lost.\n")})
	// They arrive among the others.
	rand.New(rand.NewPCG(5, 5)).Shuffle(len(s.files), func(a, b int) { s.files[a], s.files[b] = s.files[b], s.files[a] })
}

// invented are texts of several kinds with so many paragraphs, the same every time.
// Each paragraph has a word of its own, so that what a search finds does not depend
// on the order of equals.
func invented(count, paragraphs int) (list []content) {
	random := rand.New(rand.NewPCG(9, 9))
	subjects := strings.Fields("harbour budget orchard cello launch garden bicycle violin lighthouse recipe")
	pick := func() string { return subjects[random.IntN(len(subjects))] }
	for i := range count {
		var text []string
		for k := range paragraphs {
			text = append(text, fmt.Sprintf("Paragraph %d of file %d. The %s needs %d things from the %s before the %s is ready. Whoever keeps the %s knows why.",
				k, i, pick(), random.IntN(90), coined(i*paragraphs+k), pick(), pick()))
		}
		list = append(list, dressed(i, fmt.Sprintf("About the %s, part %d", pick(), i), text))
	}
	return list
}

// coined is a word that only this number has.
func coined(n int) string {
	var b strings.Builder
	for range 4 {
		b.WriteByte("bdfgklmnprstvz"[n%14])
		b.WriteByte("aeiou"[n%5])
		n /= 5
	}
	return b.String() + "x"
}

// dressed is a text as a file of one of four kinds.
func dressed(i int, title string, paragraphs []string) content {
	name := fmt.Sprintf("file-%02d", i)
	switch i % 4 {
	case 0:
		return content{name + ".txt", []byte(title + "\n\n" + strings.Join(paragraphs, "\n\n"))}
	case 1:
		return content{name + ".md", []byte("# " + title + "\n\n" + strings.Join(paragraphs, "\n\n"))}
	case 2:
		return content{name + ".html", []byte("<!doctype html><title>" + title + "</title><h1>" + title + "</h1><p>" + strings.Join(paragraphs, "</p><p>") + "</p>")}
	}
	return content{name + ".csv", []byte("number,text\n" + strings.Join(rows(paragraphs), "\n"))}
}

func rows(paragraphs []string) []string {
	list := make([]string, len(paragraphs))
	for i, p := range paragraphs {
		list[i] = fmt.Sprintf("%d,%q", i, p)
	}
	return list
}
