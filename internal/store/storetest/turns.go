package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"confidant/internal/chat"
)

func testAccounts(t *testing.T, f *fixture) {
	again := f.user("ana")
	if again.ID != f.ana.ID || f.ana.ID == f.bob.ID {
		t.Errorf("EnsureUser: got %s again, ana %s, bob %s", again.ID, f.ana.ID, f.bob.ID)
	}
	owner, err := f.Owner(f.ctx)
	f.ok(err)
	if owner.ID != f.ana.ID {
		t.Errorf("the owner is %s, want the first person", owner.Name)
	}
}

func testTokens(t *testing.T, f *fixture) {
	good, old := sha256.Sum256([]byte("good")), sha256.Sum256([]byte("old"))
	f.ok(f.AddToken(f.ctx, f.ana.ID, good, time.Time{}))
	f.ok(f.AddToken(f.ctx, f.ana.ID, old, start))
	if u, err := f.TokenUser(f.ctx, good, start); err != nil || u.ID != f.ana.ID {
		t.Errorf("good token: %v, %v", u, err)
	}
	if u, err := f.TokenUser(f.ctx, old, start.Add(-time.Second)); err != nil || u.ID != f.ana.ID {
		t.Errorf("token before it expires: %v, %v", u, err)
	}
	if _, err := f.TokenUser(f.ctx, old, start.Add(time.Second)); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("expired token: %v, want ErrNotFound", err)
	}
	f.ok(f.RemoveToken(f.ctx, good))
	if _, err := f.TokenUser(f.ctx, good, start); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("removed token: %v, want ErrNotFound", err)
	}
}

func testBegin(t *testing.T, f *fixture) {
	n := draft(f.ana, "", "Hello")
	turn, _, err := f.Begin(f.ctx, n)
	f.ok(err)
	got, err := f.Turn(f.ctx, turn.ID)
	f.ok(err)
	if got != n.Turn {
		t.Errorf("turn read back\n got %+v\nwant %+v", got, n.Turn)
	}
	c, err := f.Chat(f.ctx, f.ana.ID, turn.ChatID)
	f.ok(err)
	if c.Title != "Hello" || c.RunningTurnID != turn.ID {
		t.Errorf("chat: %+v", c)
	}
	messages, _, err := f.Messages(f.ctx, f.ana.ID, turn.ChatID, chat.Page{Limit: 10})
	f.ok(err)
	if len(messages) != 2 || messages[0].Ready || messages[1].Content != "Hello" {
		t.Errorf("messages: %+v, want the placeholder, then the question", messages)
	}
	events, err := f.Events(f.ctx, turn.ID, 0)
	f.ok(err)
	if len(events) != 1 || events[0].Body != n.First.Body || !events[0].At.Equal(n.First.At) {
		t.Errorf("log: %+v", events)
	}
	if _, err := f.Turn(f.ctx, "no such turn"); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("unknown turn: %v, want ErrNotFound", err)
	}
}

func testBeginAtomic(t *testing.T, f *fixture) {
	old := f.begin(f.ana, "", "first")
	n := draft(f.ana, "", "second")
	n.Answer.ID = old.AnswerID // taken: the last insert but two fails
	if _, _, err := f.Begin(f.ctx, n); err == nil {
		t.Fatal("a message id was used twice")
	}
	if _, err := f.Chat(f.ctx, f.ana.ID, n.Turn.ChatID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("the chat of a turn that failed to start is there: %v", err)
	}
	if _, err := f.Turn(f.ctx, n.Turn.ID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a turn that failed to start is there: %v", err)
	}
}

func testIdempotency(t *testing.T, f *fixture) {
	n := draft(f.ana, "", "Hello")
	n.IdempotencyKey = "k1"
	first, created, err := f.Begin(f.ctx, n)
	f.ok(err)
	if !created {
		t.Error("the first is not new")
	}
	again := draft(f.ana, "", "Hello")
	again.IdempotencyKey = "k1"
	second, created, err := f.Begin(f.ctx, again)
	f.ok(err)
	if created || second.ID != first.ID || second.AnswerID != first.AnswerID {
		t.Errorf("the same key gave %+v (new: %t), want turn %s", second, created, first.ID)
	}
	if _, err := f.Chat(f.ctx, f.ana.ID, again.Turn.ChatID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a repeated request stored something: %v", err)
	}
	foreign := draft(f.bob, "", "Hello")
	foreign.IdempotencyKey = "k1"
	if third, created, err := f.Begin(f.ctx, foreign); err != nil || !created || third.ID == first.ID {
		t.Errorf("another person's key: %+v, new %t, %v", third, created, err)
	}
}

func testReplace(t *testing.T, f *fixture) {
	first := f.begin(f.ana, "", "one")
	second := f.begin(f.ana, first.ChatID, "two")
	n := draft(f.ana, first.ChatID, "two, better")
	n.Replaces = second.MessageID
	_, _, err := f.Begin(f.ctx, n)
	f.ok(err)
	messages, _, err := f.Messages(f.ctx, f.ana.ID, first.ChatID, chat.Page{Limit: 10})
	f.ok(err)
	var texts []string
	for _, m := range messages {
		if m.Role == chat.RoleUser {
			texts = append(texts, m.Content)
		}
	}
	if fmt.Sprint(texts) != "[two, better one]" {
		t.Errorf("after replacing: %q", texts)
	}
	if m, err := f.Message(f.ctx, f.ana.ID, second.MessageID); err != nil || m.Content != "two" {
		t.Errorf("what was replaced is lost: %+v, %v", m, err)
	}
}

