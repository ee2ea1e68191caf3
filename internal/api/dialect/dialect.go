// Package dialect has the wire formats, one file each. A dialect reads requests
// that somebody else received and encodes events that somebody else will send:
// there is no socket, no clock and no store here, only the domain's interfaces.
//
// To add one, write its file and add its line to All.
package dialect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// Dialect is one family's wire format.
type Dialect struct {
	Name      string
	Endpoints []Endpoint
	// Public ones are answered to anybody; their requests have no user.
	Public  []Endpoint
	Sockets []Socket
	// Error renders a failure that comes before any stream: the HTTP status and
	// a value for its JSON body.
	Error func(*chat.Error) (status int, body any)
}

// Endpoint answers one HTTP request.
type Endpoint struct {
	// Pattern is http.ServeMux's, "POST /api/turns".
	Pattern string
	Serve   func(context.Context, Backend, Request) (Reply, error)
}

// Backend is what a dialect may ask for.
type Backend struct {
	chat.Assistant
	chat.Chats
	chat.Messages
	chat.Personas
	chat.Marks
	Keeper
	Sharer
	// Sent are the files of chats.
	Sent Sent
}

// Sent has the files that were sent to chats, and asked about there.
type Sent interface {
	File(ctx context.Context, userID, id string) (chat.File, error)
	// OfChat lists the files that were sent to a chat.
	OfChat(ctx context.Context, userID, chatID string) ([]chat.File, error)
	// Delete removes a file for good.
	Delete(ctx context.Context, userID, id string) error
}

// Keeper does with chats what is no turn; see thread.Keeper.
type Keeper interface {
	NewChat(ctx context.Context, c chat.Chat) (chat.Chat, error)
	// Note stores a message at the end of a chat, named by its id or by its key.
	Note(ctx context.Context, userID, key string, m chat.Message) (chat.Message, error)
	// Greet stores the words that open the chat of a key.
	Greet(ctx context.Context, userID, key, persona string) (chat.Message, error)
	// Clear hides the messages of a chat, Restore shows them again. Both return how
	// many they are.
	Clear(ctx context.Context, userID, chatID, by string) (int, error)
	Restore(ctx context.Context, userID, chatID string) (int, error)
}

// Sharer lets others read messages; see thread.Keeper.
type Sharer interface {
	Share(ctx context.Context, userID string, messageIDs []string) (token string, err error)
	ReadShare(ctx context.Context, token string) (name string, messages []chat.Message, err error)
}

// Request is an HTTP request, its sender known and its body read.
type Request struct {
	User chat.User
	Body []byte
	// Value returns a wildcard of the pattern, Header a header.
	Value  func(name string) string
	Header func(name string) string
	Query  url.Values
	// Origin returns the server as the client names it, such as "https://example.org".
	Origin func() string
}

// Reply is one JSON body, or a stream.
type Reply struct {
	Status int // 0 means 200
	Body   any // nil means no body
	Header map[string]string
	Stream *Stream
}

// Stream follows a turn through an encoder.
type Stream struct {
	Turn        chat.Turn
	After       int64
	ContentType string
	Encoder     Encoder
	// Ping is sent when there was nothing else to send for Every.
	Ping  []byte
	Every time.Duration
}

// Encoder turns the events of one turn into bytes, in their order. It may
// remember what it has seen.
type Encoder interface {
	// Encode returns the bytes of an event, none when the dialect has no word for
	// it. done says that nothing more is to be sent.
	Encode(e chat.Event) (frame []byte, done bool)
	// Fail returns the bytes that end a stream which cannot go on, because the
	// server stops for example. No stream ends without a terminal frame.
	Fail(err *chat.Error) []byte
}

// Socket answers one WebSocket.
type Socket struct {
	Pattern string // "/chats/{chat_id}"
	// Refused renders why a connection is closed with 1008 before it is opened.
	Refused func(*chat.Error) string
	Open    func(Request) Session
}

// Session is one open WebSocket. Its turns are answered in the order in which
// their prompts came. Its methods may be called by two goroutines at a time.
type Session interface {
	// Read understands one frame from the client, which is valid UTF-8.
	Read(frame []byte) (Command, error)
	// Encoder encodes the turn that answers an Ask. Each result of Encode and Fail
	// is a sequence of frames, one a line. An Ask that was refused is answered in
	// its turn by Fail of an encoder for the zero Turn.
	Encoder(chat.Turn) Encoder
	// Fail renders an error that belongs to no prompt. The socket stays open.
	Fail(*chat.Error) []byte
}

// ErrNoToken tells a missing token from a wrong one, as two seeds do.
var ErrNoToken = chat.Fail(chat.CodeUnauthenticated, "No token was sent. Put it into the header Authorization: Bearer TOKEN.")

// Command is what a client wants: an Ask, or, when Cancel is set, that the oldest
// prompt of this socket whose answer has not ended stops.
type Command struct {
	Ask    chat.Ask
	Cancel bool
}

// All lists the dialects.
func All() []Dialect {
	return []Dialect{
		native(),
		o3(),
		omi(),
		openai(),
		odai(),
		encache(),
	}
}

// readJSON decodes a request's body. Unknown fields are ignored, as every JSON
// API does that lives for long. Bytes that are not UTF-8 are refused, because the
// decoder would silently replace them.
func readJSON(body []byte, into any) error {
	if !utf8.Valid(body) {
		return chat.Fail(chat.CodeInvalid, "The body holds bytes that are not valid UTF-8.")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return chat.Fail(chat.CodeInvalid, "The body is not the JSON that this endpoint takes.").With(err)
	}
	return nil
}

// mustJSON encodes a value that is made of strings, numbers and valid JSON only.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return data
}
