package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"confidant/internal/chat"
)

// gather makes conversations of records. Segments belong together that have the
// same session; without sessions, the same title; without either, all. unit is
// what a record is called in errors, numbers which one it was.
func gather(list []record, unit string, zone *time.Location, numbers ...int) ([]Draft, error) {
	groups := groups{zone: zone, at: map[string]int{}}
	for i, r := range list {
		number := i + 1
		if numbers != nil {
			number = numbers[i]
		}
		segments, err := r.segments()
		switch {
		case err != nil:
			return nil, chat.Fail(chat.CodeInvalid, fmt.Sprintf("%s %d: %s.", unit, number, err.Error())+expected)
		case segments != nil:
			groups.conversation(r, *segments)
		case r.Text != nil:
			groups.segment(r)
		default:
			return nil, chat.Fail(chat.CodeInvalid, fmt.Sprintf("%s %d is an object without text or segments.", unit, number)+expected)
		}
	}
	drafts := groups.drafts[:0]
	for _, d := range groups.drafts {
		if len(d.Segments) > 0 {
			drafts = append(drafts, d)
		}
	}
	if len(drafts) == 0 {
		return nil, chat.Fail(chat.CodeInvalid, "The file has no text in any segment."+expected)
	}
	return drafts, nil
}

// segments returns those of a conversation, nil for what is none.
func (r record) segments() (*[]record, error) {
	found := r.Segments
	if found == nil {
		found = r.Omi
	}
	if found == nil && r.Transcript != nil {
		var list []record
		var text string
		switch {
		case json.Unmarshal(*r.Transcript, &list) == nil:
		case json.Unmarshal(*r.Transcript, &text) == nil:
			segments, ok := transcript(strings.Split(text, "\n"))
			if !ok {
				segments = paragraphs(strings.Split(text, "\n"))
			}
			for _, s := range segments {
				start := seconds(s.Start)
				list = append(list, record{Speaker: name(s.Speaker), Text: &s.Text, Start: &start})
			}
		default:
			return nil, fmt.Errorf("transcript is neither a list of segments nor a text")
		}
		found = &list
	}
	if found == nil {
		return nil, nil
	}
	for i, s := range *found {
		if s.Text == nil {
			return nil, fmt.Errorf("segment %d has no text", i+1)
		}
	}
	return found, nil
}

// groups are conversations in the order in which the file has them.
type groups struct {
	zone   *time.Location
	drafts []Draft
	at     map[string]int
}

// conversation adds a record that is one.
func (g *groups) conversation(r record, segments []record) {
	d := Draft{Source: sourceTranscript, Title: string(r.Title), Named: r.Title != "", FinishedAt: r.FinishedAt.in(g.zone)}
	if d.Title == "" {
		d.Title = string(r.Structured.Title)
	}
	for _, at := range []instant{r.StartedAt, r.CreatedAt, r.Time} {
		if d.StartedAt.IsZero() {
			d.StartedAt = at.in(g.zone)
		}
	}
	for _, s := range segments {
		d.add(s, g.zone)
	}
	if d.FinishedAt.Before(d.StartedAt) {
		d.FinishedAt = time.Time{}
	}
	g.drafts = append(g.drafts, d)
}

// segment adds a record that is part of one.
func (g *groups) segment(r record) {
	key := "session\x00" + string(r.Scope) + "\x00" + string(r.Session)
	title := string(r.Title)
	if r.Session == "" {
		key = "title\x00" + string(r.Scope) + "\x00" + title
	} else if title == "" {
		title = string(r.Session)
	}
	i, ok := g.at[key]
	if !ok {
		i = len(g.drafts)
		g.at[key] = i
		g.drafts = append(g.drafts, Draft{Source: sourceTranscript, Title: title, Named: r.Title != ""})
	}
	g.drafts[i].add(r, g.zone)
}

// add appends a segment. Its own time, when it has no start, makes one.
func (d *Draft) add(r record, zone *time.Location) {
	if strings.TrimSpace(*r.Text) == "" {
		return
	}
	s := chat.Segment{Speaker: oneLine(string(r.Speaker), maxTitle), Text: *r.Text, Start: r.Start.value(), End: r.End.value()}
	if at := r.Time.in(zone); !at.IsZero() {
		if d.StartedAt.IsZero() {
			d.StartedAt = at
		}
		if at.Before(d.StartedAt) {
			d.shift(d.StartedAt.Sub(at))
			d.StartedAt = at
		}
		if s.Start < 0 {
			s.Start = known(at.Sub(d.StartedAt).Seconds())
		}
	}
	d.Segments = append(d.Segments, s)
}

// shift moves the segments back in time, because an earlier one has appeared.
func (d *Draft) shift(by time.Duration) {
	for i := range d.Segments {
		s := &d.Segments[i]
		if s.Start >= 0 {
			s.Start += by.Seconds()
		}
		if s.End >= 0 {
			s.End += by.Seconds()
		}
	}
}
