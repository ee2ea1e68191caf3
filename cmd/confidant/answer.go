package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode"

	"confidant/internal/chat"
)

// answer shows one turn as it happens: its text, then the sources.
type answer struct {
	out    io.Writer
	status io.Writer // nil for none
	zone   *time.Location

	shown  []said // what was streamed, by event
	held   string // the end of what was streamed, which may be the beginning of a reference
	newest byte   // the last byte written
}

type said struct {
	seq  int64
	text string
}

// follow shows a turn until it is closed. A turn that failed is an error. When
// ctx ends the turn is cancelled too: nobody waits for it.
func (a *answer) follow(ctx context.Context, assistant assistant, turnID string) error {
	var failed error
	for e, err := range assistant.Follow(ctx, turnID) {
		if err != nil {
			if ctx.Err() != nil {
				return stopTurn(ctx, assistant, turnID)
			}
			return err
		}
		switch body := e.Body.(type) {
		case chat.TurnFailed:
			failed = chat.Fail(body.Code, body.Message)
		case chat.TurnCancelled:
			failed = errCancelled
		default:
			a.show(e)
		}
		if chat.Terminal(e.Body) {
			break // what follows, suggestions for example, is for the page
		}
	}
	a.newLine()
	return failed
}

var errCancelled = fmt.Errorf("the answer was cancelled")

// stopTurn cancels a turn whose reader was interrupted.
func stopTurn(ctx context.Context, assistant assistant, turnID string) error {
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := assistant.Cancel(stopping, turnID); err != nil {
		return fmt.Errorf("cancel the turn: %w", err)
	}
	return errCancelled
}

func (a *answer) show(e chat.Event) {
	switch body := e.Body.(type) {
	case chat.Status:
		a.tell(body.Text + "…")
	case chat.ToolCalled:
		if body.Label != nil {
			a.tell(*body.Label + "…")
		}
	case chat.TextDelta:
		a.stream(body.Delta)
		a.shown = append(a.shown, said{e.Seq, body.Delta})
	case chat.StepRetracted:
		for len(a.shown) > 0 && a.shown[len(a.shown)-1].seq >= body.FromSeq {
			a.shown = a.shown[:len(a.shown)-1]
		}
		a.stream("\n")
		a.newLine()
		a.tell("The answer broke off and is begun again.")
	case chat.TextFinished:
		a.finish(body)
	}
}

// finish adds what the check of the citations changed, and the sources.
func (a *answer) finish(body chat.TextFinished) {
	var streamed strings.Builder
	for _, s := range a.shown {
		streamed.WriteString(s.text)
	}
	a.write(a.held)
	a.held = ""
	plain := func(text string) string { return strings.Join(strings.Fields(marker.ReplaceAllString(text, "")), " ") }
	a.newLine()
	if !strings.HasSuffix(plain(streamed.String()), plain(body.Text)) {
		a.write("\nThe whole answer:\n\n" + pageReference.ReplaceAllString(body.Text, "[p. $1]"))
		a.newLine()
	}
	kept := map[string]bool{}
	for _, c := range body.Citations {
		kept[markerOf(c)] = true
	}
	if len(body.Citations) > 0 {
		a.write("\nSources\n")
	}
	for _, c := range body.Citations {
		a.write(a.source(c))
	}
	for _, m := range marker.FindAllString(streamed.String(), -1) {
		if !kept[m] && !strings.Contains(body.Text, m) {
			kept[m] = true
			a.write(pageReference.ReplaceAllString(m, "[p. $1]") + " was withdrawn: no source carries that sentence.\n")
		}
	}
}

// marker is what cites a source in an answer: its number, or a page of a file.
var marker = regexp.MustCompile(`\[\d{1,6}\](?:\([0-9A-Z]{26}\))?`)

// pageReference is a marker of the second kind. On a terminal the page is enough;
// the sources below name the file.
var pageReference = regexp.MustCompile(`\[(\d{1,6})\]\([0-9A-Z]{26}\)`)

// begun is the end of a text that may be the beginning of one.
var begun = regexp.MustCompile(`\[(?:\d{0,6}|\d{1,6}\]|\d{1,6}\]\([0-9A-Z]{0,26})$`)

// markerOf is the marker of a citation as the answer has it.
func markerOf(c chat.Citation) string {
	if c.Kind == chat.CitesPage {
		return fmt.Sprintf("[%d](%s)", c.Page, c.FileID)
	}
	return fmt.Sprintf("[%d]", c.N)
}

// stream writes what came of the answer, references as they are read.
func (a *answer) stream(text string) {
	text = pageReference.ReplaceAllString(a.held+text, "[p. $1]")
	at := len(text)
	if loc := begun.FindStringIndex(text); loc != nil {
		at = loc[0]
	}
	a.held = text[at:]
	a.write(text[:at])
}

// maxQuote is how many characters of a source are shown.
const maxQuote = 160

// source is a citation as a line or two.
func (a *answer) source(c chat.Citation) string {
	var about []string
	for _, part := range []string{c.Title, c.Speaker} {
		if part != "" {
			about = append(about, part)
		}
	}
	if !c.At.IsZero() {
		about = append(about, c.At.In(a.zone).Format("2 January 2006"))
	}
	line := pageReference.ReplaceAllString(markerOf(c), "[p. $1]") + " " + strings.Join(about, ", ") + "\n"
	quote := strings.Join(strings.Fields(c.Quote), " ")
	if runes := []rune(quote); len(runes) > maxQuote {
		quote = string(runes[:maxQuote-1]) + "…"
	}
	if quote != "" {
		line += "    “" + quote + "”\n"
	}
	return line
}

// write writes text without what would steer a terminal: recordings may hold
// anything.
func (a *answer) write(text string) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	if text == "" {
		return
	}
	a.newest = text[len(text)-1]
	fmt.Fprint(a.out, text)
}

// newLine ends a line that was begun.
func (a *answer) newLine() {
	if a.newest != '\n' && a.newest != 0 {
		a.write("\n")
	}
}

func (a *answer) tell(text string) {
	if a.status != nil {
		a.newLine()
		fmt.Fprintln(a.status, text)
	}
}

// events prints a turn as JSON lines.
func events(ctx context.Context, out io.Writer, assistant assistant, turnID string) error {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	var failed error
	for e, err := range assistant.Follow(ctx, turnID) {
		if err != nil {
			if ctx.Err() != nil {
				return stopTurn(ctx, assistant, turnID)
			}
			return err
		}
		if err := lines.Encode(e); err != nil {
			return err
		}
		switch body := e.Body.(type) {
		case chat.TurnFailed:
			failed = chat.Fail(body.Code, body.Message)
		case chat.TurnCancelled:
			failed = errCancelled
		}
	}
	return failed
}