func testChatPages(t *testing.T, f *fixture) {
	want := make([]string, 5)
	for i := range want {
		n := draft(f.ana, "", fmt.Sprint(i))
		n.Job.CreatedAt = start.Add(time.Duration(i) * time.Second)
		_, _, err := f.Begin(f.ctx, n)
		f.ok(err)
		want[len(want)-1-i] = n.Turn.ChatID
	}
	hidden := draft(f.ana, "", "hidden")
	hidden.Chat.Unlisted = true
	_, _, err := f.Begin(f.ctx, hidden)
	f.ok(err)
	f.begin(f.bob, "", "not ana's")
	var got []string
	page := chat.Page{Limit: 2}
	for {
		chats, next, err := f.Chats(f.ctx, f.ana.ID, page)
		f.ok(err)
		for _, c := range chats {
			got = append(got, c.ID)
		}
		if next == "" {
			break
		}
		page.Cursor = next
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("chats by last activity\n got %v\nwant %v", got, want)
	}
}

func testMessagePages(t *testing.T, f *fixture) {
	first := f.begin(f.ana, "", "0")
	for i := 1; i < 5; i++ {
		f.begin(f.ana, first.ChatID, fmt.Sprint(i))
	}
	seen := map[string]bool{}
	page := chat.Page{Limit: 3}
	last := "~"
	for {
		messages, next, err := f.Messages(f.ctx, f.ana.ID, first.ChatID, page)
		f.ok(err)
		for _, m := range messages {
			if m.ID >= last || seen[m.ID] {
				t.Errorf("message %s after %s", m.ID, last)
			}
			last, seen[m.ID] = m.ID, true
		}
		if next == "" {
			break
		}
		page.Cursor = next
	}
	if len(seen) != 10 {
		t.Errorf("%d messages over all pages, want 10", len(seen))
	}
}

func testForeignChat(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "private")
	if _, err := f.Chat(f.ctx, f.bob.ID, turn.ChatID); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("foreign chat: %v, want ErrForbidden", err)
	}
	if _, _, err := f.Messages(f.ctx, f.bob.ID, turn.ChatID, chat.Page{Limit: 1}); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("messages of a foreign chat: %v, want ErrForbidden", err)
	}
	if _, err := f.Message(f.ctx, f.bob.ID, turn.MessageID); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("foreign message: %v, want ErrNotFound", err)
	}
	if err := f.DeleteChat(f.ctx, f.bob.ID, turn.ChatID); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("deleting a foreign chat: %v, want ErrForbidden", err)
	}
	if _, err := f.RenameChat(f.ctx, f.bob.ID, turn.ChatID, "mine"); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("renaming a foreign chat: %v, want ErrForbidden", err)
	}
}

func testRename(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "first title")
	job := f.claim("w", 1, time.Now())[0]
	title := delta(job, 2, "x")
	title.Effects = []chat.Effect{chat.SetTitle{ChatID: turn.ChatID, Title: "by the model"}}
	f.append(title)
	if c, err := f.Chat(f.ctx, f.ana.ID, turn.ChatID); err != nil || c.Title != "by the model" {
		t.Errorf("title set by an effect: %q, %v", c.Title, err)
	}
	_, err := f.RenameChat(f.ctx, f.ana.ID, turn.ChatID, "by ana")
	f.ok(err)
	title = delta(job, 3, "x")
	title.Effects = []chat.Effect{chat.SetTitle{ChatID: turn.ChatID, Title: "by the model again"}}
	f.append(title)
	if c, err := f.Chat(f.ctx, f.ana.ID, turn.ChatID); err != nil || c.Title != "by ana" {
		t.Errorf("a person's title was overwritten: %q, %v", c.Title, err)
	}
}

func testDeleteChat(t *testing.T, f *fixture) {
	turn := f.begin(f.ana, "", "gone soon")
	job := f.claim("w", 1, time.Now())[0]
	f.ok(f.DeleteChat(f.ctx, f.ana.ID, turn.ChatID))
	for name, err := range map[string]error{
		"chat":    second(f.Chat(f.ctx, f.ana.ID, turn.ChatID)),
		"message": second(f.Message(f.ctx, f.ana.ID, turn.MessageID)),
		"turn":    second(f.Turn(f.ctx, turn.ID)),
	} {
		if !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("%s of a deleted chat: %v, want ErrNotFound", name, err)
		}
	}
	if events, err := f.Events(f.ctx, turn.ID, 0); err != nil || len(events) != 0 {
		t.Errorf("log of a deleted chat: %d events, %v", len(events), err)
	}
	if outcome := f.append(delta(job, 2, "late"))[0]; !errors.Is(outcome, chat.ErrFenced) {
		t.Errorf("append to a deleted chat: %v, want ErrFenced", outcome)
	}
}

func second[T any](_ T, err error) error { return err }
