package process

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// The limits of tasks (facts/omi.md section 7).
const (
	taskWords     = 15
	tasksCompared = 50
	tasksDays     = 2
	tasksMost     = 20 // of one conversation
	sameTask      = .95
)

// proposedTask is a task as the model proposes it. The day and the time of day
// come apart, because models say "morning" more reliably than they add hours.
type proposedTask struct {
	Description string `json:"description"`
	Date        string `json:"due_date"` // YYYY-MM-DD or empty
	Time        string `json:"due_time"` // HH:MM, morning, noon, afternoon, evening, urgent, or empty
	Segment     int    `json:"segment"`
}

// tasks draws out what is to be done. It sees the tasks of the last two days, so
// that what was said twice becomes one; tasks that the person has changed are
// left alone.
func (r *run) tasks(ctx context.Context) (result, error) {
	if r.c.Discarded {
		return skipped("Discarded."), nil
	}
	if r.opt.Model == nil {
		return waiting(chat.Outcome{}), nil
	}
	recent, err := r.store.Tasks(ctx, r.job.UserID, chat.TaskQuery{CreatedFrom: time.Now().AddDate(0, 0, -tasksDays), Limit: tasksCompared})
	if err != nil {
		return result{}, err
	}
	mine, err := r.store.Tasks(ctx, r.job.UserID, chat.TaskQuery{ConversationID: r.c.ID, Limit: 1000})
	if err != nil {
		return result{}, err
	}
	recent = slices.DeleteFunc(recent, func(t chat.Task) bool { return t.ConversationID == r.c.ID })
	var list strings.Builder
	for _, t := range recent {
		fmt.Fprintf(&list, "- %s (due %s, done %t)\n", t.Description, shownDay(t.DueAt, r.opt.Zone), t.Completed)
	}
	data := struct {
		setting
		Known string
	}{r.setting(), list.String()}
	changes := chat.Changes[chat.Task]{}
	for _, t := range mine {
		if t.Edited || t.Completed {
			recent = append(recent, t)
		} else {
			changes.Remove = append(changes.Remove, t.ID)
		}
	}
	for _, w := range windows(r.segments) {
		answer, err := ask[struct {
			Tasks []proposedTask `json:"tasks"`
		}](ctx, r, tasksPrompt, data, w.text)
		if err != nil {
			return result{}, err
		}
		for _, p := range answer.Tasks {
			t, ok := r.task(p)
			if !ok || len(changes.Put) == tasksMost || slices.ContainsFunc(append(recent, changes.Put...), func(old chat.Task) bool { return sameAs(t, old) }) {
				continue
			}
			changes.Put = append(changes.Put, t)
		}
	}
	return result{state: chat.StepDone, prompt: tasksPrompt.Name, outcome: chat.Outcome{Tasks: changes}}, nil
}

// sameAs reports whether two tasks are over 95 % alike, their due time included.
func sameAs(a, b chat.Task) bool {
	near := a.DueAt.Sub(b.DueAt).Abs() < 24*time.Hour && a.DueAt.IsZero() == b.DueAt.IsZero()
	return near && (strings.EqualFold(a.Description, b.Description) || alike(a.Description, b.Description) >= sameTask)
}

// toTheAssistant is a command to the machine, which is no task of the person
// (facts/omi.md section 11, issue 6158).
var toTheAssistant = regexp.MustCompile(`(?i)^(hey |ok |okay )?(omi|siri|alexa|google|confidant|assistant)\b`)

func (r *run) task(p proposedTask) (chat.Task, bool) {
	description := strings.Join(strings.Fields(p.Description), " ")
	words := len(strings.Fields(description))
	if words < 2 || words > taskWords || nobody.MatchString(description) || toTheAssistant.MatchString(description) {
		return chat.Task{}, false
	}
	now := time.Now().UTC()
	t := chat.Task{
		ID: ident.New(), Description: description, ConversationID: r.c.ID,
		DueAt: due(p.Date, p.Time, r.started(), r.opt.Zone), CreatedAt: now, UpdatedAt: now,
	}
	if ids := r.segmentIDs([]int{p.Segment}); len(ids) == 1 {
		t.SegmentID = ids[0]
	}
	return t, true
}

// hours are when the parts of a day begin (facts/omi.md section 7).
var hours = map[string]int{"morning": 9, "noon": 12, "afternoon": 14, "evening": 18}

// due turns a day and a time of day in the person's zone into a time; zero when
// there is no day. A day without a time ends at 23:59; urgent is two hours after
// it was said.
func due(date, clock string, said time.Time, zone *time.Location) time.Time {
	clock = strings.ToLower(strings.TrimSpace(clock))
	if clock == "urgent" {
		return said.Add(2 * time.Hour).UTC()
	}
	day, err := time.ParseInLocation(time.DateOnly, strings.TrimSpace(date), zone)
	if err != nil {
		return time.Time{}
	}
	hour, minute := 23, 59
	if h, ok := hours[clock]; ok {
		hour, minute = h, 0
	} else if t, err := time.Parse("15:04", clock); err == nil {
		hour, minute = t.Hour(), t.Minute()
	}
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone).UTC()
}

func shownDay(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "never"
	}
	return t.In(zone).Format(time.DateOnly)
}
