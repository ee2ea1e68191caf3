// Package library reads a person's files: bytes become pages, pages chunks, and
// chunks are found. Each file is read by a durable job; a new reading grows
// unseen and replaces the old one in one step.
package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/library/chunk"
	"confidant/internal/library/extract"
	"confidant/internal/llm"
)

// Store is where the library keeps what it knows.
type Store interface {
	chat.Files
	chat.Pages
	chat.Generations
	chat.FileUpkeep
	chat.Queue
}

// Bytes keeps the content of files; see blobs.Store.
type Bytes interface {
	Put(ctx context.Context, userID, hash string, content io.Reader) error
	Open(ctx context.Context, userID, hash string) (io.ReadSeekCloser, error)
	// Local returns a path to read the content from until done is called.
	Local(ctx context.Context, userID, hash string) (path string, done func() error, err error)
	Delete(ctx context.Context, userID, hash string) error
	// Each calls do with everything that is stored, until it fails.
	Each(ctx context.Context, do func(userID, hash string) error) error
}

// Index is told what is new and what is gone; see search.Vectors.
type Index interface {
	Wake()
	Forget(userID string)
}

// Options are what the library needs beside its stores; the zero value reads
// nothing and embeds nothing.
type Options struct {
	Formats []extract.Format
	// MaxBytes is the size of the largest file.
	MaxBytes int64
	// AtOnce is how many files are read at once.
	AtOnce int
	// Model classifies and summarises; nil means by rules.
	Model llm.Model
	// ModelChunks is how many chunks of a file the model classifies at most; rules
	// classify the others.
	ModelChunks int
	// Count counts tokens as the embedder in use does.
	Count chunk.Counter
	// Embedder names the space of the vectors in use; empty when there is none.
	Embedder string
	// Index is nil when there is no embedder.
	Index Index
	// Poll is how often to look how far the embedding of a file is.
	Poll time.Duration
}

// Library takes in files and reads them.
type Library struct {
	store   Store
	bytes   Bytes
	opt     Options
	formats map[string]extract.Format // by MIME type
	reading chan struct{}             // one for each file that is read
	sweep   chan struct{}
	waiting atomic.Int64 // readings that wait for their vectors
	// Wake tells the workers that a job was queued, Deleted whoever removes traces that
	// there are some; they are set before use.
	Wake, Deleted func()
	// adding keeps the bytes of a file that is being added from being deleted with a
	// file of the same content.
	adding sync.RWMutex
}

// New returns a library.
func New(store Store, bytes Bytes, opt Options) *Library {
	if opt.Count == nil {
		opt.Count = chunk.Estimate
	}
	if opt.Poll == 0 {
		opt.Poll = 300 * time.Millisecond
	}
	l := &Library{
		store: store, bytes: bytes, opt: opt, formats: map[string]extract.Format{}, reading: make(chan struct{}, max(opt.AtOnce, 1)),
		sweep: make(chan struct{}, 1), Wake: func() {}, Deleted: func() {},
	}
	for _, f := range opt.Formats {
		for _, t := range f.Types() {
			l.formats[t] = f
		}
	}
	return l
}

// Arrival is a file that was received whole and is not yet in the library.
type Arrival struct {
	// Path is where its content lies; it stays the caller's.
	Path string
	Name string // as the client sent it
	// ChatID is the chat it was sent to, empty for the library.
	ChatID   string
	Modified time.Time
}

