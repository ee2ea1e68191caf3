package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite"
)

// canary is a word that nothing else has; its stem is found in the index.
const canary = "quokkatango"

// everything stores the canary wherever something derived from a conversation
// can be: title, summary, segments, index, facts, tasks, mentions, logs, answers.
func everything(t *testing.T, s *sqlite.Store, user chat.User) (conversation, turn string) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	now := time.Now().UTC().Truncate(time.Millisecond)
	c := chat.Conversation{ID: ident.New(), UserID: user.ID, Title: canary, CreatedAt: now, StartedAt: now, Speakers: []string{canary}, Status: chat.StatusInProgress}
	job := chat.Job{ID: ident.New(), Kind: "process", Lane: c.ID, UserID: user.ID, CreatedAt: now}
	c, _, err := s.PutConversation(ctx, c, []chat.Segment{{Speaker: canary, Text: "the " + canary + " sings", ClientID: canary}, {Speaker: "Ben", Text: "does it"}}, &job)
	ok(err)
	c.Overview, c.Mentions = canary, chat.Mentions{People: []string{canary}, Topics: []string{canary}}
	ok(s.SaveStep(ctx, user.ID, c.ID, chat.Step{Name: chat.StepStructure, State: chat.StepFailed, Detail: canary, At: now}, chat.Outcome{
		Conversation: &c,
		Facts:        chat.Changes[chat.Fact]{Put: []chat.Fact{{ID: ident.New(), Content: canary, ConversationID: c.ID, CreatedAt: now}}},
		Tasks:        chat.Changes[chat.Task]{Put: []chat.Task{{ID: ident.New(), Description: canary, ConversationID: c.ID, CreatedAt: now}}},
	}))
	passages, err := s.Unembedded(ctx, "m", 100)
	ok(err)
	var vectors []chat.Vector
	for _, p := range passages {
		vectors = append(vectors, chat.Vector{ID: p.ID, UserID: user.ID, Data: []float32{1, 2}})
	}
	ok(s.PutVectors(ctx, "m", vectors))

	citation := chat.Citation{N: 1, ConversationID: c.ID, SegmentID: chat.SegmentID(c.ID, 0), Title: canary, Quote: canary}
	return c.ID, quotes(t, s, user, citation, "The "+canary+" sings.[1] It rains.[2]")
}

