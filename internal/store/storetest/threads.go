package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// questions are the messages that a chat shows, oldest first.
func (f *fixture) questions(chatID string) string {
	f.t.Helper()
	messages, _, err := f.Messages(f.ctx, f.ana.ID, chatID, chat.Page{Limit: 100})
	f.ok(err)
	var list []string
	for _, m := range slices.Backward(messages) {
		if m.Role == chat.RoleUser {
			list = append(list, m.Content)
		}
	}
	return strings.Join(list, "|")
}

func (f *fixture) listed() int {
	f.t.Helper()
	chats, _, err := f.Chats(f.ctx, f.ana.ID, chat.Page{Limit: 100})
	f.ok(err)
	return len(chats)
}

// finish ends the oldest turn of ana's.
func (f *fixture) finish() {
	f.t.Helper()
	job := f.claim("w", 1, time.Now())[0]
	ended := delta(job, 2, "x")
	ended.Effects = []chat.Effect{chat.EndJob{State: chat.JobFinished}}
	f.append(ended)
}

func testClearing(t *testing.T, f *fixture) {
	n := draft(f.ana, "", "one")
	n.IdempotencyKey = "k"
	_, _, err := f.Begin(f.ctx, n)
	f.ok(err)
	old := n.Turn
	f.finish()
	replacing := draft(f.ana, old.ChatID, "one, better")
	replacing.Replaces = old.MessageID
	_, _, err = f.Begin(f.ctx, replacing)
	f.ok(err)
	f.finish()
	running := f.begin(f.ana, old.ChatID, "two")
	f.ok(f.SaveSummary(f.ctx, f.ana.ID, chat.Summary{ChatID: old.ChatID, Text: "s", Covers: replacing.Turn.MessageID}))
	other := f.begin(f.ana, "", "another chat")

	cleared := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if _, err := f.ClearChat(f.ctx, f.bob.ID, old.ChatID, cleared); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("clearing a foreign chat: %v", err)
	}
	hidden, err := f.ClearChat(f.ctx, f.ana.ID, old.ChatID, cleared)
	f.ok(err)
	if hidden.Messages != 4 || len(hidden.Turns) != 1 || hidden.Turns[0] != running.ID {
		t.Errorf("cleared %+v, want 4 messages and turn %s", hidden, running.ID)
	}
	if got := f.questions(old.ChatID); got != "" || f.listed() != 1 {
		t.Errorf("after clearing: %q, %d chats listed", got, f.listed())
	}
	c, err := f.Chat(f.ctx, f.ana.ID, old.ChatID)
	f.ok(err)
	if c.Title != "" {
		t.Errorf("the title tells what was said: %q", c.Title)
	}
	for name, err := range map[string]error{
		"message": second(f.Message(f.ctx, f.ana.ID, old.MessageID)), "turn": second(f.Turn(f.ctx, old.ID)),
		"summary": second(f.Summary(f.ctx, f.ana.ID, old.ChatID)),
	} {
		if !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("%s of a cleared chat: %v, want ErrNotFound", name, err)
		}
	}
	f.ok(second(f.Turn(f.ctx, running.ID))) // to be stopped
	again := draft(f.ana, old.ChatID, "three")
	again.IdempotencyKey, again.Title = "k", "three"
	if _, created, err := f.Begin(f.ctx, again); err != nil || !created {
		t.Errorf("a key of a cleared turn: new %t, %v", created, err)
	}
	if got := f.questions(old.ChatID); got != "three" || f.listed() != 2 {
		t.Errorf("used again: %q, %d chats listed", got, f.listed())
	}
	if c, err = f.Chat(f.ctx, f.ana.ID, old.ChatID); err != nil || c.Title != "three" {
		t.Errorf("the title is %q, %v", c.Title, err)
	}

	if n, err := f.RestoreChat(f.ctx, f.ana.ID, old.ChatID, cleared.Add(time.Millisecond)); err != nil || n != 0 {
		t.Errorf("restored %d of what was cleared too long ago, %v", n, err)
	}
	if n, err := f.PurgeCleared(f.ctx, cleared); err != nil || n != 0 {
		t.Errorf("purged %d too early, %v", n, err)
	}
	if _, err := f.RestoreChat(f.ctx, f.bob.ID, old.ChatID, cleared); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("restoring a foreign chat: %v", err)
	}
	if n, err := f.RestoreChat(f.ctx, f.ana.ID, old.ChatID, cleared); err != nil || n != 6 {
		t.Errorf("restored %d messages, %v; want 6", n, err)
	}
	if got := f.questions(old.ChatID); got != "one, better|two|three" {
		t.Errorf("restored: %q", got)
	}
	f.ok(second(f.Turn(f.ctx, old.ID)))
	if n, err := f.RestoreChat(f.ctx, f.ana.ID, old.ChatID, cleared); err != nil || n != 0 {
		t.Errorf("restored %d twice, %v", n, err)
	}

	// What is deleted in the end is gone with its logs; what is not, is not.
	_, err = f.ClearChat(f.ctx, f.ana.ID, old.ChatID, cleared)
	f.ok(err)
	if n, err := f.PurgeCleared(f.ctx, cleared.Add(time.Millisecond)); err != nil || n != 8 {
		t.Errorf("purged %d messages, %v; want 8", n, err)
	}
	if n, err := f.RestoreChat(f.ctx, f.ana.ID, old.ChatID, time.Time{}); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("restored %d after the end, %v", n, err)
	}
	for _, id := range []string{old.ID, replacing.Turn.ID, running.ID, again.Turn.ID} {
		if events, err := f.Events(f.ctx, id, 0); err != nil || len(events) != 0 {
			t.Errorf("the log of a purged turn: %d events, %v", len(events), err)
		}
		if _, err := f.Job(f.ctx, id); !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("the job of a purged turn: %v", err)
		}
	}
	if got := f.questions(other.ChatID); got != "another chat" {
		t.Errorf("the other chat: %q", got)
	}
}

