package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"confidant/internal/archive"
	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/library"
	"confidant/internal/memory/process"
	"confidant/internal/store/blobs"
	"confidant/internal/store/sqlite"
	"confidant/internal/store/sqlite/sqlitetest"
)

func open(t *testing.T) (*sqlite.Store, chat.User) {
	t.Helper()
	s := sqlitetest.Open(t)
	ana := sqlitetest.User(t, s, "ana")
	return s, ana
}

// full stores something of every kind, with every field that is not the usual.
func full(t *testing.T, s *sqlite.Store, user chat.User) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	now := time.Date(2026, 3, 1, 9, 0, 0, 123456789, time.UTC)
	ben := chat.Person{ID: ident.New(), Name: "Ben", Email: "ben@example.org", Aliases: []string{"Benny"}, CreatedAt: now}
	work := chat.Folder{ID: ident.New(), Name: "Work", CreatedAt: now}
	ok(s.SavePeople(ctx, user.ID, chat.Changes[chat.Person]{Put: []chat.Person{ben}}))
	ok(s.SaveFolders(ctx, user.ID, chat.Changes[chat.Folder]{Put: []chat.Folder{work}}))
	for i, title := range []string{"First / talk: \"<quoted>\"", "Second 🦒"} {
		c := chat.Conversation{ID: ident.New(), UserID: user.ID, Title: title, Source: "note", StartedAt: now.AddDate(0, 0, i), CreatedAt: now, Speakers: []string{"Ana", "Ben"}, Fingerprint: "f" + title}
		c, _, err := s.PutConversation(ctx, c, []chat.Segment{
			{Speaker: "Ana", IsUser: true, Text: "Hello\nthere & <b>", Start: -1, End: -1, ClientID: "d1"},
			{Speaker: "Ben", PersonID: ben.ID, Text: "你好", Start: 1.25, End: 2},
		}, nil)
		ok(err)
		c.Overview, c.Emoji, c.Category, c.FolderID, c.Starred, c.Locked = "They greet.", "👋", "social", work.ID, true, i == 1
		c.Mentions = chat.Mentions{People: []string{"ben"}, Dates: []string{"2026-03-01"}}
		c.Events = []chat.ProposedEvent{{Title: "Lunch", Start: now, Minutes: 30}}
		ok(s.SaveStep(ctx, user.ID, c.ID, chat.Step{Name: chat.StepStructure, State: chat.StepDone, Prompt: "structure.v1", At: now}, chat.Outcome{
			Conversation: &c,
			Facts: chat.Changes[chat.Fact]{Put: []chat.Fact{
				{ID: ident.New(), Content: "Greets politely", Category: chat.FactSystem, ConversationID: c.ID, SegmentIDs: []string{chat.SegmentID(c.ID, 0)}, CreatedAt: now, ValidFrom: now, ValidTo: now, SupersededBy: "x"},
			}},
			Tasks: chat.Changes[chat.Task]{Put: []chat.Task{{ID: ident.New(), Description: "Greet back", ConversationID: c.ID, DueAt: now, CreatedAt: now}}},
		}))
	}
	ok(s.SaveCalendarEvents(ctx, user.ID, chat.Changes[chat.CalendarEvent]{Put: []chat.CalendarEvent{{
		ID: ident.New(), UID: "u", Title: "Weekly", Start: now, End: now.Add(time.Hour), Zone: "Europe/Berlin", Recurrence: []string{"RRULE:FREQ=WEEKLY;COUNT=3"},
		Attendees: []chat.Attendee{{Name: "Ben", PersonID: ben.ID}}, Last: now.AddDate(0, 0, 15), CreatedAt: now,
	}}}))
	path := filepath.Join(t.TempDir(), "tides")
	ok(os.WriteFile(path, []byte("The tide rises."), 0o600))
	_, _, err := shelf(t, s).Add(ctx, user.ID, library.Arrival{Path: path, Name: "tides.txt", Modified: now})
	ok(err)
	ok(s.SavePersonas(ctx, user.ID, chat.Changes[chat.Persona]{Put: []chat.Persona{{ID: ident.New(), Name: "Sage", Description: "Calm", CreatedAt: now}}}))
	n := chat.NewTurn{Chat: &chat.Chat{ID: ident.New(), UserID: user.ID, Key: "omi:", Title: "Chat", CreatedAt: now, LastActivity: now}}
	n.Turn = chat.Turn{ID: ident.New(), ChatID: n.Chat.ID, UserID: user.ID, MessageID: ident.New(), AnswerID: ident.New(), CreatedAt: now}
	payload, err := json.Marshal(map[string]string{"message_id": n.Turn.MessageID, "answer_id": n.Turn.AnswerID})
	ok(err)
	n.Job = chat.Job{ID: n.Turn.ID, Kind: "turn", Lane: n.Chat.ID, UserID: user.ID, Payload: payload, CreatedAt: now}
	n.Message = chat.Message{ID: n.Turn.MessageID, ChatID: n.Chat.ID, TurnID: n.Turn.ID, Role: chat.RoleUser, Content: "Hello?", Ready: true, State: chat.MessageOK, CreatedAt: now}
	n.Answer = chat.Message{ID: n.Turn.AnswerID, ChatID: n.Chat.ID, TurnID: n.Turn.ID, Role: chat.RoleAssistant, State: chat.MessageOK, CreatedAt: now}
	n.First = chat.Event{Seq: 1, TurnID: n.Turn.ID, At: now, Body: chat.TurnStarted{}}
	n.Claim = &chat.Claim{Worker: "w", Kinds: []string{"turn"}, Limit: 1, Now: now, Until: now.Add(time.Minute)}
	_, _, err = s.Begin(ctx, n)
	ok(err)
	answer := n.Answer
	answer.Ready, answer.Content, answer.Citations, answer.Usage = true, "Hi.[1]", []chat.Citation{{N: 1, Quote: "Hello"}}, chat.Usage{Input: 3, Total: 3}
	defer func() {
		_, err := s.StarChat(ctx, user.ID, n.Chat.ID, true)
		ok(err)
		ok(s.RateMessage(ctx, user.ID, answer.ID, 1))
		ok(s.ReportMessage(ctx, user.ID, answer.ID, "wrong"))
	}()
	_, err = s.Append(ctx, []chat.Append{{JobID: n.Turn.ID, Fence: 1, Events: []chat.Event{{Seq: 2, TurnID: n.Turn.ID, At: now, Body: chat.TurnClosed{}}},
		Effects: []chat.Effect{chat.StoreAnswer{Message: answer}, chat.EndJob{State: chat.JobFinished}}}})
	ok(err)
}

