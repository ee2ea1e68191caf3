package extract

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mostLine is how many bytes of a line are held before they go on their page.
const mostLine = 64 << 10

// Plain adds text line by line, as it is. A form feed ends a page.
func (p *Pager) Plain(r io.Reader) error {
	l := lines{pager: p}
	return l.read(r, func(line string) error {
		for {
			before, after, ok := strings.Cut(line, "\f")
			if err := l.add(before, false); err != nil || !ok {
				return err
			}
			if err := p.Break(); err != nil {
				return err
			}
			line, l.empty = after, 0
		}
	})
}

// Markdown adds Markdown line by line, as it is. Of a text that is divided, pages end
// before headings where they can, and a table that goes on has its header again.
func (p *Pager) Markdown(r io.Reader) error {
	l := lines{pager: p}
	if err := l.read(r, l.markdown); err != nil {
		return err
	}
	return l.release()
}

// lines tells what the lines of a text are.
type lines struct {
	pager *Pager
	empty int // how many empty lines have come
	// fence is what ends the code that the lines belong to, "" outside of any.
	fence string
	// held may be the header of a table, if the next line says so.
	held string
}

// read calls line for each line, without its end; for a longer one than can be held
// it adds the rest by itself.
func (l *lines) read(r io.Reader, line func(string) error) error {
	in := bufio.NewReaderSize(r, mostLine)
	for {
		text, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("read the text: %w", err)
		}
		if len(text) > 0 {
			if err := line(strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")); err != nil {
				return err
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			if err := l.release(); err != nil {
				return err
			}
			text, err = in.ReadSlice('\n')
			if err := l.pager.More(strings.TrimRight(string(text), "\r\n")); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// add adds a line that is nothing special.
func (l *lines) add(line string, heading bool) error {
	line = strings.TrimRight(Clean(line), " \t\n")
	if line == "" {
		l.empty++
		return nil
	}
	before := strings.Repeat("\n", min(l.empty, 2)+1)
	l.empty = 0
	return l.pager.add(line, before, heading)
}

// markdown adds a line of Markdown.
func (l *lines) markdown(line string) error {
	trimmed := strings.TrimSpace(line)
	if l.held != "" {
		if isRule(trimmed) {
			header := l.held + "\n" + trimmed
			l.held = ""
			if err := l.add(header, false); err != nil {
				return err
			}
			if len(header) > mostRepeated {
				header = ""
			}
			l.pager.header = &header
			return nil
		}
		if err := l.release(); err != nil {
			return err
		}
	}
	switch {
	case l.fence != "":
		if strings.HasPrefix(trimmed, l.fence) && strings.Trim(trimmed, l.fence[:1]) == "" {
			l.fence = ""
		}
		return l.add(line, false)
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		l.fence = trimmed[:3]
	case strings.HasPrefix(trimmed, "|"):
		if l.pager.header == nil {
			l.held = Clean(trimmed)
			return nil
		}
		return l.add(trimmed, false)
	}
	l.pager.header = nil
	return l.add(line, isHeading(line))
}

// release adds the line that was held and is no header.
func (l *lines) release() error {
	line := l.held
	l.held = ""
	if line == "" {
		return nil
	}
	return l.add(line, false)
}

// isRule reports whether a line is the one below the header of a table.
func isRule(line string) bool {
	return strings.HasPrefix(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|-: \t") == ""
}

func isHeading(line string) bool {
	text := strings.TrimLeft(line, "#")
	n := len(line) - len(text)
	return n >= 1 && n <= 6 && (text == "" || text[0] == ' ' || text[0] == '\t')
}
