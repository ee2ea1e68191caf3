package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// omiList returns the newest messages, newest first.
func omiList(ctx context.Context, b Backend, r Request) (Reply, error) {
	room, err := omiRoomOf(ctx, b, r)
	if err != nil {
		return Reply{}, err
	}
	list := []*omiMessage{}
	id, err := room.find(ctx, b, r.User)
	if err == nil {
		var page []chat.Message
		page, _, err = b.Messages.Messages(ctx, r.User.ID, id, chat.Page{Limit: omiPage})
		for _, m := range page {
			if m.Ready {
				stored := omiStored(m, room.app)
				list = append(list, &stored)
			}
		}
		if err == nil {
			err = omiShowFiles(ctx, b, r, list...)
		}
	}
	if err != nil && !errors.Is(err, chat.ErrNotFound) {
		return Reply{}, err
	}
	if len(list) == 0 {
		greeting := omiGreeting(r.User, room.app)
		list = append(list, &greeting)
	}
	return Reply{Body: list}, nil
}

// omiGreeting is what an empty chat shows. It is not stored, since looking changes
// nothing; it is as old as the account, so it comes before all that will be said.
func omiGreeting(user chat.User, app string) omiMessage {
	return omiStored(chat.Message{
		ID: "greeting", Role: chat.RoleAssistant, CreatedAt: user.CreatedAt,
		Content: "Hello! Ask me about what you recorded and wrote down. I show where I found it.",
	}, app)
}

// omiClear clears one chat and nothing else; that other files and chats went with
// it was a bug (facts/omi.md section 3). What was said can be restored for a time:
// that clearing was for ever is what people complained of (section 11, #1737).
func omiClear(ctx context.Context, b Backend, r Request) (Reply, error) {
	room, err := omiRoomOf(ctx, b, r)
	if err != nil {
		return Reply{}, err
	}
	if _, err := omiHide(ctx, b, r, room); err != nil {
		return Reply{}, err
	}
	return Reply{Body: omiGreeting(r.User, room.app)}, nil
}

// omiHide clears a room, if there is anything in it.
func omiHide(ctx context.Context, b Backend, r Request, room omiRoom) (int, error) {
	id, err := room.find(ctx, b, r.User)
	if errors.Is(err, chat.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return b.Clear(ctx, r.User.ID, id, r.User.Name)
}

// omiGreet opens the chat with an app, in words that are stored.
func omiGreet(ctx context.Context, b Backend, r Request) (Reply, error) {
	app, err := omiApp(r)
	if err != nil {
		return Reply{}, err
	}
	persona, err := omiPersona(ctx, b, r.User, app)
	if err != nil {
		return Reply{}, err
	}
	m, err := b.Greet(ctx, r.User.ID, omiRoom{app: app}.key(), persona)
	return Reply{Body: omiStored(m, app)}, err
}

// omiReasonRunes bounds the reason of a report.
const omiReasonRunes = 1000

func omiReport(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Reason string `json:"reason"`
	}
	if len(r.Body) > 0 { // the original sends none
		if err := readJSON(r.Body, &body); err != nil {
			return Reply{}, err
		}
	}
	if utf8.RuneCountInString(body.Reason) > omiReasonRunes || strings.ContainsRune(body.Reason, 0) {
		return Reply{}, chat.Fail(chat.CodeInvalid, "The reason may have 1000 characters (reason_characters), and no NUL.")
	}
	err := b.ReportMessage(ctx, r.User.ID, r.Value("id"), body.Reason)
	if errors.Is(err, chat.ErrConflict) {
		err = chat.Fail(chat.CodeInvalid, "This message was reported already.")
	}
	return Reply{Body: map[string]string{"message": "Message reported"}}, err
}

func omiRate(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Rating *int `json:"rating"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	rating := 0
	if body.Rating != nil {
		if rating = *body.Rating; rating != 1 && rating != -1 {
			return Reply{}, chat.Fail(chat.CodeInvalid, "rating must be 1, -1 or null.")
		}
	}
	return Reply{Body: map[string]string{"status": "ok"}}, b.RateMessage(ctx, r.User.ID, r.Value("id"), rating)
}

func omiShare(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		MessageIDs []string `json:"message_ids"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	token, err := b.Share(ctx, r.User.ID, body.MessageIDs)
	return Reply{Body: map[string]string{"url": r.Origin() + "/v2/messages/shared/" + token, "token": token}}, err
}

