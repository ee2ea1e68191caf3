package builtin

import (
	"strings"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Where there are documents they are searched beside the recordings.
func TestDocumentsAreSearchedToo(t *testing.T) {
	withDocuments := append([]llm.ToolSpec{{Name: documentsTool}}, tools...)
	for question, want := range map[string]string{
		"When are harbours dredged?":      `search_conversations_tool {"query":"When are harbours dredged?"} search_knowledge_base {"query":"When are harbours dredged?","type":[]}`,
		"What is 42 + 58?":                `addNumbers {"a":42,"b":58}`,
		"What do you know about me?":      `get_memories_tool {}`,
		"hello!":                          ``,
		strings.Repeat("long ", 1000):     `search_conversations_tool {"query":"` + strings.Repeat("long ", 400) + `"} search_knowledge_base {"query":"` + strings.Repeat("long ", 400) + `","type":[]}`,
		"What did Ana say about \"tea\"?": `search_conversations_tool {"query":"What did Ana say about \"tea\"?"} search_knowledge_base {"query":"What did Ana say about \"tea\"?","type":[]}`,
	} {
		_, calls := ask(t, user(question), withDocuments)
		var got []string
		ids := map[string]bool{}
		for _, c := range calls {
			got = append(got, c.Name+" "+c.Arguments)
			ids[c.ID] = true
		}
		if strings.Join(got, " ") != want || len(ids) != len(calls) {
			t.Errorf("%.40q\n got %s\nwant %s", question, strings.Join(got, " "), want)
		}
	}
	if _, calls := ask(t, user("When are harbours dredged?"), []llm.ToolSpec{{Name: documentsTool}}); len(calls) != 1 || calls[0].Name != documentsTool {
		t.Errorf("with documents alone: %v", calls)
	}
}

func TestAnswersFromDocuments(t *testing.T) {
	const (
		said    = `{"results":[{"cite":3,"title":"Walk","speaker":"Ana","at":"2026-03-01T10:00:00+01:00","text":"The harbour was loud."}],"note":""}`
		silence = `{"results":[],"note":"Nothing was found."}`
		written = `[{"urlString":"[5](FILE)","content":"# Harbours\n\nHarbours are | dredged |\n|---|---|\nin spring.","similarity":0.9},` +
			`{"urlString":"[6](FILE)","content":"Two.","similarity":0.8},{"urlString":"[7](FILE)","content":"Three.","similarity":0.7},{"urlString":"[8](FILE)","content":"Four.","similarity":0.6}]`
		blank = `[]`
	)
	conversation := func(results ...llm.ToolResult) []llm.Message {
		var calls []chat.Call
		for _, r := range results {
			calls = append(calls, chat.Call{ID: r.CallID, Name: r.Name})
		}
		return append(user("When are harbours dredged?"), llm.Message{Role: llm.Assistant, Calls: calls}, llm.Message{Role: llm.Tool, Results: results})
	}
	both := func(recordings, documents string) []llm.Message {
		return conversation(llm.ToolResult{CallID: "call_1", Name: searchTool, Content: recordings}, llm.ToolResult{CallID: "call_2", Name: documentsTool, Content: documents})
	}
	for name, c := range map[string]struct {
		messages []llm.Message
		has      []string
		lacks    []string
	}{
		"from documents": {both(silence, written), []string{"your documents say", "> Harbours Harbours are · dredged in spring.[5](FILE)\n", "> Two.[6](FILE)", "> Three.[7](FILE)", "No language model"},
			[]string{"found nothing", "Four", "This is what I found"}},
		"from recordings": {both(said, blank), []string{"This is what I found", "The harbour was loud.[3]"}, []string{"documents", "found nothing"}},
		"from both":       {both(said, written), []string{"The harbour was loud.[3]", "your documents say", "in spring.[5](FILE)"}, []string{"found nothing"}},
		"from neither":    {both(silence, blank), []string{"found nothing about that in what you recorded"}, []string{"documents"}},
		"documents alone": {conversation(llm.ToolResult{CallID: "call_1", Name: documentsTool, Content: written}), []string{"in spring.[5](FILE)"}, []string{"found nothing"}},
		"alone and empty": {conversation(llm.ToolResult{CallID: "call_1", Name: documentsTool, Content: blank}), []string{"found nothing about that in your documents"}, nil},
		"a search failed": {conversation(llm.ToolResult{CallID: "call_1", Name: searchTool, Content: "It took too long.", IsError: true}, llm.ToolResult{CallID: "call_2", Name: documentsTool, Content: written}),
			[]string{"That did not work: It took too long.", "in spring.[5](FILE)"}, nil},
		"the other failed": {conversation(llm.ToolResult{CallID: "call_1", Name: searchTool, Content: said}, llm.ToolResult{CallID: "call_2", Name: documentsTool, Content: "It took too long.", IsError: true}),
			[]string{"The harbour was loud.[3]", "That did not work: It took too long."}, []string{"found nothing"}},
		"no JSON": {both(silence, "oops"), []string{"found nothing"}, []string{"oops"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, calls := ask(t, c.messages, nil)
			if len(calls) > 0 {
				t.Errorf("it called again: %v", calls)
			}
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("the answer lacks %q:\n%s", want, text)
				}
			}
			for _, bad := range c.lacks {
				if strings.Contains(text, bad) {
					t.Errorf("the answer has %q:\n%s", bad, text)
				}
			}
		})
	}
}
