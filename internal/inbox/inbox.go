// Package inbox takes in files: each goes where its kind belongs, a calendar to
// the calendar, an archive to everything, the rest to what is remembered.
package inbox

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"confidant/internal/archive"
	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/memory/process"
)

// Memory takes in what was said and written; see memory.Memory.
type Memory interface {
	Import(ctx context.Context, userID string, f chat.Import) ([]chat.Conversation, bool, error)
	// Wake tells the index that there is something new.
	Wake()
}

// Calendar takes in events; see calendar.Calendar.
type Calendar interface {
	Import(ctx context.Context, userID string, data []byte, zone *time.Location) (calendar.Imported, error)
}

// Inbox is where files arrive.
type Inbox struct {
	Memory   Memory
	Calendar Calendar
	Archive  chat.Archive
	Shelf    archive.Shelf
	// Zone is where times without an offset are meant; nil for UTC.
	Zone *time.Location
}

// Taken is what a file brought.
type Taken struct {
	Conversations []Conversation `json:"conversations"`
	// Duplicate says that all of it was there.
	Duplicate bool               `json:"duplicate"`
	Calendar  *calendar.Imported `json:"calendar,omitempty"`
	Archive   *archive.Restored  `json:"archive,omitempty"`
}

// Conversation is one that a file held.
type Conversation struct {
	ID       string `json:"conversation_id"`
	Title    string `json:"title"`
	Segments int    `json:"segments"`
}

// Passages counts the segments and events.
func (t Taken) Passages() int {
	n := 0
	for _, c := range t.Conversations {
		n += c.Segments
	}
	if t.Calendar != nil {
		n += t.Calendar.Created + t.Calendar.Updated
	}
	if t.Archive != nil {
		n += t.Archive.Segments
	}
	return n
}

// Err is what a person is told when not all of a file could be taken, nil when it was.
func (t Taken) Err() error {
	if t.Calendar == nil {
		return nil
	}
	return t.Calendar.Err()
}

// Take takes in a file that is no archive. It fails as memory.Memory.Import does.
func (in Inbox) Take(ctx context.Context, userID string, f chat.Import) (Taken, error) {
	taken := Taken{Conversations: []Conversation{}}
	if calendar.IsFile(f) {
		done, err := in.Calendar.Import(ctx, userID, f.Content, cmp.Or(in.Zone, time.UTC))
		taken.Calendar, taken.Duplicate = &done, done.Created+done.Updated == 0
		return taken, err
	}
	conversations, created, err := in.Memory.Import(ctx, userID, f)
	for _, c := range conversations {
		taken.Conversations = append(taken.Conversations, Conversation{c.ID, c.Title, c.Segments})
	}
	taken.Duplicate = !created
	return taken, err
}

// IsArchive reports whether a file is an archive, by its kind or its name.
func IsArchive(name, kind string) bool {
	if kind == "" || kind == "auto" {
		return strings.EqualFold(filepath.Ext(name), ".zip")
	}
	return strings.EqualFold(kind, "zip")
}

// Restore takes an archive back; see archive.Read.
func (in Inbox) Restore(ctx context.Context, userID string, from io.ReaderAt, size int64) (Taken, error) {
	restored, err := archive.Read(ctx, in.Archive, in.Shelf, userID, from, size, func(id string) *chat.Job { return process.Job(userID, id, false) })
	if restored.New() {
		in.Memory.Wake()
	}
	return Taken{Conversations: []Conversation{}, Archive: &restored, Duplicate: !restored.New()}, err
}