// quotes stores a turn that read a source, and whose answer quotes it.
func quotes(t *testing.T, s *sqlite.Store, user chat.User, citation chat.Citation, text string) (turn string) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	now := time.Now().UTC().Truncate(time.Millisecond)
	n := chat.NewTurn{Chat: &chat.Chat{ID: ident.New(), UserID: user.ID, Title: "chat", CreatedAt: now, LastActivity: now}}
	n.Turn = chat.Turn{ID: ident.New(), ChatID: n.Chat.ID, UserID: user.ID, MessageID: ident.New(), AnswerID: ident.New(), CreatedAt: now}
	payload, err := json.Marshal(map[string]string{"message_id": n.Turn.MessageID, "answer_id": n.Turn.AnswerID})
	ok(err)
	n.Job = chat.Job{ID: n.Turn.ID, Kind: "turn", Lane: n.Chat.ID, UserID: user.ID, Payload: payload, CreatedAt: now}
	n.Message = chat.Message{ID: n.Turn.MessageID, ChatID: n.Chat.ID, TurnID: n.Turn.ID, Role: chat.RoleUser, Content: "Who sings?", Ready: true, State: chat.MessageOK, CreatedAt: now}
	n.Answer = chat.Message{ID: n.Turn.AnswerID, ChatID: n.Chat.ID, TurnID: n.Turn.ID, Role: chat.RoleAssistant, State: chat.MessageOK, CreatedAt: now}
	n.First = chat.Event{Seq: 1, TurnID: n.Turn.ID, At: now, Body: chat.TurnStarted{ChatID: n.Chat.ID}}
	n.Claim = &chat.Claim{Worker: "w", Kinds: []string{"turn"}, Limit: 1, Now: now, Until: now.Add(time.Minute)}
	_, _, err = s.Begin(ctx, n)
	ok(err)
	answer := n.Answer
	answer.Ready, answer.Citations = true, []chat.Citation{citation, {N: 2, ConversationID: "other", Quote: "rain"}}
	answer.Content = text
	var events []chat.Event
	for i, body := range []chat.Body{
		chat.ToolFinished{CallID: "1", Name: "search", Result: json.RawMessage(`{"id":"` + citation.Source() + `","text":"` + canary + `"}`), Sources: []chat.Citation{citation}},
		chat.ReasoningDelta{Delta: canary}, chat.TextDelta{Delta: canary}, chat.StepFinished{Step: 1, State: json.RawMessage(`"` + canary + `"`)},
		chat.TextFinished{Text: answer.Content, Citations: answer.Citations}, chat.TurnClosed{},
	} {
		events = append(events, chat.Event{Seq: int64(i + 2), TurnID: n.Turn.ID, At: now, Body: body})
	}
	outcomes, err := s.Append(ctx, []chat.Append{{JobID: n.Turn.ID, Fence: 1, Events: events, Effects: []chat.Effect{chat.StoreAnswer{Message: answer}, chat.EndJob{State: chat.JobFinished}}}})
	ok(err)
	ok(outcomes[0])
	ok(s.SavePersonas(ctx, user.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{{ID: ident.New(), Name: "Sage", CreatedAt: now}}}))
	ok(s.SaveSummary(ctx, user.ID, chat.Summary{ChatID: n.Chat.ID, Text: canary, Covers: n.Turn.AnswerID}))
	ok(s.AddShare(ctx, chat.Share{Hash: sha256.Sum256([]byte(n.Turn.ID)), UserID: user.ID, MessageIDs: []string{n.Turn.AnswerID}, Expires: now.Add(time.Hour)}))
	return n.Turn.ID
}

// left lists the columns, and files, that hold the canary.
func left(t *testing.T, dir string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "confidant.db")+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var places []string
	columns := columnsWhere(t, db, "m.sql NOT LIKE 'CREATE VIRTUAL%'")
	if len(columns) < 60 {
		t.Fatalf("only %d columns were looked at", len(columns))
	}
	for _, c := range columns {
		var n int
		if err := db.QueryRow(fmt.Sprintf(`SELECT count(*) FROM %q WHERE instr(CAST(%q AS BLOB), CAST(? AS BLOB)) > 0`, c[0], c[1]), canary[:7]).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			places = append(places, c[0]+"."+c[1])
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "confidant.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(canary[:7])) {
			places = append(places, filepath.Base(name))
		}
	}
	return places
}

