// Package intake is the first stage of a turn: it checks what a person sent and
// stores it, with the turn that will answer it, in one transaction.
package intake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// Kind is the kind of job that a turn is.
const Kind = "turn"

// Limits bound what a person may send.
type Limits struct {
	Message int // bytes
	Title   int // characters of the question that become a new chat's title
	History int // messages that come with a request
}

// DefaultLimits are Confidant's own, but for the title, which is encache's.
var DefaultLimits = Limits{Message: 256 << 10, Title: 120, History: 1000}

// Order is what the job of a turn knows: its payload.
type Order struct {
	MessageID    string                `json:"message_id"`
	AnswerID     string                `json:"answer_id"`
	History      []chat.HistoryMessage `json:"history,omitempty"`
	Instructions string                `json:"instructions,omitempty"`
	Zone         string                `json:"zone,omitempty"`
	Persona      string                `json:"persona,omitempty"`
	FileIDs      []string              `json:"file_ids,omitempty"`
}

// Intake admits turns.
type Intake struct {
	Chats    chat.Chats
	Messages chat.Messages
	Turns    chat.Turns
	Personas chat.Personas
	Files    chat.Files
	Limits   Limits
}

// Admit stores the message and queues its turn. See chat.Assistant.Ask. With a
// claim the turn may be running at once; then its job is returned, to be started.
func (in *Intake) Admit(ctx context.Context, ask chat.Ask, claim *chat.Claim) (chat.Turn, *chat.Job, error) {
	if err := in.check(ask); err != nil {
		return chat.Turn{}, nil, err
	}
	turn, job, err := in.begin(ctx, ask, claim)
	if errors.Is(err, chat.ErrConflict) {
		// Somebody else made the chat in the meantime; now it is there.
		turn, job, err = in.begin(ctx, ask, claim)
	}
	return turn, job, err
}

func (in *Intake) check(ask chat.Ask) error {
	if strings.TrimSpace(ask.Text) == "" {
		return chat.Fail(chat.CodeInvalid, "Message is required.")
	}
	if len(ask.Text) > in.Limits.Message {
		return chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The message has %d bytes; the limit is %d (message_bytes).", len(ask.Text), in.Limits.Message))
	}
	if len(ask.History) > in.Limits.History {
		return chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The request has %d messages; the limit is %d (history_messages).", len(ask.History), in.Limits.History))
	}
	texts := []string{ask.Text, ask.Instructions, ask.ChatID, ask.ChatKey, ask.IdempotencyKey, ask.Replaces, ask.Persona}
	for _, m := range ask.History {
		texts = append(texts, m.Content)
	}
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return chat.Fail(chat.CodeInvalid, "The request holds bytes that are not valid UTF-8.")
		}
		if strings.ContainsRune(text, 0) {
			return chat.Fail(chat.CodeInvalid, "The request holds a NUL character.")
		}
	}
	if len(ask.ChatID) > 200 || len(ask.IdempotencyKey) > 200 {
		return chat.Fail(chat.CodeTooLarge, "A chat id or idempotency key has over 200 bytes.")
	}
	if len(ask.FileIDs) > chat.MaxAskedFiles {
		return chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The question is about %d files; the limit is %d (asked_files).", len(ask.FileIDs), chat.MaxAskedFiles))
	}
	if _, err := time.LoadLocation(ask.Zone); err != nil {
		return chat.Fail(chat.CodeInvalid, "The time zone is not an IANA name such as Europe/Berlin.")
	}
	return nil
}

