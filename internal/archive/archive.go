// Package archive writes everything that belongs to a person into one zip file of
// open formats, and takes it back without loss: JSON lines for programs, Markdown
// and .ics for people.
package archive

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"confidant/internal/chat"
)

// Store is what an archive is made of.
type Store interface {
	chat.Archive
	chat.Conversations
	chat.Processing
	chat.Facts
	chat.Tasks
	chat.Calendar
	chat.People
	chat.Folders
	chat.Personas
	chat.Files
}

// manifest says what the file is. It has no date: the same data makes the same file.
type manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

const (
	format  = "confidant-archive"
	version = 1
)

// The files of an archive that are read back.
const (
	manifestFile      = "manifest.json"
	conversationsFile = "conversations.jsonl"
	chatsFile         = "chats.jsonl"
	factsFile         = "memories.jsonl"
	tasksFile         = "tasks.jsonl"
	eventsFile        = "events.jsonl"
	peopleFile        = "people.jsonl"
	foldersFile       = "folders.jsonl"
	personasFile      = "personas.jsonl"
	filesFile         = "files.jsonl"
)

// pageSize is how many records are read from the store at a time.
const pageSize = 500

// Write writes the archive of a person. The order of everything in it is fixed.
func Write(ctx context.Context, store Store, bytes Bytes, userID string, to io.Writer) error {
	w := &writer{zip: zip.NewWriter(to), store: store, bytes: bytes, userID: userID}
	for _, part := range []struct {
		name  string
		write func(context.Context, *json.Encoder) error
	}{
		{manifestFile, func(_ context.Context, e *json.Encoder) error { return e.Encode(manifest{format, version}) }},
		{conversationsFile, w.conversations},
		{chatsFile, w.chats},
		{factsFile, w.facts},
		{tasksFile, w.tasks},
		{eventsFile, w.events},
		{peopleFile, w.people},
		{foldersFile, w.folders},
		{personasFile, w.personas},
		{filesFile, w.files},
	} {
		file, err := w.zip.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Deflate})
		if err != nil {
			return fmt.Errorf("write %s: %w", part.name, err)
		}
		encoder := json.NewEncoder(file)
		encoder.SetEscapeHTML(false)
		if err := part.write(ctx, encoder); err != nil {
			return fmt.Errorf("write %s: %w", part.name, err)
		}
	}
	if err := w.readable(ctx); err != nil {
		return fmt.Errorf("write the readable part: %w", err)
	}
	if err := w.contents(ctx); err != nil {
		return fmt.Errorf("write the bytes of files: %w", err)
	}
	return w.zip.Close()
}

type writer struct {
	zip    *zip.Writer
	store  Store
	bytes  Bytes
	userID string
}

// each calls do for every conversation, the newest first.
func (w *writer) each(ctx context.Context, do func(chat.ArchivedConversation) error) error {
	before := ""
	for {
		page, err := w.store.Conversations(ctx, w.userID, chat.ConversationQuery{Discarded: true, Locked: true, Before: before, Limit: pageSize})
		if err != nil {
			return err
		}
		for _, c := range page {
			a := chat.ArchivedConversation{Conversation: c, Fingerprint: c.Fingerprint}
			if a.Segments, err = w.store.Segments(ctx, w.userID, c.ID, 0, c.Segments); err != nil {
				return err
			}
			if a.Steps, err = w.store.Steps(ctx, w.userID, c.ID); err != nil {
				return err
			}
			if err := do(a); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
		before = page[len(page)-1].ID
	}
}

func (w *writer) conversations(ctx context.Context, e *json.Encoder) error {
	return w.each(ctx, func(c chat.ArchivedConversation) error { return e.Encode(c) })
}

func (w *writer) chats(ctx context.Context, e *json.Encoder) error {
	for c, err := range w.store.ArchivedChats(ctx, w.userID) {
		if err != nil {
			return err
		}
		if err := e.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

// paged encodes all records of a list that is read in pages.
func paged[T any](e *json.Encoder, read func(limit, offset int) ([]T, error)) error {
	for offset := 0; ; offset += pageSize {
		page, err := read(pageSize, offset)
		if err != nil {
			return err
		}
		for _, record := range page {
			if err := e.Encode(record); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

func (w *writer) facts(ctx context.Context, e *json.Encoder) error {
	return paged(e, func(limit, offset int) ([]chat.Fact, error) {
		return w.store.Facts(ctx, w.userID, chat.FactQuery{All: true, Limit: limit, Offset: offset})
	})
}

func (w *writer) tasks(ctx context.Context, e *json.Encoder) error {
	return paged(e, func(limit, offset int) ([]chat.Task, error) {
		return w.store.Tasks(ctx, w.userID, chat.TaskQuery{Limit: limit, Offset: offset})
	})
}

// maxEvents is how many events of the calendar an archive can have.
const maxEvents = 1_000_000

func (w *writer) events(ctx context.Context, e *json.Encoder) error {
	list, err := w.store.CalendarEvents(ctx, w.userID, chat.EventQuery{Limit: maxEvents})
	return all(e, list, err)
}

func (w *writer) people(ctx context.Context, e *json.Encoder) error {
	list, err := w.store.People(ctx, w.userID)
	return all(e, list, err)
}

func (w *writer) folders(ctx context.Context, e *json.Encoder) error {
	list, err := w.store.Folders(ctx, w.userID)
	return all(e, list, err)
}

func (w *writer) personas(ctx context.Context, e *json.Encoder) error {
	list, err := w.store.Personas(ctx, w.userID)
	return all(e, list, err)
}

func all[T any](e *json.Encoder, list []T, err error) error {
	if err != nil {
		return err
	}
	for _, record := range list {
		if err := e.Encode(record); err != nil {
			return err
		}
	}
	return nil
}

// day is a time as the readable part shows it.
func day(t time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	return t.UTC().Format(time.DateOnly)
}