// shelves are the libraries of the stores of a test.
var shelves sync.Map

// shelf is the library of a store.
func shelf(t *testing.T, s *sqlite.Store) *library.Library {
	t.Helper()
	if l, ok := shelves.Load(s); ok {
		return l.(*library.Library)
	}
	bytes, err := blobs.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := library.New(s, bytes, library.Options{})
	shelves.Store(s, l)
	return l
}

func export(t *testing.T, s *sqlite.Store, user chat.User) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := archive.Write(t.Context(), s, shelf(t, s), user.ID, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t *testing.T, s *sqlite.Store, user chat.User, content []byte, process func(string) *chat.Job) (archive.Restored, error) {
	return archive.Read(t.Context(), s, shelf(t, s), user.ID, bytes.NewReader(content), int64(len(content)), process)
}

func noJob(string) *chat.Job { return nil }

func TestExportImportExportIsIdentical(t *testing.T) {
	from, ana := open(t)
	full(t, from, ana)
	first := export(t, from, ana)
	to, same := open(t)
	restored, err := read(t, to, same, first, noJob)
	if err != nil {
		t.Fatal(err)
	}
	if restored != (archive.Restored{Conversations: 2, Segments: 4, Chats: 1, Files: 1, Records: 8}) {
		t.Errorf("restored %+v", restored)
	}
	second := export(t, to, same)
	if !bytes.Equal(first, second) {
		for name, content := range unzip(t, first) {
			if again := unzip(t, second)[name]; again != content {
				t.Errorf("%s\nfirst  %s\nsecond %s", name, content, again)
			}
		}
	}
	// Once more changes nothing.
	if restored, err = read(t, to, same, first, noJob); err != nil || restored.New() {
		t.Errorf("again: %+v, %v", restored, err)
	}
	// And what came back is found.
	hits, err := to.Lexical(t.Context(), chat.LexicalQuery{UserID: same.ID, Terms: []string{"greet"}, Limit: 10})
	if err != nil || len(hits) == 0 {
		t.Errorf("found %d (%v)", len(hits), err)
	}
}