func (in *Intake) begin(ctx context.Context, ask chat.Ask, claim *chat.Claim) (chat.Turn, *chat.Job, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	chatID, fresh, err := in.chat(ctx, ask, now)
	if err != nil {
		return chat.Turn{}, nil, err
	}
	if ask.Replaces != "" {
		m, err := in.Messages.Message(ctx, ask.UserID, ask.Replaces)
		if err != nil {
			return chat.Turn{}, nil, err
		}
		if m.ChatID != chatID || m.Role != chat.RoleUser {
			return chat.Turn{}, nil, chat.Fail(chat.CodeInvalid, "Only a message that you sent in this chat can be replaced.")
		}
	}
	first := chat.TurnStarted{ChatID: chatID}
	if ask.Persona != "" {
		if _, err := in.Personas.Persona(ctx, ask.UserID, ask.Persona); err != nil {
			return chat.Turn{}, nil, err
		}
		first.Route = chat.RoutePersona
	}
	for _, id := range ask.FileIDs {
		if err := in.attach(ctx, ask, id, chatID); err != nil {
			return chat.Turn{}, nil, err
		}
	}
	turn := chat.Turn{
		ID: ident.New(), ChatID: chatID, UserID: ask.UserID, MessageID: ident.New(), AnswerID: ident.New(),
		State: chat.JobQueued, LastSeq: 1, CreatedAt: now,
	}
	first.MessageID, first.AnswerID = turn.MessageID, turn.AnswerID
	payload, err := json.Marshal(Order{
		MessageID: turn.MessageID, AnswerID: turn.AnswerID,
		History: ask.History, Instructions: ask.Instructions, Zone: ask.Zone, Persona: ask.Persona, FileIDs: ask.FileIDs,
	})
	if err != nil {
		return chat.Turn{}, nil, err
	}
	message := chat.Message{
		ID: turn.MessageID, ChatID: chatID, TurnID: turn.ID, Role: chat.RoleUser,
		Content: ask.Text, FileIDs: ask.FileIDs, Ready: true, State: chat.MessageOK, CreatedAt: now,
	}
	answer := chat.Message{
		ID: turn.AnswerID, ChatID: chatID, TurnID: turn.ID, Role: chat.RoleAssistant,
		State: chat.MessageOK, CreatedAt: now,
	}
	job := chat.Job{ID: turn.ID, Kind: Kind, Lane: chatID, UserID: ask.UserID, Payload: payload, CreatedAt: now}
	stored, created, err := in.Turns.Begin(ctx, chat.NewTurn{
		Job: job, Claim: claim, Title: title(ask.Text, in.Limits.Title),
		Turn: turn, Chat: fresh, Message: message, Answer: answer, Replaces: ask.Replaces, IdempotencyKey: ask.IdempotencyKey,
		First: chat.Event{Seq: 1, TurnID: turn.ID, At: now, Body: first},
	})
	if err != nil || !created || stored.State != chat.JobRunning {
		return stored, nil, err
	}
	job.State, job.Fence, job.LastSeq = chat.JobRunning, 1, 1
	stored.State = chat.JobQueued // what a client is told does not depend on luck
	return stored, &job, nil
}

// attach checks a file of the question and, when the ask wants it, makes it the chat's.
func (in *Intake) attach(ctx context.Context, ask chat.Ask, fileID, chatID string) error {
	for {
		f, err := in.Files.File(ctx, ask.UserID, fileID)
		if err != nil || !ask.AttachFiles || f.ChatID != chat.PendingChat {
			return err
		}
		f.ChatID = chatID
		// Its reading saves it, too.
		if _, err = in.Files.SaveFile(ctx, f); !errors.Is(err, chat.ErrConflict) {
			return err
		}
	}
}

// chat finds the chat that the ask goes to, or makes up a new one.
func (in *Intake) chat(ctx context.Context, ask chat.Ask, now time.Time) (string, *chat.Chat, error) {
	var err error
	var found chat.Chat
	switch {
	case ask.ChatID != "":
		found, err = in.Chats.Chat(ctx, ask.UserID, ask.ChatID)
		if !ask.CreateChat || !errors.Is(err, chat.ErrNotFound) {
			return found.ID, nil, err
		}
	case ask.ChatKey != "":
		found, err = in.Chats.ChatByKey(ctx, ask.UserID, ask.ChatKey)
		if !errors.Is(err, chat.ErrNotFound) {
			return found.ID, nil, err
		}
	}
	id := ask.ChatID
	if id == "" {
		id = ident.New()
	}
	return id, &chat.Chat{
		ID: id, UserID: ask.UserID, Key: ask.ChatKey, Title: title(ask.Text, in.Limits.Title),
		Unlisted: ask.Unlisted, CreatedAt: now, LastActivity: now,
	}, nil
}

// title is the question's first line, cut to a number of characters.
func title(text string, limit int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if runes := []rune(line); len(runes) > limit {
		line = string(runes[:limit-1]) + "…"
	}
	return line
}
