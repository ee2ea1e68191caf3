// Package route is the third stage of a turn: it decides who answers and builds
// what the model is told. There are three routes (seeds/omi-chat-system.txt):
// direct, the agent with its tools, and a persona.
package route

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/prompt"
)

//go:embed prompts
var files embed.FS

var (
	folder         = must(fs.Sub(files, "prompts"))
	contextPrompt  = prompt.Must(folder, "requires_context.v1")
	summaryPrompt  = prompt.Must(folder, "summary.v1")
	greetingPrompt = prompt.Must(folder, "greeting.v1")
	systems        = template.Must(template.ParseFS(folder, "frame.md", "agentic.v3.md", "direct.v1.md", "persona.v1.md"))
)

func must(f fs.FS, err error) fs.FS {
	if err != nil {
		panic(err) // the files are part of the program
	}
	return f
}

// Router plans turns.
type Router struct {
	Messages      chat.Messages
	Summaries     chat.Summaries
	Facts         chat.Facts
	Conversations chat.Conversations
	Personas      chat.Personas
	Files         chat.Files
	// Fast classifies and summarises; nil leaves the one to rules and the other out.
	Fast llm.Model
	// History is how many earlier messages the model sees as they are.
	History int
	// Pinned is how many characters of pinned facts the model sees.
	Pinned int
	// Patience is how long an answer waits for the fast model.
	Patience time.Duration
}

// Wish is what the plan depends on.
type Wish struct {
	UserID, ChatID, MessageID string
	// Persona is the id of the one that is to answer, empty for none.
	Persona string
	// History, when not nil, stands for the stored messages.
	History      []chat.HistoryMessage
	Instructions string
	// FileIDs are the files that the question is about.
	FileIDs []string
	Now     time.Time
	Zone    *time.Location
}

// Plan is what the agent starts from.
type Plan struct {
	System string
	// History ends with the question.
	History []llm.Message
	// AllTools offers every tool, otherwise those of Tools.
	AllTools bool
	Tools    []string
	// Withheld are those of all tools that would have nothing to work on.
	Withheld []string
}

// setting is what the prompts' templates speak of.
type setting struct {
	Now, Weekday, Zone, Offset, Example string
	Pinned, Instructions, Summary       string
	Missing                             bool
	Files                               shelf
	persona
}

// Plan builds the prompt of the route that was chosen. A persona that is not
// there any more is ErrNotFound.
func (r *Router) Plan(ctx context.Context, w Wish, t Talk, chosen chat.RouteChosen) (Plan, error) {
	now := w.Now.In(w.Zone)
	s := setting{
		Now: now.Format("2006-01-02 15:04"), Weekday: now.Weekday().String(), Zone: w.Zone.String(),
		Offset: now.Format("-07:00"), Example: now.Format(time.RFC3339),
		Instructions: w.Instructions, Summary: t.Summary, Missing: t.Missing,
	}
	plan := Plan{History: t.conversation()}
	name := "agentic.v3.md"
	var err error
	switch chosen.Route {
	case chat.RoutePersona:
		name = "persona.v1.md"
		s.persona, err = r.persona(ctx, w.UserID, chosen.Persona, w.Zone)
		plan.Tools = s.persona.Tools
	case chat.RouteDirect:
		name = "direct.v1.md"
		s.Pinned, err = r.pinned(ctx, w.UserID)
	case chat.RouteAgentic:
		plan.AllTools = true
		if s.Files, err = r.files(ctx, w); err != nil {
			return Plan{}, err
		}
		if s.Files.Total == 0 {
			plan.Withheld = libraryTools
		}
		s.Pinned, err = r.pinned(ctx, w.UserID)
	}
	if err != nil {
		return Plan{}, err
	}
	var system strings.Builder
	if err := systems.ExecuteTemplate(&system, name, s); err != nil {
		return Plan{}, fmt.Errorf("write the prompt %s: %w", name, err)
	}
	plan.System = system.String()
	return plan, nil
}

// pinnedMost is how many pinned facts are looked at.
const pinnedMost = 500

// pinned lists the pinned facts, the newest first, as many as fit the budget.
func (r *Router) pinned(ctx context.Context, userID string) (string, error) {
	facts, err := r.Facts.Facts(ctx, userID, chat.FactQuery{Pinned: true, Limit: pinnedMost})
	if err != nil {
		return "", fmt.Errorf("read pinned facts: %w", err)
	}
	var b strings.Builder
	room, dropped := r.Pinned, 0
	for _, line := range condensed(facts) {
		if room -= len([]rune(line)) + len("- \n"); room < 0 {
			dropped++
			continue
		}
		b.WriteString("- " + line + "\n")
	}
	if dropped > 0 {
		fmt.Fprintf(&b, "(%d older pinned memories are left out here; get_memories_tool has them.)\n", dropped)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// condensed are facts as single lines, each once, without locked ones.
func condensed(facts []chat.Fact) []string {
	var lines []string
	seen := map[string]bool{}
	for _, f := range facts {
		line := strings.Join(strings.Fields(f.Content), " ")
		if key := plain(line); !f.Locked && key != "" && !seen[key] {
			seen[key] = true
			lines = append(lines, line)
		}
	}
	return lines
}