func testNotesAndMarks(t *testing.T, f *fixture) {
	c := chat.Chat{ID: ident.New(), UserID: f.ana.ID, Key: "omi:x", AppID: "x", CreatedAt: start, LastActivity: start}
	f.ok(f.CreateChat(f.ctx, c))
	if got, err := f.ChatByKey(f.ctx, f.ana.ID, "omi:x"); err != nil || got != c {
		t.Errorf("chat\n got %+v, %v\nwant %+v", got, err, c)
	}
	again := c
	again.ID = ident.New()
	if err := f.CreateChat(f.ctx, again); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("a key twice: %v", err)
	}
	m := chat.Message{ID: ident.New(), ChatID: c.ID, Role: chat.RoleAssistant, Content: "Hello", Ready: true, State: chat.MessageOK, Metadata: "{}", CreatedAt: start.Add(time.Hour)}
	f.ok(f.PutMessage(f.ctx, f.ana.ID, m))
	own := m
	own.ID, own.Role = ident.New(), chat.RoleUser
	f.ok(f.PutMessage(f.ctx, f.ana.ID, own))
	if err := f.PutMessage(f.ctx, f.bob.ID, chat.Message{ID: ident.New(), ChatID: c.ID}); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("a message to a foreign chat: %v", err)
	}
	if starred, err := f.StarChat(f.ctx, f.ana.ID, c.ID, true); err != nil || !starred.Starred || !starred.LastActivity.Equal(start.Add(time.Hour)) {
		t.Errorf("starred %+v, %v", starred, err)
	}
	if _, err := f.StarChat(f.ctx, f.bob.ID, c.ID, true); !errors.Is(err, chat.ErrForbidden) {
		t.Errorf("starring a foreign chat: %v", err)
	}

	f.ok(f.RateMessage(f.ctx, f.ana.ID, m.ID, -1))
	f.ok(f.ReportMessage(f.ctx, f.ana.ID, m.ID, "rude"))
	m.Rating, m.Reported, m.ReportReason = -1, true, "rude"
	got, err := f.Message(f.ctx, f.ana.ID, m.ID)
	f.ok(err)
	if got.Rating != -1 || !got.Reported || got.ReportReason != "rude" || got.Metadata != "{}" || got.Content != "Hello" || !got.Ready || !got.CreatedAt.Equal(m.CreatedAt) {
		t.Errorf("message %+v", got)
	}
	for name, test := range map[string]struct{ err, want error }{
		"reported twice":  {f.ReportMessage(f.ctx, f.ana.ID, m.ID, "again"), chat.ErrConflict},
		"own, reported":   {f.ReportMessage(f.ctx, f.ana.ID, own.ID, ""), chat.Fail(chat.CodeInvalid, "")},
		"own, rated":      {f.RateMessage(f.ctx, f.ana.ID, own.ID, 1), chat.Fail(chat.CodeInvalid, "")},
		"foreign, rated":  {f.RateMessage(f.ctx, f.bob.ID, m.ID, 1), chat.ErrNotFound},
		"unknown, rated":  {f.RateMessage(f.ctx, f.ana.ID, "nothing", 1), chat.ErrNotFound},
		"foreign, report": {f.ReportMessage(f.ctx, f.bob.ID, m.ID, ""), chat.ErrNotFound},
	} {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: %v, want %v", name, test.err, test.want)
		}
	}
}

func testShares(t *testing.T, f *fixture) {
	s := chat.Share{Hash: [32]byte{1, 2}, UserID: f.ana.ID, MessageIDs: []string{"b", "a"}, Expires: start.Add(time.Hour)}
	f.ok(f.AddShare(f.ctx, s))
	got, name, err := f.Share(f.ctx, s.Hash, start)
	f.ok(err)
	if name != "ana" || got.UserID != f.ana.ID || strings.Join(got.MessageIDs, "") != "ba" || !got.Expires.Equal(s.Expires) {
		t.Errorf("share of %s: %+v", name, got)
	}
	f.ok(f.PurgeShares(f.ctx, start))
	for name, test := range map[string]struct {
		hash [32]byte
		at   time.Time
	}{"expired": {s.Hash, s.Expires}, "unknown": {[32]byte{9}, start}} {
		if _, _, err := f.Share(f.ctx, test.hash, test.at); !errors.Is(err, chat.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
	f.ok(f.PurgeShares(f.ctx, s.Expires))
	if _, _, err := f.Share(f.ctx, s.Hash, start); !errors.Is(err, chat.ErrNotFound) {
		t.Errorf("a purged share: %v", err)
	}
}
