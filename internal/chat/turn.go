package chat

import (
	"context"
	"iter"
	"time"
)

// Turn is one user message and everything that happens until its answer is
// stored. Its id is the id of its job, and its events are the job's log.
type Turn struct {
	ID        string    `json:"turn_id"`
	ChatID    string    `json:"chat_id"`
	UserID    string    `json:"-"`
	MessageID string    `json:"message_id"`
	AnswerID  string    `json:"answer_id"`
	State     JobState  `json:"state"`
	LastSeq   int64     `json:"last_seq"`
	CreatedAt time.Time `json:"created_at"`
}

// Ask is a person's wish for a turn, as any dialect expresses it.
type Ask struct {
	UserID string
	// ChatID continues a chat; empty starts one, or continues the one that Key names.
	ChatID string
	// CreateChat makes the chat when no chat of that id exists, for clients that
	// choose the id themselves.
	CreateChat bool
	// ChatKey names a chat of which the person has one, such as "omi:app-7".
	ChatKey string
	// Unlisted keeps a new chat out of lists.
	Unlisted bool
	Text     string
	// Persona is the id of the persona that is to answer, empty for none.
	Persona string
	// FileIDs are the files that the question is about; MaxAskedFiles at most.
	FileIDs []string
	// AttachFiles makes those whose chat is pending belong to this one.
	AttachFiles bool
	// Replaces is the id of an earlier user message of the chat: it and all that
	// followed are superseded by this turn.
	Replaces string
	// IdempotencyKey, or the client's own message id: an Ask of the same person
	// with the same key gets the first one's turn.
	IdempotencyKey string
	// History stands for the chat's stored messages when it is not nil.
	History []HistoryMessage
	// Instructions are added to the system prompt, as the client's own.
	Instructions string
	// Zone is the person's IANA time zone; empty means the configured one.
	Zone string
}

// MaxAskedFiles is how many files one question may be about (facts/omi.md section 3).
const MaxAskedFiles = 9

// HistoryMessage is an earlier message that came with the request.
type HistoryMessage struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Assistant is what a dialect may ask of the engine. Every method answers
// ErrNotFound for a turn of another person.
type Assistant interface {
	// Ask stores the message and queues its turn, in one transaction. It fails with
	// CodeInvalid, CodeTooLarge, ErrNotFound or ErrForbidden (the chat's), or
	// ErrStorageFull, and then nothing is stored.
	Ask(ctx context.Context, ask Ask) (Turn, error)
	Turn(ctx context.Context, userID, turnID string) (Turn, error)
	// Follow yields the turn's events after seq, without gaps and as many as there
	// are at a time, until TurnClosed or an error, such as ErrUnavailable when the server stops; then the caller may
	// follow again. A slow caller slows nobody: it catches up from the log.
	Follow(ctx context.Context, userID, turnID string, after int64) iter.Seq2[[]Event, error]
	// Cancel asks the turn to stop; it is a no-op on one that has ended.
	Cancel(ctx context.Context, userID, turnID, by string) error
	// Approve answers the approval.asked of a call.
	Approve(ctx context.Context, userID, turnID, callID string, approve bool) error
}
