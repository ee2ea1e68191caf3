// Package upload receives files in pieces, over connections that break: what has
// arrived is on the disk, and a client asks how much that is and goes on.
package upload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/library"
)

// Upload is a file that is on its way.
type Upload struct {
	ID     string `json:"upload_id"`
	UserID string `json:"user_id"`
	Name   string `json:"name"`
	ChatID string `json:"chat_id,omitempty"`
	Size   int64  `json:"size"` // in bytes
	// Offset is how much of it has arrived.
	Offset    int64     `json:"offset"`
	CreatedAt time.Time `json:"created_at"`
	// FileID is the file that it has become; Duplicate says that this was there.
	FileID    string `json:"file_id,omitempty"`
	Duplicate bool   `json:"duplicate,omitempty"`
}

// Library takes in what has arrived whole; see library.Library.
type Library interface {
	Add(ctx context.Context, userID string, a library.Arrival) (chat.File, bool, error)
}

// Desk is where files arrive.
type Desk struct {
	folder  string
	library Library
	most    int64
	busy    sync.Map // ids of uploads that somebody writes to
}

// keep is how long an upload is kept that nobody goes on with, and one that has
// become a file, for a client that did not hear of it.
const keep = 24 * time.Hour

// whole ends the names of files that are on their way in one piece.
const whole = ".whole"

// Open returns a desk over a folder, which is made when it is not there, and which
// nobody else uses. Most is the size of the largest file, in bytes.
func Open(folder string, l Library, most int64) (*Desk, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of uploads: %w", err)
	}
	// Of a file that came in one piece when the process died its client has heard
	// nothing: it will send it again.
	broken, err := filepath.Glob(filepath.Join(folder, "*"+whole))
	if err != nil {
		return nil, fmt.Errorf("look for what broke off: %w", err)
	}
	for _, path := range broken {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove what broke off: %w", err)
		}
	}
	return &Desk{folder: folder, library: l, most: most}, nil
}

func (d *Desk) part(id string) string   { return filepath.Join(d.folder, id+".part") }
func (d *Desk) record(id string) string { return filepath.Join(d.folder, id+".json") }

// Begin opens an upload of so many bytes.
func (d *Desk) Begin(userID, name, chatID string, size int64) (Upload, error) {
	if size < 0 {
		return Upload{}, chat.Fail(chat.CodeInvalid, "The length of an upload is a number of bytes.")
	}
	if size > d.most {
		return Upload{}, library.TooLarge(d.most)
	}
	u := Upload{ID: ident.New(), UserID: userID, Name: library.CleanName(name), ChatID: chatID, Size: size, CreatedAt: time.Now().UTC()}
	if err := d.save(u); err != nil {
		return u, err
	}
	f, err := os.OpenFile(d.part(u.ID), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return u, fmt.Errorf("begin upload: %w", full(err))
	}
	return u, f.Close()
}

func (d *Desk) save(u Upload) error {
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if err := os.WriteFile(d.record(u.ID)+".new", data, 0o600); err != nil {
		return fmt.Errorf("store upload: %w", full(err))
	}
	return os.Rename(d.record(u.ID)+".new", d.record(u.ID))
}

// Find returns an upload of a person and how much of it has arrived.
func (d *Desk) Find(userID, id string) (Upload, error) {
	if !ident.Valid(id) { // it becomes a path
		return Upload{}, chat.ErrNotFound
	}
	data, err := os.ReadFile(d.record(id))
	if errors.Is(err, os.ErrNotExist) {
		return Upload{}, chat.ErrNotFound
	}
	if err != nil {
		return Upload{}, fmt.Errorf("read upload: %w", err)
	}
	var u Upload
	if err := json.Unmarshal(data, &u); err != nil {
		return u, fmt.Errorf("read upload: %w", err)
	}
	if u.UserID != userID {
		return Upload{}, chat.ErrNotFound
	}
	u.Offset = u.Size
	if u.FileID == "" {
		info, err := os.Stat(d.part(id))
		if err != nil {
			return u, fmt.Errorf("read upload: %w", err)
		}
		u.Offset = info.Size()
	}
	return u, nil
}