func unzip(t *testing.T, content []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// TestBytesThatAreOthers: an archive whose bytes are not those of its record is
// refused, and nothing of the file is kept.
func TestBytesThatAreOthers(t *testing.T) {
	from, ana := open(t)
	full(t, from, ana)
	forged := rezip(t, export(t, from, ana), func(name, content string) string {
		if strings.HasPrefix(name, "files/") {
			return "The tide falls."
		}
		return content
	})
	to, same := open(t)
	if _, err := read(t, to, same, forged, noJob); chat.AsError(err).Code != chat.CodeInvalid {
		t.Errorf("forged bytes: %v", err)
	}
	if _, total, err := to.Files(t.Context(), same.ID, chat.FileQuery{}); err != nil || total != 0 {
		t.Errorf("%d files were kept, %v", total, err)
	}
}

func TestTheReadablePart(t *testing.T) {
	s, ana := open(t)
	full(t, s, ana)
	files := unzip(t, export(t, s, ana))
	found := false
	for name, content := range files {
		if strings.HasPrefix(name, "conversations/2026-03-01 First talk quoted ") {
			found = true
			for _, want := range []string{"# First / talk", "They greet.", "**Ana:** Hello", "[00:00:01] **Ben:** 你好"} {
				if !strings.Contains(content, want) {
					t.Errorf("the Markdown lacks %q:\n%s", want, content)
				}
			}
		}
	}
	if !found || !strings.Contains(files["tasks.md"], "- [ ] Greet back (due 2026-03-01 09:00 UTC)") || !strings.Contains(files["memories.md"], "Greets politely (system, since 2026-03-01, until 2026-03-01)") {
		t.Errorf("files: %v", files)
	}
}

func TestBrokenArchives(t *testing.T) {
	s, ana := open(t)
	zipped := func(files ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(files); i += 2 {
			f, err := z.Create(files[i])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(f, files[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	good := `{"format":"confidant-archive","version":1}`
	for name, test := range map[string]struct {
		content []byte
		detail  string
	}{
		"no zip":          {[]byte("hello"), "zip"},
		"another zip":     {zipped("a.txt", "x"), "manifest"},
		"another format":  {zipped("manifest.json", `{"format":"x"}`), "manifest"},
		"a newer version": {zipped("manifest.json", `{"format":"confidant-archive","version":2}`), "version 2"},
		"no JSON":         {zipped("manifest.json", good, "tasks.jsonl", `{"task_id":"a"}`+"\nnonsense"), "Record 2 of tasks.jsonl"},
		"another type":    {zipped("manifest.json", good, "memories.jsonl", `{"memory_id":7}`), "Record 1 of memories.jsonl"},
		"half a file":     {export(t, s, ana)[:100], "zip"},
		"an unknown step": {zipped("manifest.json", good, "conversations.jsonl", `{"conversation_id":"c","steps":[{"name":"x"}]}`), ""},
	} {
		_, err := read(t, s, ana, test.content, noJob)
		var failed *chat.Error
		if err == nil || test.detail != "" && (!errors.As(err, &failed) || !strings.Contains(failed.Detail, test.detail)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	list, err := s.Conversations(t.Context(), ana.ID, chat.ConversationQuery{Limit: 10})
	if err != nil || len(list) != 0 {
		t.Errorf("half of a broken archive was stored: %+v (%v)", list, err)
	}
}

func TestRecordsOfAnotherPerson(t *testing.T) {
	s, ana := open(t)
	full(t, s, ana)
	content := export(t, s, ana)
	ben := sqlitetest.User(t, s, "ben")
	if _, err := read(t, s, ben, content, noJob); !errors.Is(err, chat.ErrConflict) {
		t.Errorf("%v, want ErrConflict", err)
	}
	if !bytes.Equal(export(t, s, ana), content) {
		t.Error("the other person's records changed")
	}
}

// A conversation whose processing was under way is processed.
func TestWhatWasUnderWayGoesOn(t *testing.T) {
	from, ana := open(t)
	c := chat.Conversation{ID: ident.New(), UserID: ana.ID, Status: chat.StatusProcessing, CreatedAt: time.Now()}
	if _, _, err := from.PutConversation(t.Context(), c, []chat.Segment{{Text: "hello"}}, nil); err != nil {
		t.Fatal(err)
	}
	to, same := open(t)
	if _, err := read(t, to, same, export(t, from, ana), func(id string) *chat.Job { return process.Job(same.ID, id, false) }); err != nil {
		t.Fatal(err)
	}
	if _, err := to.LatestJob(t.Context(), same.ID, c.ID); err != nil {
		t.Errorf("its job: %v", err)
	}
}

// rezip is an archive with its files changed, in their order.
func rezip(t *testing.T, content []byte, change func(name, content string) string) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := unzip(t, content)
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	for _, f := range from.File {
		w, err := to.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, change(f.Name, files[f.Name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
