// Package ocr recognises the text of pictures with the tesseract command, where that
// is installed.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"confidant/internal/library/extract"
)

const (
	// mostLanguages is how many languages are looked for at once: each takes its time.
	mostLanguages = 4
	// mostText is how many bytes of text are read of one picture.
	mostText = 4 << 20
	// listTime is how long tesseract may take to say which languages it has.
	listTime = 10 * time.Second
	// orientation is the model that finds out how a picture is turned.
	orientation = "osd"
)

// Tesseract recognises text. No more pictures are read at once than there are
// processors, each by a process of one thread; nothing is written to the disk.
type Tesseract struct {
	path      string
	languages []string
	// turns: pictures that lie on their side are turned first.
	turns bool
	slots chan struct{}
}

var _ extract.Recognizer = (*Tesseract)(nil)

// Find looks for tesseract, and returns nil when it is not installed, or has none of
// the languages, such as "eng" and "deu". Without languages, it takes those that are
// installed, English first, and no more than four.
func Find(ctx context.Context, languages ...string) *Tesseract {
	path, err := exec.LookPath("tesseract")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--list-langs").Output()
	if err != nil {
		return nil
	}
	installed := strings.Fields(string(out))
	t := &Tesseract{path: path, languages: choose(installed, languages), turns: slices.Contains(installed, orientation), slots: make(chan struct{}, runtime.NumCPU())}
	if len(t.languages) == 0 {
		return nil
	}
	return t
}

// choose returns which of the installed languages are used. The list of the installed
// ones begins with words about it.
func choose(installed, wanted []string) []string {
	var chosen []string
	if len(wanted) > 0 {
		for _, l := range wanted {
			if slices.Contains(installed, l) && l != orientation {
				chosen = append(chosen, l)
			}
		}
		return chosen
	}
	if slices.Contains(installed, "eng") {
		chosen = []string{"eng"}
	}
	if i := slices.IndexFunc(installed, func(word string) bool { return strings.HasSuffix(word, ":") }); i >= 0 {
		installed = installed[i+1:]
	}
	for _, l := range installed {
		if l != orientation && l != "equ" && l != "eng" && len(chosen) < mostLanguages {
			chosen = append(chosen, l)
		}
	}
	return chosen
}

// Languages are those that are looked for.
func (t *Tesseract) Languages() []string { return t.languages }

// Recognize implements extract.Recognizer. A picture that tesseract refuses is
// extract.Broken.
func (t *Tesseract) Recognize(ctx context.Context, picture []byte) (string, error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	// Mode 3 takes the picture as a page with columns; 1 also turns it first.
	mode := "3"
	if t.turns {
		mode = "1"
	}
	cmd := exec.CommandContext(ctx, t.path, "stdin", "stdout", "-l", strings.Join(t.languages, "+"), "--psm", mode)
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = bytes.NewReader(picture)
	cmd.WaitDelay = time.Second
	out := &bounded{most: mostText}
	cmd.Stdout = out
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("tesseract: %w", ctx.Err())
	case errors.As(err, &exit):
		return "", extract.Broken(extract.NoteUnreadable, err)
	case err != nil:
		return "", fmt.Errorf("tesseract: %w", err)
	}
	return strings.TrimSpace(extract.Clean(out.text.String())), nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	text bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), max(b.most-b.text.Len(), 0))])
	return len(p), nil
}