// omiShared is public: whoever has the token may read.
func omiShared(ctx context.Context, b Backend, r Request) (Reply, error) {
	name, messages, err := b.ReadShare(ctx, r.Value("token"))
	if err != nil {
		return Reply{}, err
	}
	type shared struct {
		ID        string    `json:"id"`
		Text      string    `json:"text"`
		Sender    string    `json:"sender"`
		CreatedAt time.Time `json:"created_at"`
	}
	list := make([]shared, len(messages))
	for i, m := range messages {
		s := omiStored(m, "")
		list[i] = shared{s.ID, s.Text, s.Sender, s.CreatedAt}
	}
	return Reply{Body: map[string]any{"sender_name": name, "messages": list, "count": len(list)}}, nil
}

// The limits of notes, which clients store without asking anything
// (facts/omi.md section 3).
const (
	omiNoteRunes     = 100_000
	omiNotesDefault  = 100
	omiNotesMost     = 1000
	omiMetadataBytes = 64 << 10
)

func omiNote(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Text     string          `json:"text"`
		Sender   string          `json:"sender"`
		AppID    string          `json:"app_id"`
		Session  string          `json:"session_id"`
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	if n := utf8.RuneCountInString(body.Text); n == 0 || n > omiNoteRunes || strings.ContainsRune(body.Text, 0) {
		return Reply{}, chat.Fail(chat.CodeInvalid, "text must have 1 to 100000 characters (text_characters), and no NUL.")
	}
	if len(body.Metadata) > omiMetadataBytes {
		return Reply{}, chat.Fail(chat.CodeTooLarge, "metadata is over the limit of 65536 bytes (metadata_bytes).")
	}
	role, ok := map[string]chat.Role{"human": chat.RoleUser, "ai": chat.RoleAssistant}[body.Sender]
	if !ok {
		return Reply{}, chat.Fail(chat.CodeInvalid, "sender must be human or ai.")
	}
	r.Query = url.Values{"app_id": {body.AppID}, "session_id": {body.Session}}
	room, err := omiRoomOf(ctx, b, r)
	if err != nil {
		return Reply{}, err
	}
	m := chat.Message{ChatID: room.session, Role: role, Content: body.Text}
	if string(body.Metadata) != "null" {
		m.Metadata = string(body.Metadata)
	}
	m, err = b.Note(ctx, r.User.ID, room.key(), m)
	return Reply{Body: map[string]any{"id": m.ID, "session_id": m.ChatID, "created_at": m.CreatedAt}}, err
}

// omiNotes lists messages, newest first, with what clients keep beside them.
func omiNotes(ctx context.Context, b Backend, r Request) (Reply, error) {
	room, err := omiRoomOf(ctx, b, r)
	if err != nil {
		return Reply{}, err
	}
	limit, offset, err := omiPaged(r, omiNotesDefault, omiNotesMost)
	if err != nil {
		return Reply{}, err
	}
	type note struct {
		omiMessage
		Session  string          `json:"session_id"`
		Metadata json.RawMessage `json:"metadata"`
	}
	list := []note{}
	id, err := room.find(ctx, b, r.User)
	if errors.Is(err, chat.ErrNotFound) {
		return Reply{Body: list}, nil
	}
	if err != nil {
		return Reply{}, err
	}
	page, _, err := b.Messages.Messages(ctx, r.User.ID, id, chat.Page{Limit: offset + limit})
	for _, m := range page[min(offset, len(page)):] {
		if m.Ready {
			n := note{omiMessage: omiStored(m, room.app), Session: id, Metadata: json.RawMessage(m.Metadata)}
			if m.Metadata == "" {
				n.Metadata = json.RawMessage("null")
			}
			if err := omiShowFiles(ctx, b, r, &n.omiMessage); err != nil {
				return Reply{}, err
			}
			list = append(list, n)
		}
	}
	return Reply{Body: list}, err
}

func omiClearNotes(ctx context.Context, b Backend, r Request) (Reply, error) {
	room, err := omiRoomOf(ctx, b, r)
	if err != nil {
		return Reply{}, err
	}
	n, err := omiHide(ctx, b, r, room)
	return Reply{Body: map[string]any{"status": "ok", "deleted_count": n}}, err
}

// omiFlag reads a boolean of the query, and whether it is there.
func omiFlag(r Request, name string) (set, value bool) {
	text := strings.ToLower(r.Query.Get(name))
	return text != "", slices.Contains([]string{"true", "1", "yes"}, text)
}
