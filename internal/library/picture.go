package library

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confidant/internal/chat"
	"confidant/internal/library/extract"
)

// Mark is a rectangle on the picture of a page, in shares of its width and height
// from the top left.
type Mark = extract.Mark

// Content opens the bytes of a file.
func (l *Library) Content(ctx context.Context, f chat.File) (io.ReadSeekCloser, error) {
	return l.bytes.Open(ctx, f.UserID, f.Hash)
}

// Picture returns a page as it looks, as a PNG so many pixels wide. ErrNotFound for
// a file whose format has no look of its own.
func (l *Library) Picture(ctx context.Context, f chat.File, page, width int) (picture []byte, err error) {
	err = l.look(ctx, f, func(format extract.Picturer, s extract.Source) error {
		picture, err = format.Picture(ctx, s, page, width)
		return err
	})
	return picture, err
}

// Marks returns where a passage stands on the picture of a page, nothing when it is
// not found there.
func (l *Library) Marks(ctx context.Context, f chat.File, page int, passage string) (marks []Mark, err error) {
	err = l.look(ctx, f, func(format extract.Picturer, s extract.Source) error {
		marks, err = format.Marks(ctx, s, page, passage)
		return err
	})
	if errors.Is(err, chat.ErrNotFound) {
		return []Mark{}, nil
	}
	return append([]Mark{}, marks...), err
}

func (l *Library) look(ctx context.Context, f chat.File, do func(extract.Picturer, extract.Source) error) (err error) {
	format, ok := l.formats[f.Type].(extract.Picturer)
	if !ok {
		return chat.ErrNotFound
	}
	path, done, err := l.bytes.Local(ctx, f.UserID, f.Hash)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := do(format, extract.Source{Path: path, Size: f.Size, Name: f.Name, Type: f.Type}); err != nil {
		return fmt.Errorf("show a page: %w", err)
	}
	return nil
}
