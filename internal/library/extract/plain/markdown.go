package plain

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"confidant/internal/library/extract"
)

// mostFront is how many bytes at the beginning of a text are looked at for its title.
const mostFront = 64 << 10

// Markdown reads Markdown as it is. Its title is that of its front matter, or else
// the heading of the first level that it begins with.
type Markdown struct{ Limits extract.Limits }

var _ extract.Format = Markdown{}

// Types implements extract.Format.
func (Markdown) Types() []string { return []string{extract.TypeMarkdown} }

// Open implements extract.Format.
func (f Markdown) Open(_ context.Context, s extract.Source) (extract.Document, error) {
	d, err := open(s, f.Limits, (*extract.Pager).Markdown)
	if err != nil {
		return nil, err
	}
	text, err := d.text()
	if err == nil {
		d.info, err = front(text)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// front reads the title and the time of a text off its beginning.
func front(r io.Reader) (extract.Info, error) {
	head, err := io.ReadAll(io.LimitReader(r, mostFront))
	if err != nil {
		return extract.Info{}, fmt.Errorf("read the front matter: %w", err)
	}
	text := extract.Clean(string(head))
	var info extract.Info
	if matter, rest, ok := frontMatter(text); ok {
		info, text = matter, rest
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for info.Title == "" && lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			info.Title = strings.TrimSpace(strings.TrimRight(heading, "#"))
		} else if line != "" {
			break
		}
	}
	return info, nil
}

// frontMatter reads the YAML between two lines of dashes that a text may begin with.
func frontMatter(text string) (info extract.Info, rest string, ok bool) {
	matter, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return info, "", false
	}
	matter, rest, ok = strings.Cut(matter, "\n---")
	if !ok {
		return info, "", false
	}
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(matter), &fields); err != nil {
		return info, rest, true // it is text, too
	}
	if title, ok := fields["title"].(string); ok {
		info.Title = strings.Join(strings.Fields(extract.Clean(title)), " ")
	}
	for _, name := range []string{"updated", "modified", "lastmod", "date"} {
		switch at := fields[name].(type) {
		case time.Time:
			info.Modified = at.UTC()
			return info, rest, true
		case string:
			if day, err := time.Parse(time.DateOnly, at); err == nil {
				info.Modified = day
				return info, rest, true
			}
		}
	}
	return info, rest, true
}
