package archive

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"confidant/internal/chat"
)

// readable writes what a person reads: a Markdown file for each conversation, one
// for memories and one for tasks. None of it is read back.
func (w *writer) readable(ctx context.Context) error {
	err := w.each(ctx, func(c chat.ArchivedConversation) error {
		name := fmt.Sprintf("conversations/%s %s %s.md", day(c.StartedAt), fileName(c.Title), c.ID)
		return w.file(name, func(out io.Writer) { writeConversation(out, c) })
	})
	if err != nil {
		return err
	}
	facts, err := w.store.Facts(ctx, w.userID, chat.FactQuery{All: true, Limit: maxReadable})
	if err != nil {
		return err
	}
	if err := w.file("memories.md", func(out io.Writer) { writeFacts(out, facts) }); err != nil {
		return err
	}
	tasks, err := w.store.Tasks(ctx, w.userID, chat.TaskQuery{Limit: maxReadable})
	if err != nil {
		return err
	}
	return w.file("tasks.md", func(out io.Writer) { writeTasks(out, tasks) })
}

// maxReadable bounds the two lists for people; the JSON lines have all.
const maxReadable = 100_000

func (w *writer) file(name string, write func(io.Writer)) error {
	file, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	var text strings.Builder
	write(&text)
	_, err = io.WriteString(file, text.String())
	return err
}

// fileName is a title as part of a file's name on any system.
func fileName(title string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '-' {
			return r
		}
		return ' '
	}, title)
	clean = strings.Join(strings.Fields(clean), " ")
	if runes := []rune(clean); len(runes) > 60 {
		clean = strings.TrimSpace(string(runes[:60]))
	}
	return clean
}

func writeConversation(out io.Writer, c chat.ArchivedConversation) {
	fmt.Fprintf(out, "# %s\n\n", c.Title)
	fmt.Fprintf(out, "%s · %s", day(c.StartedAt), c.Source)
	if c.Category != "" {
		fmt.Fprintf(out, " · %s", c.Category)
	}
	if len(c.Speakers) > 0 {
		fmt.Fprintf(out, " · %s", strings.Join(c.Speakers, ", "))
	}
	fmt.Fprint(out, "\n\n")
	if c.Overview != "" {
		fmt.Fprintf(out, "%s\n\n", c.Overview)
	}
	for _, s := range c.Segments {
		if s.Start >= 0 {
			fmt.Fprintf(out, "[%s] ", clock(s.Start))
		}
		if s.Speaker != "" {
			fmt.Fprintf(out, "**%s:** ", s.Speaker)
		}
		fmt.Fprintf(out, "%s\n\n", s.Text)
	}
}

func clock(seconds float64) string {
	s := int(seconds)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

func writeFacts(out io.Writer, facts []chat.Fact) {
	fmt.Fprint(out, "# Memories\n\n")
	for _, f := range facts {
		fmt.Fprintf(out, "- %s (%s, since %s", f.Content, f.Category, day(f.ValidFrom))
		switch {
		case f.Review == chat.Rejected:
			fmt.Fprint(out, ", rejected")
		case !f.ValidTo.IsZero():
			fmt.Fprintf(out, ", until %s", day(f.ValidTo))
		case f.Pinned:
			fmt.Fprint(out, ", pinned")
		}
		fmt.Fprint(out, ")\n")
	}
}

func writeTasks(out io.Writer, tasks []chat.Task) {
	fmt.Fprint(out, "# Tasks\n\n")
	for _, t := range tasks {
		mark := " "
		if t.Completed {
			mark = "x"
		}
		fmt.Fprintf(out, "- [%s] %s", mark, t.Description)
		if !t.DueAt.IsZero() {
			fmt.Fprintf(out, " (due %s)", t.DueAt.UTC().Format("2006-01-02 15:04 MST"))
		}
		fmt.Fprint(out, "\n")
	}
}
