package dialect

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"confidant/internal/chat"
)

// o3 is the format of seeds/o3-chat-architecture.txt; the shapes and the second
// path are those of facts/o3chat.md sections 1 and 2. Beyond them the client
// learns the id of a new chat, from message-start and from a header: there it
// never did, so no chat could go on.
func o3() Dialect {
	return Dialect{
		Name:  "o3",
		Error: o3Error,
		Endpoints: []Endpoint{
			{"POST /api/chat/stream", o3Ask},
			{"POST /chat/stream-text", o3Ask},
		},
	}
}

// o3Error renders the bodies of facts/o3chat.md section 1. A foreign chat is 403,
// because the seed's clients tell it from one that is gone.
func o3Error(e *chat.Error) (int, any) {
	status, text := Status(e.Code), e.Detail
	switch {
	case e == ErrNoToken:
		text = "Missing authorization header"
	case e.Code == chat.CodeUnauthenticated:
		text = "Invalid or expired token"
	case e.Code == chat.CodeNotFound:
		text = "Chat not found"
	case e.Code == chat.CodeForbidden:
		status, text = http.StatusForbidden, "Access denied"
	}
	return status, map[string]string{"error": text}
}

func o3Ask(ctx context.Context, b Backend, r Request) (Reply, error) {
	ask, err := o3Body(r.Body)
	if err != nil {
		return Reply{}, err
	}
	ask.UserID, ask.IdempotencyKey = r.User.ID, r.Header("Idempotency-Key")
	turn, err := b.Ask(ctx, ask)
	if err != nil {
		return Reply{}, err
	}
	return Reply{
		Header: map[string]string{"X-Chat-Id": turn.ChatID},
		Stream: &Stream{Turn: turn, ContentType: "text/event-stream", Encoder: &o3Encoder{turn: turn}},
	}, nil
}

// o3Body reads {message, chatId?}. A userId is ignored: the token says who asks.
func o3Body(data []byte) (chat.Ask, error) {
	var body struct {
		Message string `json:"message"`
		ChatID  string `json:"chatId"`
	}
	if err := readJSON(data, &body); err != nil {
		return chat.Ask{}, err
	}
	text := strings.TrimSpace(body.Message)
	if text == "" {
		return chat.Ask{}, chat.Fail(chat.CodeInvalid, "Message is required")
	}
	return chat.Ask{Text: text, ChatID: body.ChatID}, nil
}

// o3Encoder writes the event union of facts/o3chat.md section 2.
type o3Encoder struct {
	turn      chat.Turn
	spoken    spoken
	reasoning bool     // a part is open
	calls     []o3Call // announced, and not yet sent
	waiting   int      // calls of the step that are still to be announced
}

type o3Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Encode implements Encoder.
func (o *o3Encoder) Encode(e chat.Event) ([]byte, bool) {
	var out []byte
	if text := o.spoken.hear(e.Body); text != "" {
		out = o3Event(map[string]any{"type": "content", "content": text})
	}
	switch b := e.Body.(type) {
	case chat.TurnStarted:
		return o3Event(map[string]any{"type": "message-start", "id": b.AnswerID, "chatId": b.ChatID}), false
	case chat.ReasoningStarted:
		o.reasoning = true
		return o3Event(map[string]any{"type": "reasoning-started"}), false
	case chat.ReasoningDelta:
		return o3Event(map[string]any{"type": "reasoning-delta", "delta": b.Delta}), false
	case chat.ReasoningEnded:
		return o.endReasoning(), false
	case chat.StepRetracted:
		return o.endReasoning(), false
	case chat.StepFinished:
		o.waiting = len(b.Calls)
	case chat.ToolCalled:
		return o.announce(b), false
	case chat.ToolFinished:
		return o3Event(map[string]any{"type": "function_call_result", "id": b.CallID, "result": o3Result(b)}), false
	case chat.TurnFinished:
		return o.end(), true
	case chat.TurnCancelled:
		return o.end(), true
	case chat.TurnFailed:
		return o3Failure(b.Message), true
	}
	return out, false
}

// Fail implements Encoder.
func (o *o3Encoder) Fail(err *chat.Error) []byte { return o3Failure(err.Detail) }

// announce collects the calls of a step, which clients expect in one event.
func (o *o3Encoder) announce(b chat.ToolCalled) []byte {
	call := o3Call{b.CallID, b.Name, b.Arguments}
	if len(call.Arguments) == 0 || string(call.Arguments) == "null" {
		call.Arguments = json.RawMessage("{}") // clients read properties of it
	}
	o.calls = append(o.calls, call)
	if o.waiting--; o.waiting > 0 {
		return nil
	}
	out := o3Event(map[string]any{"type": "function_calls_to_execute", "functionCallsToExecute": o.calls})
	o.calls = nil
	return out
}

// endReasoning closes the open part, also when its step is void.
func (o *o3Encoder) endReasoning() []byte {
	if !o.reasoning {
		return nil
	}
	o.reasoning = false
	return o3Event(map[string]any{"type": "reasoning-end"})
}

func (o *o3Encoder) end() []byte {
	return append(o.endReasoning(), o3Event(map[string]any{"type": "message-end", "id": o.turn.AnswerID})...)
}

func o3Result(b chat.ToolFinished) any {
	switch {
	case b.Error != "":
		return map[string]string{"error": b.Error}
	case len(b.Result) == 0:
		return nil
	}
	return b.Result
}

func o3Failure(details string) []byte {
	return o3Event(map[string]any{"type": "error", "error": "Failed to generate response", "details": details})
}

// o3Event frames an event. encoding/json escapes line breaks, so nothing within
// can end the frame.
func o3Event(event map[string]any) []byte {
	return append(append([]byte("data: "), mustJSON(event)...), "\n\n"...)
}
