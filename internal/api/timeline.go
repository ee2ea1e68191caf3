package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"confidant/internal/calendar"
	"confidant/internal/chat"
)

// timelineDay is what was recorded and remembered on one day of the person.
type timelineDay struct {
	Date          string  `json:"date"` // YYYY-MM-DD in the zone asked for
	Conversations int     `json:"conversations"`
	Seconds       float64 `json:"seconds"` // of what was recorded
	Facts         int     `json:"memories"`
	Tasks         int     `json:"tasks"`
	Events        int     `json:"events"`
}

const (
	timelineDays    = 1100    // the longest timeline: three years
	timelineRecords = 100_000 // of a kind that are counted
	timelineEvents  = 20_000
	longestTalk     = 24 * time.Hour
)

// timeline counts by day. A fact counts on the day when it was said, a task on
// the day when it was noted, an event on the days when it takes place.
func (s *Server) timeline(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	from, until, err := windowOf(r)
	if err != nil {
		return nil, err
	}
	if from.IsZero() || until.IsZero() || !from.Before(until) || until.Sub(from) > timelineDays*24*time.Hour {
		return nil, chat.Fail(chat.CodeInvalid, "The timeline needs from and until, at most 1100 days apart (timeline_days).")
	}
	zone, err := s.zoneOf(r.URL.Query().Get("zone"))
	if err != nil {
		return nil, err
	}
	days := map[string]*timelineDay{}
	day := func(t time.Time) *timelineDay {
		date := t.In(zone).Format(time.DateOnly)
		if days[date] == nil {
			days[date] = &timelineDay{Date: date}
		}
		return days[date]
	}
	ctx := r.Context()
	conversations, err := s.memory.Conversations(ctx, user.ID, chat.ConversationQuery{From: from, Until: until, Locked: true, Limit: timelineRecords})
	if err != nil {
		return nil, err
	}
	for _, c := range conversations {
		d := day(c.StartedAt)
		d.Conversations++
		if length := c.FinishedAt.Sub(c.StartedAt); length > 0 && length <= longestTalk {
			d.Seconds += length.Seconds()
		}
	}
	facts, err := s.facts.Facts(ctx, user.ID, chat.FactQuery{All: true, Limit: timelineRecords})
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		if at := f.ValidFrom; f.Review != chat.Rejected && !at.Before(from) && at.Before(until) {
			day(at).Facts++
		}
	}
	tasks, err := s.tasks.Tasks(ctx, user.ID, chat.TaskQuery{CreatedFrom: from, CreatedUntil: until, Limit: timelineRecords})
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		day(t.CreatedAt).Tasks++
	}
	events, _, err := s.calendar.Between(ctx, user.ID, calendar.Window{From: from, Until: until, Limit: timelineEvents})
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		day(e.Start).Events++
	}
	list := make([]*timelineDay, 0, len(days))
	for _, d := range days {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *timelineDay) int { return strings.Compare(a.Date, b.Date) })
	return map[string]any{"days": list}, nil
}
