package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/memory/process"
)

// Import stores what a file holds as one or more conversations, each in one
// transaction. created is false when the person had all of it already: the same
// content is the same, whatever its name. It fails with CodeUnsupported for a
// binary file or an unknown kind, CodeInvalid for a file that is not what its
// name says.
func (m *Memory) Import(ctx context.Context, userID string, f chat.Import) (stored []chat.Conversation, created bool, err error) {
	drafts, err := Read(f, m.zone())
	if err != nil {
		return nil, false, err
	}
	fingerprint := sha256.Sum256(f.Content)
	for i, d := range drafts {
		c := chat.Conversation{
			ID: ident.New(), UserID: userID, Title: d.Title, Named: d.Named, Status: chat.StatusProcessing, Source: d.Source, StartedAt: d.StartedAt, FinishedAt: d.FinishedAt,
			CreatedAt: time.Now().UTC(), Speakers: d.Speakers,
			Fingerprint: fmt.Sprintf("%s#%d", hex.EncodeToString(fingerprint[:]), i),
		}
		kept, fresh, err := m.PutConversation(ctx, c, d.Segments, process.Job(userID, c.ID, false))
		if err != nil {
			return nil, false, fmt.Errorf("store conversation %d of a file: %w", i+1, err)
		}
		stored = append(stored, kept)
		created = created || fresh
	}
	if created {
		m.Wake()
	}
	return stored, created, nil
}