// Add stores a file and queues its reading. Content that the person has already is
// not stored again: that file is returned, and false. What cannot be read at all is
// refused before anything is stored.
func (l *Library) Add(ctx context.Context, userID string, a Arrival) (chat.File, bool, error) {
	hash, size, err := fingerprint(a.Path)
	if err != nil {
		return chat.File{}, false, err
	}
	if l.opt.MaxBytes > 0 && size > l.opt.MaxBytes {
		return chat.File{}, false, TooLarge(l.opt.MaxBytes)
	}
	name := CleanName(a.Name)
	kind, err := extract.Detect(a.Path, name)
	if err != nil {
		return chat.File{}, false, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	f := chat.File{
		ID: ident.New(), UserID: userID, Name: name, Type: kind, Size: size, Hash: hash, State: chat.FileInProgress, Stage: chat.StageQueued,
		ChatID: a.ChatID, Modified: a.Modified.UTC(), CreatedAt: now, UpdatedAt: now,
	}
	if a.Modified.IsZero() {
		f.Modified = time.Time{}
	}
	return l.add(ctx, f, a.Path)
}

// add stores the bytes that lie at path, and the file with its job.
func (l *Library) add(ctx context.Context, f chat.File, path string) (chat.File, bool, error) {
	l.adding.RLock()
	defer l.adding.RUnlock()
	content, err := os.Open(path)
	if err != nil {
		return chat.File{}, false, fmt.Errorf("open what arrived: %w", err)
	}
	defer content.Close()
	// The bytes come first: a record without bytes would be a file that is lost, bytes
	// without a record are swept away.
	if err := l.bytes.Put(ctx, f.UserID, f.Hash, content); err != nil {
		return chat.File{}, false, err
	}
	f, created, err := l.store.AddFile(ctx, f, job(f))
	if err == nil && created {
		l.Wake()
	}
	return f, created, err
}

// Restore stores a file of an archive under the id that it had, and queues its
// reading. It reports false when the person has that content, and fails with
// ErrConflict when the id is somebody else's, with CodeInvalid when the content is
// not what the record says.
func (l *Library) Restore(ctx context.Context, userID string, a chat.ArchivedFile, content io.Reader) (created bool, err error) {
	file, err := os.CreateTemp("", "confidant-restored-*")
	if err != nil {
		return false, fmt.Errorf("take a file back: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return false, fmt.Errorf("take a file back: %w", err)
	}
	hash, size, err := fingerprint(file.Name())
	if err != nil {
		return false, err
	}
	if hash != a.Hash || size != a.Size || !ident.Valid(a.ID) {
		return false, chat.Fail(chat.CodeInvalid, "The bytes of a file in the archive are not those that its record names.")
	}
	_, created, err = l.add(ctx, chat.File{
		ID: a.ID, UserID: userID, Name: CleanName(a.Name), Type: a.Type, Size: size, Hash: hash, State: chat.FileInProgress, Stage: chat.StageQueued,
		ChatID: a.ChatID, Modified: a.Modified, CreatedAt: a.Created, UpdatedAt: time.Now().UTC(),
	}, file.Name())
	return created, err
}

// TooLarge is the error of a file over the limit.
func TooLarge(most int64) error {
	return chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The file is over the limit of %d bytes (file_bytes).", most))
}

const (
	// longestName is how many bytes of a name are kept.
	longestName = 255
	// longestEnding is how many bytes the ending of a name has at most, with its dot.
	longestEnding = 16
)

// CleanName is a name as it may be shown and sent: the last part of a path, without
// control characters and what turns the direction of text around. One that is too
// long is cut before its ending, which tells people and programs what the file is.
func CleanName(name string) string {
	name = strings.ToValidUTF8(name, "")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name))
	if len(name) > longestName {
		ending := filepath.Ext(name)
		if len(ending) > longestEnding {
			ending = ""
		}
		// A character of which only a part is left goes.
		name = strings.ToValidUTF8(name[:longestName-len(ending)], "") + ending
	}
	if strings.Trim(name, ".") == "" {
		return "unnamed"
	}
	return name
}

// Kind is the kind of job that reads a file. Its lane is the file's id.
const Kind = "file"

// order is the payload of a job.
type order struct {
	// Generation is what the reading writes.
	Generation string `json:"generation"`
}

func job(f chat.File) chat.Job {
	id := ident.New()
	payload, err := json.Marshal(order{Generation: id})
	if err != nil {
		panic(err) // a string always marshals
	}
	return chat.Job{ID: id, Kind: Kind, Lane: f.ID, UserID: f.UserID, Payload: payload, CreatedAt: time.Now().UTC().Truncate(time.Millisecond)}
}

