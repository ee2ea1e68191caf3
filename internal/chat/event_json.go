package chat

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// Type implements Body, with the name of the event on the wire; so do all below.
func (TurnStarted) Type() string      { return "turn.started" }
func (RouteChosen) Type() string      { return "route.chosen" }
func (Status) Type() string           { return "status" }
func (AgentChanged) Type() string     { return "agent.changed" }
func (ReasoningStarted) Type() string { return "reasoning.started" }
func (ReasoningDelta) Type() string   { return "reasoning.delta" }
func (ReasoningEnded) Type() string   { return "reasoning.ended" }
func (TextDelta) Type() string        { return "text.delta" }
func (StepFinished) Type() string     { return "step.finished" }
func (ToolCalled) Type() string       { return "tool.called" }
func (ToolFinished) Type() string     { return "tool.finished" }
func (ApprovalAsked) Type() string    { return "approval.asked" }
func (ApprovalGiven) Type() string    { return "approval.given" }
func (StepRetracted) Type() string    { return "step.retracted" }
func (TextFinished) Type() string     { return "text.finished" }
func (TurnFinished) Type() string     { return "turn.finished" }
func (TurnFailed) Type() string       { return "turn.failed" }
func (TurnCancelled) Type() string    { return "turn.cancelled" }
func (Metadata) Type() string         { return "metadata" }
func (Suggestions) Type() string      { return "suggestions" }
func (Queued) Type() string           { return "queued" }
func (Progress) Type() string         { return "progress" }
func (TurnClosed) Type() string       { return "turn.closed" }

func (TurnStarted) body()      {}
func (RouteChosen) body()      {}
func (Status) body()           {}
func (AgentChanged) body()     {}
func (ReasoningStarted) body() {}
func (ReasoningDelta) body()   {}
func (ReasoningEnded) body()   {}
func (TextDelta) body()        {}
func (StepFinished) body()     {}
func (ToolCalled) body()       {}
func (ToolFinished) body()     {}
func (ApprovalAsked) body()    {}
func (ApprovalGiven) body()    {}
func (StepRetracted) body()    {}
func (TextFinished) body()     {}
func (TurnFinished) body()     {}
func (TurnFailed) body()       {}
func (TurnCancelled) body()    {}
func (Metadata) body()         {}
func (Suggestions) body()      {}
func (Queued) body()           {}
func (Progress) body()         {}
func (TurnClosed) body()       {}

// decoders is the one list of event types: an event that is not here cannot be read back.
var decoders = map[string]func([]byte) (Body, error){
	TurnStarted{}.Type():      decode[TurnStarted],
	RouteChosen{}.Type():      decode[RouteChosen],
	Status{}.Type():           decode[Status],
	AgentChanged{}.Type():     decode[AgentChanged],
	ReasoningStarted{}.Type(): decode[ReasoningStarted],
	ReasoningDelta{}.Type():   decode[ReasoningDelta],
	ReasoningEnded{}.Type():   decode[ReasoningEnded],
	TextDelta{}.Type():        decode[TextDelta],
	StepFinished{}.Type():     decode[StepFinished],
	ToolCalled{}.Type():       decode[ToolCalled],
	ToolFinished{}.Type():     decode[ToolFinished],
	ApprovalAsked{}.Type():    decode[ApprovalAsked],
	ApprovalGiven{}.Type():    decode[ApprovalGiven],
	StepRetracted{}.Type():    decode[StepRetracted],
	TextFinished{}.Type():     decode[TextFinished],
	TurnFinished{}.Type():     decode[TurnFinished],
	TurnFailed{}.Type():       decode[TurnFailed],
	TurnCancelled{}.Type():    decode[TurnCancelled],
	Metadata{}.Type():         decode[Metadata],
	Suggestions{}.Type():      decode[Suggestions],
	Queued{}.Type():           decode[Queued],
	Progress{}.Type():         decode[Progress],
	TurnClosed{}.Type():       decode[TurnClosed],
}

func decode[B Body](data []byte) (Body, error) {
	var b B
	err := json.Unmarshal(data, &b)
	return b, err
}

// header is the part that all events share.
type header struct {
	Seq    int64     `json:"seq"`
	TurnID string    `json:"turn_id"`
	At     time.Time `json:"at"`
	Agent  string    `json:"agent"`
	Type   string    `json:"type"`
}

// AppendJSON appends the event as one JSON object without line breaks: the
// header's fields, then the body's.
func (e Event) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, e.Seq, 10)
	dst = append(dst, `,"turn_id":"`...)
	dst = append(dst, e.TurnID...) // a ULID: nothing to escape
	dst = append(dst, `","at":"`...)
	dst = e.At.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","agent":`...)
	dst = appendString(dst, e.Agent)
	dst = append(dst, `,"type":"`...)
	dst = append(dst, e.Body.Type()...)
	dst = append(dst, '"')
	switch b := e.Body.(type) { // nine events of ten, without reflection
	case TextDelta:
		return append(appendString(append(dst, `,"delta":`...), b.Delta), '}'), nil
	case ReasoningDelta:
		return append(appendString(append(dst, `,"delta":`...), b.Delta), '}'), nil
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return dst, fmt.Errorf("encode %s: %w", e.Body.Type(), err)
	}
	if len(body) > len("{}") {
		dst = append(dst, ',')
		dst = append(dst, body[1:]...)
		return dst, nil
	}
	return append(dst, '}'), nil
}

// appendString appends a JSON string exactly as json.Marshal writes it.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic(err) // a string always encodes
			}
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// MarshalJSON implements json.Marshaler.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// UnmarshalJSON implements json.Unmarshaler. It fails on an unknown type.
func (e *Event) UnmarshalJSON(data []byte) error {
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("event header: %w", err)
	}
	decode, ok := decoders[h.Type]
	if !ok {
		return fmt.Errorf("event %d of turn %s has the unknown type %q", h.Seq, h.TurnID, h.Type)
	}
	body, err := decode(data)
	if err != nil {
		return fmt.Errorf("event %d of turn %s: %w", h.Seq, h.TurnID, err)
	}
	*e = Event{Seq: h.Seq, TurnID: h.TurnID, At: h.At, Agent: h.Agent, Body: body}
	return nil
}
