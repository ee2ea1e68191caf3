package archive

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"confidant/internal/chat"
)

// Restored counts what was new.
type Restored struct {
	Conversations int `json:"conversations"`
	Segments      int `json:"segments"`
	Chats         int `json:"chats"`
	Files         int `json:"files"`
	Records       int `json:"records"` // facts, tasks, events, people, folders, personas
}

// New reports whether anything was.
func (r Restored) New() bool { return r.Conversations+r.Chats+r.Files+r.Records > 0 }

// The limits of what an archive may unpack to, so that a small file cannot fill
// the memory of a server.
const (
	maxUnpacked = 8 << 30  // bytes of one file in it
	maxLine     = 64 << 20 // bytes of one record
)

// Read takes an archive back for a person. What they have already stays as it is,
// so a file may be read again after an interruption. process makes the job of a
// conversation whose processing was under way. It fails with CodeInvalid for what
// is no archive, or a broken one, and with CodeConflict when another person of
// this server has records of the same ids.
func Read(ctx context.Context, store chat.Archive, shelf Shelf, userID string, from io.ReaderAt, size int64, process func(conversationID string) *chat.Job) (Restored, error) {
	z, err := zip.NewReader(from, size)
	if err != nil {
		return Restored{}, chat.Fail(chat.CodeInvalid, "The file is not a zip file, or it is broken.").With(err)
	}
	r := &reader{ctx: ctx, zip: z, store: store, shelf: shelf, userID: userID, process: process}
	if err := r.checkManifest(); err != nil {
		return Restored{}, err
	}
	// People and folders first: what refers to them comes later.
	var records chat.Records
	err = errors.Join(
		lines(r, peopleFile, into(&records.People)), lines(r, foldersFile, into(&records.Folders)), lines(r, factsFile, into(&records.Facts)),
		lines(r, tasksFile, into(&records.Tasks)), lines(r, eventsFile, into(&records.Events)), lines(r, personasFile, into(&records.Personas)))
	if err != nil {
		return r.restored, err
	}
	if r.restored.Records, err = store.RestoreRecords(ctx, userID, records); err != nil {
		return r.restored, foreign(err)
	}
	if err := lines(r, conversationsFile, r.conversation); err != nil {
		return r.restored, foreign(err)
	}
	if err := lines(r, filesFile, r.file); err != nil {
		return r.restored, foreign(err)
	}
	return r.restored, foreign(lines(r, chatsFile, r.chat))
}

type reader struct {
	ctx      context.Context
	zip      *zip.Reader
	store    chat.Archive
	shelf    Shelf
	userID   string
	process  func(string) *chat.Job
	restored Restored
}

func (r *reader) checkManifest() error {
	var m manifest
	found := false
	err := lines(r, manifestFile, func(read manifest) error { m, found = read, true; return nil })
	switch {
	case err != nil:
		return err
	case !found || m.Format != format:
		return chat.Fail(chat.CodeInvalid, "The zip file is not an archive of Confidant: it has no manifest.json that says so.")
	case m.Version > version:
		return chat.Fail(chat.CodeInvalid, fmt.Sprintf("The archive has version %d; this server knows up to %d.", m.Version, version))
	}
	return nil
}

func (r *reader) conversation(c chat.ArchivedConversation) error {
	var job *chat.Job
	if c.Status == chat.StatusProcessing {
		job = r.process(c.ID)
	}
	fresh, err := r.store.RestoreConversation(r.ctx, r.userID, c, job)
	if fresh {
		r.restored.Conversations++
		r.restored.Segments += len(c.Segments)
	}
	return err
}

func (r *reader) chat(c chat.ArchivedChat) error {
	fresh, err := r.store.RestoreArchivedChat(r.ctx, r.userID, c)
	if fresh {
		r.restored.Chats++
	}
	return err
}

// foreign says in words that ids belong to somebody else.
func foreign(err error) error {
	if errors.Is(err, chat.ErrConflict) {
		return chat.Fail(chat.CodeConflict, "The archive has records that belong to another person of this server.").With(err)
	}
	return err
}

func into[T any](list *[]T) func(T) error {
	return func(record T) error {
		*list = append(*list, record)
		return nil
	}
}

// lines calls do for every record of a file. A file that is not there has none.
func lines[T any](r *reader, name string, do func(T) error) error {
	file, err := r.zip.Open(name)
	if err != nil {
		return nil //nolint:nilerr // older archives may lack it
	}
	defer file.Close()
	decoder := json.NewDecoder(io.LimitReader(file, maxUnpacked))
	for n := 1; ; n++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		var record T
		if err == nil && len(raw) > maxLine {
			err = fmt.Errorf("%d bytes", len(raw))
		}
		if err == nil {
			err = json.Unmarshal(raw, &record)
		}
		if err != nil {
			return chat.Fail(chat.CodeInvalid, fmt.Sprintf("Record %d of %s in the archive cannot be read.", n, name)).With(err)
		}
		if err := do(record); err != nil {
			return err
		}
	}
}