// Append adds what a client sends from an offset on, which must be how much has
// arrived. What comes before the connection breaks is kept. When all is there the
// upload becomes a file.
func (d *Desk) Append(ctx context.Context, userID, id string, offset int64, content io.Reader) (Upload, error) {
	u, err := d.Find(userID, id)
	if err != nil {
		return u, err
	}
	if _, taken := d.busy.LoadOrStore(id, true); taken {
		return u, chat.Fail(chat.CodeConflict, "Another connection is sending this upload.")
	}
	defer d.busy.Delete(id)
	if u, err = d.Find(userID, id); err != nil { // as it is now that nobody else writes
		return u, err
	}
	if offset != u.Offset {
		return u, chat.Fail(chat.CodeConflict, "The upload has "+strconv.FormatInt(u.Offset, 10)+" bytes; go on from there.")
	}
	if u.FileID != "" {
		return u, nil
	}
	f, err := os.OpenFile(d.part(id), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return u, fmt.Errorf("go on with upload: %w", err)
	}
	n, err := io.Copy(f, io.LimitReader(content, u.Size-u.Offset+1))
	if u.Offset+n > u.Size {
		// It is not known which of these bytes belong to the file: all of them are dropped.
		err = errors.Join(chat.Fail(chat.CodeInvalid, "The upload has more bytes than its length of "+strconv.FormatInt(u.Size, 10)+"."), f.Truncate(u.Offset))
		n = 0
	}
	u.Offset += n
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		if _, ok := errors.AsType[*chat.Error](err); !ok {
			err = fmt.Errorf("receive upload: %w", full(err))
		}
		return u, err
	}
	if u.Offset < u.Size {
		return u, nil
	}
	return d.arrive(ctx, u)
}

// arrive makes a file of an upload that is whole. One that cannot be a file is
// removed: sending it again would not help.
func (d *Desk) arrive(ctx context.Context, u Upload) (Upload, error) {
	f, created, err := d.library.Add(ctx, u.UserID, library.Arrival{Path: d.part(u.ID), Name: u.Name, ChatID: u.ChatID})
	if refused, ok := errors.AsType[*chat.Error](err); ok && refused.Code != chat.CodeStorageFull {
		return u, errors.Join(err, d.remove(u.ID))
	}
	if err != nil {
		return u, err
	}
	u.FileID, u.Duplicate = f.ID, !created
	return u, errors.Join(d.save(u), os.Remove(d.part(u.ID)))
}

// Receive takes in a file that comes in one piece.
func (d *Desk) Receive(ctx context.Context, userID, name, chatID string, content io.Reader) (chat.File, bool, error) {
	f, err := os.CreateTemp(d.folder, "*"+whole)
	if err != nil {
		return chat.File{}, false, fmt.Errorf("receive file: %w", full(err))
	}
	defer func() {
		if err := os.Remove(f.Name()); err != nil {
			slog.WarnContext(ctx, "remove what arrived", "error", err)
		}
	}()
	n, err := io.Copy(f, io.LimitReader(content, d.most+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return chat.File{}, false, fmt.Errorf("receive file: %w", full(err))
	}
	if n > d.most {
		return chat.File{}, false, library.TooLarge(d.most)
	}
	return d.library.Add(ctx, userID, library.Arrival{Path: f.Name(), Name: name, ChatID: chatID})
}

// Cancel removes an upload.
func (d *Desk) Cancel(userID, id string) error {
	if _, err := d.Find(userID, id); err != nil {
		return err
	}
	return d.remove(id)
}

func (d *Desk) remove(id string) error {
	var errs []error
	for _, path := range []string{d.part(id), d.record(id)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove upload: %w", err))
		}
	}
	return errors.Join(errs...)
}

// Forget removes all uploads of a person.
func (d *Desk) Forget(userID string) error {
	records, err := filepath.Glob(filepath.Join(d.folder, "*.json"))
	if err != nil {
		return fmt.Errorf("look for uploads: %w", err)
	}
	for _, path := range records {
		id := strings.TrimSuffix(filepath.Base(path), ".json")
		if _, err := d.Find(userID, id); errors.Is(err, chat.ErrNotFound) {
			continue
		}
		if err := d.remove(id); err != nil {
			return err
		}
	}
	return nil
}

// Sweep removes what nobody has gone on with for a day.
func (d *Desk) Sweep(now time.Time) error {
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		return fmt.Errorf("look for old uploads: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || now.Sub(info.ModTime()) < keep {
			continue
		}
		id, _, _ := strings.Cut(e.Name(), ".")
		if part, err := os.Stat(d.part(id)); err == nil && now.Sub(part.ModTime()) < keep {
			continue
		}
		if err := os.Remove(filepath.Join(d.folder, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove old upload: %w", err)
		}
	}
	return nil
}

// full names the one failure of a disk that a person can do something about.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return chat.ErrStorageFull.With(err)
	}
	return err
}
