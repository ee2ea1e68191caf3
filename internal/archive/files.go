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

// Bytes opens the content of files; see library.Library.
type Bytes interface {
	Content(ctx context.Context, f chat.File) (io.ReadSeekCloser, error)
}

// Shelf takes files back; see library.Library.
type Shelf interface {
	// Restore stores a file under its id and queues its reading. It reports false when
	// the person has that content.
	Restore(ctx context.Context, userID string, f chat.ArchivedFile, content io.Reader) (bool, error)
}

// bytesFolder is where the contents of files are in an archive, by their hash.
const bytesFolder = "files/"

// eachFile calls do for every file, the newest first.
func (w *writer) eachFile(ctx context.Context, do func(chat.File) error) error {
	before := ""
	for {
		page, _, err := w.store.Files(ctx, w.userID, chat.FileQuery{Before: before, Limit: pageSize})
		if err != nil {
			return err
		}
		for _, f := range page {
			if err := do(f); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
		before = page[len(page)-1].ID
	}
}

func (w *writer) files(ctx context.Context, e *json.Encoder) error {
	return w.eachFile(ctx, func(f chat.File) error {
		return e.Encode(chat.ArchivedFile{
			ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, Hash: f.Hash, ChatID: f.ChatID, Modified: f.Modified, Created: f.CreatedAt,
		})
	})
}

// contents writes the bytes of the files. One that was deleted meanwhile is left out.
func (w *writer) contents(ctx context.Context) error {
	return w.eachFile(ctx, func(f chat.File) (err error) {
		content, err := w.bytes.Content(ctx, f)
		if errors.Is(err, chat.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, content.Close()) }()
		to, err := w.zip.CreateHeader(&zip.FileHeader{Name: bytesFolder + f.Hash, Method: zip.Deflate})
		if err != nil {
			return err
		}
		_, err = io.Copy(to, content)
		return err
	})
}

// file takes a file back, if its bytes are in the archive.
func (r *reader) file(f chat.ArchivedFile) error {
	content, err := r.zip.Open(bytesFolder + f.Hash)
	if err != nil {
		return chat.Fail(chat.CodeInvalid, "The archive has no bytes of a file that it names.").With(err)
	}
	defer content.Close()
	// A byte more than it should have is enough to see that it is another.
	fresh, err := r.shelf.Restore(r.ctx, r.userID, f, io.LimitReader(content, f.Size+1))
	if err != nil {
		return fmt.Errorf("take a file back: %w", err)
	}
	if fresh {
		r.restored.Files++
	}
	return nil
}
