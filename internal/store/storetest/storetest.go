// Package storetest is the conformance suite of the store interfaces of package
// chat. Every store runs it whole.
package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// Store is everything that one store implements.
type Store interface {
	chat.Accounts
	chat.Chats
	chat.Messages
	chat.Turns
	chat.Jobs
	chat.Signals
	chat.Conversations
	chat.Passages
	chat.Words
	chat.Vectors
	chat.ConversationEdits
	chat.Mentioned
	chat.Processing
	chat.Queue
	chat.Facts
	chat.Tasks
	chat.Calendar
	chat.People
	chat.Folders
	chat.Forgetting
	chat.Personas
	chat.Summaries
	chat.Notes
	chat.Marks
	chat.Clearing
	chat.Shares
	chat.Files
	chat.Pages
	chat.Generations
	Close() error
}

// Run runs the suite. open returns an empty store that lives as long as the test.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for name, test := range map[string]func(*testing.T, *fixture){
		"accounts":                        testAccounts,
		"tokens":                          testTokens,
		"begin":                           testBegin,
		"begin is all or nothing":         testBeginAtomic,
		"idempotency":                     testIdempotency,
		"replacing supersedes":            testReplace,
		"chats are paged":                 testChatPages,
		"messages are paged":              testMessagePages,
		"foreign chats":                   testForeignChat,
		"renamed chats keep their title":  testRename,
		"deleting a chat":                 testDeleteChat,
		"claim order":                     testClaimOrder,
		"one lane one job":                testLane,
		"lease and takeover":              testTakeover,
		"renew":                           testRenew,
		"append and read":                 testAppend,
		"fencing":                         testFencing,
		"effects are atomic with events":  testEffects,
		"a fenced append spares others":   testFencedNeighbour,
		"signals":                         testSignals,
		"conversations":                   testConversations,
		"the same content is stored once": testFingerprint,
		"lexical search":                  testLexical,
		"search is one person's":          testLexicalIsolation,
		"frequencies":                     testFrequencies,
		"phrases":                         testPhrases,
		"neighbourhood":                   testNeighbourhood,
		"vectors":                         testVectors,
		"deleting a conversation":         testDeleteConversation,
		"concurrent appends":              testConcurrentAppends,
		"appending segments":              testAppendSegments,
		"quiet conversations":             testQuiet,
		"saving a conversation":           testSaveConversation,
		"another name for a speaker":      testRelabel,
		"merging":                         testMerge,
		"facts":                           testFacts,
		"tasks":                           testTasks,
		"calendar":                        testCalendar,
		"people":                          testPeople,
		"folders":                         testFolders,
		"steps and their jobs":            testSteps,
		"files":                           testFiles,
		"generations of a file":           testGenerations,
		"deleting a file":                 testDeleteFile,
		"forgetting":                      testForgetting,
		"personas":                        testPersonas,
		"summaries":                       testSummaries,
		"clearing and restoring":          testClearing,
		"notes and marks":                 testNotesAndMarks,
		"shares":                          testShares,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fixture{Store: open(t), t: t, ctx: t.Context()}
			f.ana = f.user("ana")
			f.bob = f.user("bob")
			test(t, f)
		})
	}
}

// fixture is a store with two people.
type fixture struct {
	Store
	t        *testing.T
	ctx      context.Context
	ana, bob chat.User
}

func (f *fixture) user(name string) chat.User {
	f.t.Helper()
	u, err := f.EnsureUser(f.ctx, name)
	f.ok(err)
	return u
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// draft makes a turn in a new chat, or in the one given.
func draft(user chat.User, chatID, text string) chat.NewTurn {
	now := time.Now().UTC().Truncate(time.Millisecond)
	n := chat.NewTurn{}
	if chatID == "" {
		chatID = ident.New()
		n.Chat = &chat.Chat{ID: chatID, UserID: user.ID, Title: text, CreatedAt: now, LastActivity: now}
	}
	n.Turn = chat.Turn{ID: ident.New(), ChatID: chatID, UserID: user.ID, MessageID: ident.New(), AnswerID: ident.New(), State: chat.JobQueued, LastSeq: 1, CreatedAt: now}
	payload, _ := json.Marshal(map[string]string{"message_id": n.Turn.MessageID, "answer_id": n.Turn.AnswerID})
	n.Job = chat.Job{ID: n.Turn.ID, Kind: "turn", Lane: chatID, UserID: user.ID, Payload: payload, CreatedAt: now}
	n.Message = chat.Message{ID: n.Turn.MessageID, ChatID: chatID, TurnID: n.Turn.ID, Role: chat.RoleUser, Content: text, Ready: true, State: chat.MessageOK, CreatedAt: now}
	n.Answer = chat.Message{ID: n.Turn.AnswerID, ChatID: chatID, TurnID: n.Turn.ID, Role: chat.RoleAssistant, State: chat.MessageOK, CreatedAt: now}
	n.First = chat.Event{Seq: 1, TurnID: n.Turn.ID, At: now, Body: chat.TurnStarted{ChatID: chatID, MessageID: n.Turn.MessageID, AnswerID: n.Turn.AnswerID, Route: "agentic"}}
	return n
}

func (f *fixture) begin(user chat.User, chatID, text string) chat.Turn {
	f.t.Helper()
	turn, created, err := f.Begin(f.ctx, draft(user, chatID, text))
	f.ok(err)
	if !created {
		f.t.Fatal("a new turn was taken for an old one")
	}
	return turn
}

func (f *fixture) claim(worker string, limit int, now time.Time) []chat.Job {
	f.t.Helper()
	jobs, err := f.Claim(f.ctx, chat.Claim{Worker: worker, Kinds: []string{"turn"}, Limit: limit, Now: now, Until: now.Add(10 * time.Second)})
	f.ok(err)
	return jobs
}

// delta is an append of one text event.
func delta(job chat.Job, seq int64, text string) chat.Append {
	return chat.Append{JobID: job.ID, Fence: job.Fence, Events: []chat.Event{
		{Seq: seq, TurnID: job.ID, At: start, Agent: "Confidant", Body: chat.TextDelta{Delta: text}},
	}}
}

func (f *fixture) append(appends ...chat.Append) []error {
	f.t.Helper()
	outcomes, err := f.Append(f.ctx, appends)
	f.ok(err)
	return outcomes
}

// conversation stores one with a segment for each text.
func (f *fixture) conversation(user chat.User, title string, at time.Time, texts ...string) chat.Conversation {
	f.t.Helper()
	c := chat.Conversation{ID: ident.New(), UserID: user.ID, Title: title, Source: "test", StartedAt: at, CreatedAt: at, Speakers: []string{"Ana"}, Fingerprint: title}
	segments := make([]chat.Segment, len(texts))
	for i, text := range texts {
		segments[i] = chat.Segment{Speaker: "Ana", Text: text, Start: float64(10 * i), End: float64(10*i + 5)}
	}
	stored, created, err := f.PutConversation(f.ctx, c, segments, nil)
	f.ok(err)
	if !created {
		f.t.Fatal("a new conversation was taken for an old one")
	}
	return stored
}
