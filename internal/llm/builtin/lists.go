package builtin

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// list is a question that a tool answers by listing what is known: no words are
// searched for.
type list struct {
	tool  string
	asked *regexp.Regexp
	// from and until are the tool's parameters for the time that the question names.
	from, until string
	// fixed are further arguments.
	fixed map[string]any
	show  func(content string) string
}

var lists = []list{
	{
		tool:  "get_memories_tool",
		asked: regexp.MustCompile(`(?i)\bwhat (do|did) you (know|remember|learn) (of|about) me\b|\bwas (weißt|weisst) du (über|von) mir?\b|\bwas weißt du über mich\b`),
		show:  showMemories,
	},
	{
		tool:  "get_action_items_tool",
		asked: regexp.MustCompile(`(?i)\b(my|meine) (open |offenen? )?(tasks?|to-?dos?|action items?|aufgaben)\b|\bwhat (do|must) i (still )?(have to |need to |must )?do\b|\bwas muss ich (noch )?(tun|erledigen|machen)\b`),
		from:  "due_start_date", until: "due_end_date",
		fixed: map[string]any{"completed": false},
		show:  showTasks,
	},
	{
		tool:  "get_calendar_events_tool",
		asked: regexp.MustCompile(`(?i)\b(my|meinen?|meinem) (calendar|schedule|agenda|appointments?|kalender|termine?n?)\b|\bwhich appointments\b|\bwelche termine\b`),
		from:  "start_date", until: "end_date",
		show: showEvents,
	},
}

// listFor is the list that a question asks for.
func listFor(question string, offered map[string]bool) (list, bool) {
	for _, l := range lists {
		if offered[l.tool] && l.asked.MatchString(question) {
			return l, true
		}
	}
	return list{}, false
}

// listOf is the list that a tool makes.
func listOf(tool string) (list, bool) {
	for _, l := range lists {
		if l.tool == tool {
			return l, true
		}
	}
	return list{}, false
}

func showMemories(content string) string {
	var result struct {
		Memories []struct {
			Content string `json:"content"`
			Since   string `json:"since"`
			Cite    int    `json:"cite"`
		} `json:"memories"`
	}
	if json.Unmarshal([]byte(content), &result) != nil || len(result.Memories) == 0 {
		return "I have no memories about you yet."
	}
	var b strings.Builder
	b.WriteString("This is what I know about you:\n\n")
	for _, m := range result.Memories {
		fmt.Fprintf(&b, "- %s", m.Content)
		if m.Cite > 0 {
			fmt.Fprintf(&b, "[%d]", m.Cite)
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func showTasks(content string) string {
	var result struct {
		Items []struct {
			Description string `json:"description"`
			DueAt       string `json:"due_at"`
		} `json:"action_items"`
	}
	if json.Unmarshal([]byte(content), &result) != nil || len(result.Items) == 0 {
		return "There is no open task."
	}
	var b strings.Builder
	b.WriteString("Your open tasks:\n\n")
	for _, t := range result.Items {
		fmt.Fprintf(&b, "- %s", t.Description)
		if due, err := time.Parse(time.RFC3339, t.DueAt); err == nil {
			b.WriteString(due.Format(" (due Monday, 2 January 2006, 15:04)"))
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func showEvents(content string) string {
	var result struct {
		Events []struct {
			Title  string `json:"title"`
			Start  string `json:"start"`
			AllDay bool   `json:"all_day"`
		} `json:"events"`
	}
	if json.Unmarshal([]byte(content), &result) != nil || len(result.Events) == 0 {
		return "There is nothing in your calendar for that time."
	}
	var b strings.Builder
	b.WriteString("In your calendar:\n\n")
	for _, e := range result.Events {
		layout := "Monday, 2 January 2006, 15:04"
		if e.AllDay {
			layout = "Monday, 2 January 2006"
		}
		at := e.Start
		if start, err := time.Parse(time.RFC3339, e.Start); err == nil {
			at = start.Format(layout)
		}
		fmt.Fprintf(&b, "- %s: %s\n", at, e.Title)
	}
	return strings.TrimRight(b.String(), "\n")
}