// columnsWhere lists table and column for which a condition holds.
func columnsWhere(t *testing.T, db *sql.DB, condition string) [][2]string {
	t.Helper()
	rows, err := db.Query("SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND " + condition)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list [][2]string
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// removeTrace does what a deletion has left to be done in the background.
func removeTrace(t *testing.T, s *sqlite.Store) {
	t.Helper()
	traces, err := s.Traces(t.Context())
	if err != nil || len(traces) != 1 {
		t.Fatal(traces, err)
	}
	for range 2 { // a crash in between does it again
		if err := s.RemoveTrace(t.Context(), traces[0]); err != nil {
			t.Fatal(err)
		}
	}
	if traces, err := s.Traces(t.Context()); err != nil || len(traces) != 0 {
		t.Errorf("traces left: %v, %v", traces, err)
	}
}

// checkForgotten checks that the canary is nowhere, and that the answer of the turn
// that quoted it says so.
func checkForgotten(t *testing.T, s *sqlite.Store, dir string, user chat.User, turnID string) {
	t.Helper()
	if places := left(t, dir); len(places) > 0 {
		t.Errorf("the canary is left in %v", places)
	}
	turn, err := s.Turn(t.Context(), turnID)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Message(t.Context(), user.ID, turn.AnswerID)
	if err != nil {
		t.Fatal(err)
	}
	if want := "[The source of this was deleted.] It rains.[2]"; answer.Content != want || len(answer.Citations) != 1 {
		t.Errorf("answer %q with %d citations, want %q", answer.Content, len(answer.Citations), want)
	}
}

func TestNothingIsLeftOfADeletedConversation(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ana, err := s.EnsureUser(t.Context(), "ana")
	if err != nil {
		t.Fatal(err)
	}
	id, turnID := everything(t, s, ana)
	if before := left(t, dir); len(before) < 12 {
		t.Fatalf("the canary is only in %v: the test looks for too little", before)
	}
	if err := s.DeleteConversation(t.Context(), ana.ID, id); err != nil {
		t.Fatal(err)
	}
	removeTrace(t, s)
	checkForgotten(t, s, dir, ana, turnID)
	events, err := s.Events(t.Context(), turnID, 0)
	if err != nil || len(events) != 7 {
		t.Errorf("the log has %d events (%v), want as many as before", len(events), err)
	}
}

func TestNothingIsLeftOfAPerson(t *testing.T) {
	for _, account := range []bool{false, true} {
		t.Run(fmt.Sprint(account), func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			ana, err := s.EnsureUser(t.Context(), "ana")
			if err != nil {
				t.Fatal(err)
			}
			ben, err := s.EnsureUser(t.Context(), "ben")
			if err != nil {
				t.Fatal(err)
			}
			everything(t, s, ana)
			if _, _, err := s.PutConversation(t.Context(), chat.Conversation{ID: "b", UserID: ben.ID}, []chat.Segment{{Text: "zebra"}}, nil); err != nil {
				t.Fatal(err)
			}
			// The process dies after the first step: the rest is done by whoever comes.
			interrupted, stop := context.WithCancel(t.Context())
			stop()
			_ = s.Erase(interrupted, ana.ID, account)
			if err := s.Erase(t.Context(), ana.ID, account); err != nil {
				t.Fatal(err)
			}
			if places := left(t, dir); len(places) > 0 {
				t.Errorf("the canary is left in %v", places)
			}
			if rows := rowsOf(t, dir); account && len(rows) > 0 || !account && strings.Join(rows, " ") != "users" {
				t.Errorf("rows of the person are left in %v", rows)
			}
			hits, err := s.Lexical(t.Context(), chat.LexicalQuery{UserID: ben.ID, Terms: []string{"zebra"}, Limit: 5})
			if err != nil || len(hits) != 1 {
				t.Errorf("what others have is found %d times (%v)", len(hits), err)
			}
			if !account {
				if hits, err := s.Lexical(t.Context(), chat.LexicalQuery{UserID: ana.ID, Terms: []string{"sings"}, Limit: 5}); err != nil || len(hits) != 0 {
					t.Errorf("found %d (%v)", len(hits), err)
				}
				everything(t, s, ana) // and life goes on
			}
		})
	}
}

// rowsOf lists the tables with rows of the first user.
func rowsOf(t *testing.T, dir string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "confidant.db")+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables := columnsWhere(t, db, "(c.name = 'user' OR m.name = 'users' AND c.name = 'no')")
	var list []string
	for _, c := range tables {
		var n int
		if err := db.QueryRow(fmt.Sprintf("SELECT count(*) FROM %q WHERE %q = 1", c[0], c[1])).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			list = append(list, c[0])
		}
	}
	for _, name := range []string{"log", "segments", "vectors", "messages"} { // those of ben are none, but for a segment
		var n int
		if err := db.QueryRow("SELECT count(*) FROM " + name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 1 || n == 1 && name != "segments" {
			list = append(list, name)
		}
	}
	return list
}
