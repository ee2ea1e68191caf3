package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // decoded here, as those below
	"image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"slices"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"confidant/internal/api/dialect"
	"confidant/internal/chat"
)

// sentFiles are the files of chats, as dialects see them.
type sentFiles struct{ files Files }

var _ dialect.Sent = sentFiles{}

// File implements dialect.Sent.
func (s sentFiles) File(ctx context.Context, userID, id string) (chat.File, error) {
	return s.files.Records.File(ctx, userID, id)
}

// OfChat implements dialect.Sent.
func (s sentFiles) OfChat(ctx context.Context, userID, chatID string) ([]chat.File, error) {
	var all []chat.File
	for q := (chat.FileQuery{ChatID: chatID, Limit: mostFiles}); ; q.Before = all[len(all)-1].ID {
		page, _, err := s.files.Records.Files(ctx, userID, q)
		if err != nil {
			return nil, fmt.Errorf("list the files of a chat: %w", err)
		}
		if all = append(all, page...); len(page) < q.Limit {
			return all, nil
		}
	}
}

// Delete implements dialect.Sent.
func (s sentFiles) Delete(ctx context.Context, userID, id string) error {
	return s.files.Library.Delete(ctx, userID, id)
}

// omiFileRoutes are Omi's endpoints of files, which take bodies that no dialect reads.
func (s *Server) omiFileRoutes() map[string]http.Handler {
	pictures := &thumbnailer{files: s.files, turns: make(chan struct{}, 2)}
	all := map[string]http.Handler{}
	for _, v := range []string{"/v1", "/v2"} {
		all["POST "+v+"/files"] = s.omi(s.omiAddFiles)
		all["GET "+v+"/files/{id}/thumbnail"] = s.omi(pictures.serve)
	}
	return all
}

// omi serves a person, and renders errors as the Omi family does.
func (s *Server) omi(serve func(w http.ResponseWriter, r *http.Request, user chat.User) error) http.Handler {
	dialects := dialect.All()
	family := dialects[slices.IndexFunc(dialects, func(d dialect.Dialect) bool { return d.Name == "omi" })]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := s.user(r)
		if err == nil {
			err = serve(w, r, user)
		}
		if err != nil {
			fail(w, r, family, err)
		}
	})
}

// omiAddFiles takes in the files of a form for the chat in which they will be asked
// about. The answer has no place for a file that is refused, so with one of them
// none is kept.
func (s *Server) omiAddFiles(w http.ResponseWriter, r *http.Request, user chat.User) error {
	list, fresh := []dialect.OmiFile{}, []string{}
	var refused error
	err := s.receiveForm(w, r, user, chat.PendingChat, func(_ string, f chat.File, created bool, err error) {
		if err != nil {
			refused = errors.Join(refused, err)
			return
		}
		list = append(list, dialect.OmiFileOf(f, origin(r)))
		if created {
			fresh = append(fresh, f.ID)
		}
	})
	if err == nil {
		err = refused
	}
	if err == nil && len(list) == 0 {
		err = chat.Fail(chat.CodeInvalid, "The form has no file.")
	}
	if err == nil {
		writeJSON(w, http.StatusOK, list)
		return nil
	}
	ctx := context.WithoutCancel(r.Context()) // the client may be the one who broke off
	for _, id := range fresh {
		if gone := s.files.Library.Delete(ctx, user.ID, id); gone != nil && !errors.Is(gone, chat.ErrNotFound) {
			return errors.Join(err, gone)
		}
	}
	return err
}

const (
	// thumbnailSide is how many pixels a thumbnail is wide and high (facts/omi.md
	// section 3).
	thumbnailSide = 128
	// thumbnailPixels is how many pixels a picture may have to get one; decoded, each
	// takes 4 bytes.
	thumbnailPixels = 50_000_000
)

// errNoThumbnail is the error of what is no picture, or a damaged one.
var errNoThumbnail = chat.Fail(chat.CodeNotFound, "This file has no thumbnail.")

// thumbnailer makes small pictures of large ones, a few at a time: each takes the
// memory of the large one.
type thumbnailer struct {
	files Files
	turns chan struct{}
}

func (t *thumbnailer) serve(w http.ResponseWriter, r *http.Request, user chat.User) error {
	f, err := t.files.Records.File(r.Context(), user.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !slices.Contains(dialect.Thumbnailed, f.Type) {
		return errNoThumbnail
	}
	select {
	case t.turns <- struct{}{}:
		defer func() { <-t.turns }()
	case <-r.Context().Done():
		return r.Context().Err()
	}
	content, err := t.files.Library.Content(r.Context(), f)
	if err != nil {
		return err
	}
	defer content.Close()
	small, err := thumbnail(content)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(small) // the client is gone: nobody is left to tell
	return nil
}

// thumbnail returns the middle of a picture as a small square, a JPEG on white.
func thumbnail(content io.ReadSeeker) ([]byte, error) {
	c, _, err := image.DecodeConfig(content)
	if err != nil || c.Width <= 0 || c.Height <= 0 || c.Width > thumbnailPixels/c.Height {
		return nil, errNoThumbnail.With(err)
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read a picture again: %w", err)
	}
	large, _, err := image.Decode(content)
	if err != nil {
		return nil, errNoThumbnail.With(err)
	}
	b := large.Bounds()
	side := min(b.Dx(), b.Dy())
	from := image.Pt(b.Min.X+(b.Dx()-side)/2, b.Min.Y+(b.Dy()-side)/2)
	small := image.NewRGBA(image.Rect(0, 0, thumbnailSide, thumbnailSide))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(small, small.Bounds(), large, image.Rectangle{Min: from, Max: from.Add(image.Pt(side, side))}, draw.Over, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: 85}); err != nil {
		return nil, fmt.Errorf("encode a thumbnail: %w", err)
	}
	return out.Bytes(), nil
}
