package process

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
)

// maxWindow is how many bytes of a transcript one call reads: about 12,000
// tokens, which small models still read with care.
const maxWindow = 48_000

// window is a part of a transcript. Lines begin with the number of their segment,
// so that an answer can name where something was said.
type window struct{ text string }

// windows cuts the transcript into parts at the borders of segments.
func windows(segments []chat.Segment) []window {
	var list []window
	var b strings.Builder
	for _, s := range segments {
		line := fmt.Sprintf("[%d] %s: %s\n", s.Position, who(s), strings.Join(strings.Fields(s.Text), " "))
		if b.Len() > 0 && b.Len()+len(line) > maxWindow {
			list = append(list, window{b.String()})
			b.Reset()
		}
		b.WriteString(line)
	}
	if b.Len() > 0 {
		list = append(list, window{b.String()})
	}
	return list
}

func who(s chat.Segment) string {
	switch {
	case s.IsUser && s.Speaker != "":
		return s.Speaker + " (the user)"
	case s.IsUser:
		return "The user"
	case s.Speaker == "":
		return "Unknown"
	}
	return s.Speaker
}

// setting is what every prompt is told about the circumstances.
type setting struct {
	When, Zone, Source, Title string
	People                    string
}

func (r *run) setting() setting {
	at := r.c.StartedAt
	if at.IsZero() {
		at = r.c.CreatedAt
	}
	zone := r.opt.Zone
	return setting{
		When: at.In(zone).Format("Monday, 2006-01-02 15:04"), Zone: zone.String(), Source: r.c.Source, Title: r.c.Title,
		People: strings.Join(r.c.Speakers, ", "),
	}
}

// whole returns the transcript as one text that a single call can read: itself,
// or digests of its parts when it is longer.
func (r *run) whole(ctx context.Context) (string, error) {
	parts := windows(r.segments)
	if len(parts) == 1 {
		return parts[0].text, nil
	}
	var b strings.Builder
	for i, part := range parts {
		d, err := ask[struct {
			Digest string `json:"digest"`
		}](ctx, r, digestPrompt, r.setting(), part.text)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "Part %d of %d: %s\n\n", i+1, len(parts), d.Digest)
		r.progress(chat.Progress{Step: string(chat.StepStructure), State: string(chat.StepRunning), Done: i + 1, Total: len(parts)})
	}
	text := b.String()
	if len(text) > maxWindow {
		text = text[:maxWindow]
	}
	return strings.ToValidUTF8(text, ""), nil
}

// wordCount counts as the discard rule does: what stands between spaces.
func wordCount(segments []chat.Segment) int {
	n := 0
	for _, s := range segments {
		n += len(strings.Fields(s.Text))
	}
	return n
}

// segmentIDs names the segments that an answer gave by number, those that exist.
func (r *run) segmentIDs(numbers []int) []string {
	var ids []string
	for _, n := range numbers {
		id := chat.SegmentID(r.c.ID, n)
		if n >= 0 && n < r.c.Segments && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// started is when the conversation took place, as far as it is known.
func (r *run) started() time.Time {
	if r.c.StartedAt.IsZero() {
		return r.c.CreatedAt
	}
	return r.c.StartedAt
}

// clip cuts a text to a number of words.
func clip(text string, words int) string {
	fields := strings.Fields(text)
	return strings.Join(fields[:min(words, len(fields))], " ")
}
