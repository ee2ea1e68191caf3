package dialect

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"confidant/internal/chat"
)

// native is Confidant's own format: the log as it is, over server-sent events.
// The id of an event is its sequence number, so Last-Event-ID resumes exactly.
func native() Dialect {
	return Dialect{
		Name:  "native",
		Error: Problem,
		Endpoints: []Endpoint{
			{"POST /api/turns", nativeAsk},
			{"GET /api/turns/{id}", nativeTurn},
			{"GET /api/turns/{id}/events", nativeEvents},
			{"POST /api/turns/{id}/cancel", nativeCancel},
			{"POST /api/turns/{id}/approvals/{call_id}", nativeApprove},
		},
	}
}

// Problem renders an error as RFC 9457 problem details with a stable code.
func Problem(e *chat.Error) (int, any) {
	status := Status(e.Code)
	return status, map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "code": e.Code, "detail": e.Detail,
	}
}

// Status is the HTTP status of a code. A foreign record answers like none.
func Status(code chat.Code) int {
	switch code {
	case chat.CodeInvalid:
		return http.StatusBadRequest
	case chat.CodeUnauthenticated:
		return http.StatusUnauthorized
	case chat.CodeForbidden, chat.CodeNotFound:
		return http.StatusNotFound
	case chat.CodeConflict:
		return http.StatusConflict
	case chat.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case chat.CodeUnsupported:
		return http.StatusUnsupportedMediaType
	case chat.CodeRateLimited:
		return http.StatusTooManyRequests
	case chat.CodeStorageFull:
		return http.StatusInsufficientStorage
	case chat.CodeUnavailable:
		return http.StatusServiceUnavailable
	case chat.CodeModel:
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}

func nativeAsk(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Message  string   `json:"message"`
		ChatID   string   `json:"chat_id"`
		Replaces string   `json:"replaces"`
		Persona  string   `json:"persona_id"`
		Zone     string   `json:"zone"`
		FileIDs  []string `json:"file_ids"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	turn, err := b.Ask(ctx, chat.Ask{
		UserID: r.User.ID, Text: body.Message, ChatID: body.ChatID, Replaces: body.Replaces, Persona: body.Persona, Zone: body.Zone, FileIDs: body.FileIDs,
		IdempotencyKey: r.Header("Idempotency-Key"),
	})
	if err != nil {
		return Reply{}, err
	}
	if strings.Contains(r.Header("Accept"), "text/event-stream") {
		return Reply{Stream: new(NativeStream(turn, 0)), Header: map[string]string{"X-Turn-Id": turn.ID, "X-Chat-Id": turn.ChatID}}, nil
	}
	return Reply{Status: http.StatusAccepted, Body: turn}, nil
}

func nativeTurn(ctx context.Context, b Backend, r Request) (Reply, error) {
	turn, err := b.Turn(ctx, r.User.ID, r.Value("id"))
	return Reply{Body: turn}, err
}

func nativeEvents(ctx context.Context, b Backend, r Request) (Reply, error) {
	after, err := After(r.Query, r.Header)
	if err != nil {
		return Reply{}, err
	}
	turn, err := b.Turn(ctx, r.User.ID, r.Value("id"))
	if err != nil {
		return Reply{}, err
	}
	return Reply{Stream: new(NativeStream(turn, after))}, nil
}

// After is the sequence number that a client has seen: after in the query, or the
// Last-Event-ID of a stream that goes on.
func After(query url.Values, header func(string) string) (int64, error) {
	after := int64(0)
	for _, text := range []string{query.Get("after"), header("Last-Event-ID")} {
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return 0, chat.Fail(chat.CodeInvalid, "The sequence number to go on after is not a number from 0 up.")
		}
		after = max(after, n)
	}
	return after, nil
}

func nativeCancel(ctx context.Context, b Backend, r Request) (Reply, error) {
	return Reply{Status: http.StatusAccepted}, b.Cancel(ctx, r.User.ID, r.Value("id"), r.User.Name)
}

func nativeApprove(ctx context.Context, b Backend, r Request) (Reply, error) {
	var body struct {
		Approve *bool `json:"approve"`
	}
	if err := readJSON(r.Body, &body); err != nil {
		return Reply{}, err
	}
	if body.Approve == nil {
		return Reply{}, chat.Fail(chat.CodeInvalid, "The body needs approve: true or false.")
	}
	return Reply{Status: http.StatusAccepted}, b.Approve(ctx, r.User.ID, r.Value("id"), r.Value("call_id"), *body.Approve)
}

// NativeStream sends the log of a turn, or of another job, as server-sent events.
func NativeStream(turn chat.Turn, after int64) Stream {
	return Stream{
		Turn: turn, After: after, ContentType: "text/event-stream", Encoder: nativeEncoder{},
		Ping: []byte(": ping\n\n"), Every: 15 * time.Second,
	}
}

type nativeEncoder struct{}

// Encode implements Encoder.
func (nativeEncoder) Encode(e chat.Event) ([]byte, bool) {
	const usual = 256 // bytes of a frame
	frame := append(make([]byte, 0, usual), "id: "...)
	frame = strconv.AppendInt(frame, e.Seq, 10)
	frame = append(frame, "\nevent: "...)
	frame = append(frame, e.Body.Type()...)
	frame = append(frame, "\ndata: "...)
	frame, err := e.AppendJSON(frame)
	if err != nil {
		panic(err) // it was encoded before, when it was committed
	}
	_, closed := e.Body.(chat.TurnClosed)
	return append(frame, "\n\n"...), closed
}

// Fail implements Encoder. It has no id: the turn's log has no such event, and a
// client that comes back goes on after the last one that it saw.
func (nativeEncoder) Fail(err *chat.Error) []byte {
	_, body := Problem(err)
	return append(append([]byte("event: error\ndata: "), mustJSON(body)...), "\n\n"...)
}
