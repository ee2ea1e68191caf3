package dialect

import (
	"context"
	"errors"
	"slices"
	"time"

	"confidant/internal/chat"
)

// OmiFile is FileChat, a file as the Omi family shows it (facts/omi.md section 3).
type OmiFile struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Thumbnail string    `json:"thumbnail"` // its address, empty for what is no picture
	MIMEType  string    `json:"mime_type"`
	OpenAI    string    `json:"openai_file_id"` // nobody else has it: the same id
	CreatedAt time.Time `json:"created_at"`
}

// Thumbnailed are the types of files that have a thumbnail.
var Thumbnailed = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"}

// OmiFileOf shows a file to a client that names the server by its origin.
func OmiFileOf(f chat.File, origin string) OmiFile {
	o := OmiFile{ID: f.ID, Name: f.Name, MIMEType: f.Type, OpenAI: f.ID, CreatedAt: f.CreatedAt.UTC()}
	if slices.Contains(Thumbnailed, f.Type) {
		o.Thumbnail = origin + "/v2/files/" + f.ID + "/thumbnail"
	}
	return o
}

// omiShowFiles adds to messages the files that they were about, as far as they are
// still there.
func omiShowFiles(ctx context.Context, b Backend, r Request, messages ...*omiMessage) error {
	known := map[string]*OmiFile{} // nil: it is gone
	for _, m := range messages {
		for _, id := range m.FilesID {
			shown, looked := known[id]
			if !looked {
				f, err := b.Sent.File(ctx, r.User.ID, id)
				if err != nil && !errors.Is(err, chat.ErrNotFound) {
					return err
				}
				if err == nil {
					o := OmiFileOf(f, r.Origin())
					shown = &o
				}
				known[id] = shown
			}
			if shown != nil {
				m.Files = append(m.Files, *shown)
			}
		}
	}
	return nil
}