// Reprocess reads a file again. What was read before stays until the new reading
// is whole. ErrConflict when it is being read now.
func (l *Library) Reprocess(ctx context.Context, userID, id string) (chat.File, error) {
	f, err := l.store.File(ctx, userID, id)
	if err != nil {
		return f, err
	}
	if f.State == chat.FileInProgress {
		return f, chat.Fail(chat.CodeConflict, "The file is being read already.")
	}
	f.State, f.Stage, f.Reason, f.Done, f.Total, f.UpdatedAt = chat.FileInProgress, chat.StageQueued, "", 0, 0, time.Now().UTC()
	if f, err = l.store.SaveFile(ctx, f); err != nil {
		return f, err
	}
	// A crash in between leaves a file in progress without a job, which Recover finds.
	if err := l.store.Enqueue(ctx, job(f)); err != nil {
		return f, err
	}
	l.Wake()
	return f, nil
}

// Retry is Reprocess for a file that failed.
func (l *Library) Retry(ctx context.Context, userID, id string) (chat.File, error) {
	f, err := l.store.File(ctx, userID, id)
	if err == nil && f.State != chat.FileFailed {
		err = chat.Fail(chat.CodeConflict, "The file is not in the failed state.")
	}
	if err != nil {
		return f, err
	}
	return l.Reprocess(ctx, userID, id)
}

// mostRenames is how often a renaming is tried while others change the file: its
// reading does so a few times a second.
const mostRenames = 10

// Rename gives a file another name. The revision is the one that the person saw, and
// ErrConflict says that it is not the stored one; 0 is whichever is stored.
func (l *Library) Rename(ctx context.Context, userID, id, name string, revision int64) (chat.File, error) {
	for attempt := 1; ; attempt++ {
		f, err := l.store.File(ctx, userID, id)
		if err != nil {
			return f, err
		}
		if strings.TrimSpace(name) == "" {
			return f, chat.Fail(chat.CodeInvalid, "A file needs a name.")
		}
		if revision != 0 {
			f.Revision = revision
		}
		f.Name, f.UpdatedAt = CleanName(name), time.Now().UTC()
		f, err = l.store.SaveFile(ctx, f)
		if revision != 0 || attempt == mostRenames || !errors.Is(err, chat.ErrConflict) {
			return f, err
		}
	}
}

// Delete removes a file for good: it is not found any more when Delete returns, and
// its traces go in the background.
func (l *Library) Delete(ctx context.Context, userID, id string) error {
	f, err := l.store.File(ctx, userID, id)
	if err != nil {
		return err
	}
	l.adding.Lock()
	defer l.adding.Unlock()
	if err := l.store.DeleteFile(ctx, userID, id); err != nil {
		return err
	}
	if l.opt.Index != nil {
		l.opt.Index.Forget(userID)
	}
	l.swept()
	l.Deleted()
	return l.bytes.Delete(ctx, userID, f.Hash)
}

func (l *Library) swept() {
	select {
	case l.sweep <- struct{}{}:
	default:
	}
}

// sweepPause is how long to wait after a failure to sweep.
const sweepPause = 30 * time.Second

// Recover sets right what a crash left between two stores: files without a job get
// one, bytes without a file are deleted.
func (l *Library) Recover(ctx context.Context) error {
	stranded, err := l.store.Stranded(ctx)
	if err != nil {
		return fmt.Errorf("look for files without a job: %w", err)
	}
	for _, f := range stranded {
		if err := l.store.Enqueue(ctx, job(f)); err != nil {
			return fmt.Errorf("queue a file again: %w", err)
		}
	}
	return l.bytes.Each(ctx, func(userID, hash string) error {
		l.adding.Lock()
		defer l.adding.Unlock()
		there, err := l.store.HasContent(ctx, userID, hash)
		if err != nil || there {
			return err
		}
		return l.bytes.Delete(ctx, userID, hash)
	})
}

// Run recovers, and sweeps away, until ctx ends, the readings that nobody sees any
// more.
func (l *Library) Run(ctx context.Context) {
	if err := l.Recover(ctx); err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "recover files", "error", err)
	}
	for ctx.Err() == nil {
		more, err := l.store.Sweep(ctx)
		if err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "sweep old readings of files", "error", err)
			select {
			case <-time.After(sweepPause):
			case <-ctx.Done():
			}
		}
		if more || err != nil {
			continue
		}
		select {
		case <-l.sweep:
		case <-ctx.Done():
		}
	}
}
