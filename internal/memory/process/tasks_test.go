package process_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
)

func TestTheRulesOfTasks(t *testing.T) {
	task := func(description, date, clock string) string {
		text, _ := json.Marshal(map[string]any{"description": description, "due_date": date, "due_time": clock, "segment": 0})
		return string(text)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 3, day, hour, minute, 0, 0, berlin) }
	for name, test := range map[string]struct {
		task string
		due  time.Time
		none bool
	}{
		"morning":            {task: task("Call Ana", "2026-03-04", "morning"), due: at(4, 9, 0)},
		"noon":               {task: task("Call Ana", "2026-03-04", "noon"), due: at(4, 12, 0)},
		"afternoon":          {task: task("Call Ana", "2026-03-04", "Afternoon"), due: at(4, 14, 0)},
		"evening":            {task: task("Call Ana", "2026-03-04", "evening"), due: at(4, 18, 0)},
		"a time":             {task: task("Call Ana", "2026-03-04", "16:30"), due: at(4, 16, 30)},
		"no time":            {task: task("Call Ana", "2026-03-04", ""), due: at(4, 23, 59)},
		"summer time begins": {task: task("Call Ana", "2026-03-29", "morning"), due: at(29, 9, 0)},
		"urgent":             {task: task("Call Ana", "", "urgent"), due: at(2, 12, 0)},
		"no day":             {task: task("Call Ana", "", "")},
		"a day that is none": {task: task("Call Ana", "2026-02-31", "noon")},
		"over 15 words":      {task: task("Call Ana and then one two three four five six seven eight nine ten eleven twelve", "", ""), none: true},
		"nobody's":           {task: task("Call Speaker 2 back", "", ""), none: true},
		"a command":          {task: task("Hey Siri set a timer", "", ""), none: true},
		"a word is no task":  {task: task("Milk", "", ""), none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.record(chat.Conversation{}, talk...)
			f.run(options(model(map[string][]string{"tasks": {`{"tasks":[` + test.task + "," + test.task + `]}`}})))
			got := f.tasks()
			if test.none != (len(got) == 0) || len(got) > 1 {
				t.Fatalf("tasks %+v", got)
			}
			if !test.none && !got[0].DueAt.Equal(test.due) {
				t.Errorf("due %s, want %s", got[0].DueAt.In(berlin), test.due)
			}
		})
	}
}

func TestTasksSaidTwiceAreOne(t *testing.T) {
	f := newFixture(t)
	m := model(nil)
	f.record(chat.Conversation{Fingerprint: "1"}, talk...)
	f.run(options(m))
	f.record(chat.Conversation{Fingerprint: "2"}, talk...)
	f.run(options(m))
	if got := f.tasks(); len(got) != 1 {
		t.Errorf("tasks %+v", got)
	}
	if prompts := m.prompts("tasks"); !strings.Contains(prompts[1], "- Send Ana the budget (due 2026-03-03, done false)") {
		t.Error("the second prompt does not show the task of the first conversation")
	}
}

func TestTasksThatAPersonChangedStay(t *testing.T) {
	f := newFixture(t)
	c := f.record(chat.Conversation{}, talk...)
	m := model(nil)
	f.run(options(m))
	task := f.tasks()[0]
	task.Description, task.Edited = "Send Ana the budget and the plan", true
	if err := f.store.SaveTasks(t.Context(), f.ana.ID, chat.Changes[chat.Task]{Put: []chat.Task{task}}); err != nil {
		t.Fatal(err)
	}
	m.answers["tasks"] = []string{`{"tasks":[]}`}
	f.again(c)
	f.run(options(m))
	if got := f.tasks(); len(got) != 1 || got[0].ID != task.ID {
		t.Errorf("tasks %+v", got)
	}
}
