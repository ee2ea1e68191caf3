package dialect

import (
	"encoding/json"
	"strings"

	"confidant/internal/chat"
)

// odai is the WebSocket chat of seeds/odai-websocket.txt: one JSON object a
// frame. Where it says less than a client needs, facts/odai.md does.
func odai() Dialect {
	return Dialect{
		Name: "odai",
		// No endpoint but the socket: what fails before it opens closes it.
		Error: Problem,
		Sockets: []Socket{{
			Pattern: "/chats/{chat_id}",
			Refused: odaiRefused,
			Open: func(r Request) Session {
				return odaiSession{userID: r.User.ID, chatID: r.Value("chat_id")}
			},
		}},
	}
}

// odaiRefused is the reason of the close with 1008; the first is ODAI's own text.
func odaiRefused(err *chat.Error) string {
	if err == ErrNoToken {
		return "No token provided"
	}
	return err.Detail
}

type odaiSession struct{ userID, chatID string }

// Read implements Session. The seed documents a JSON object with message, its
// code takes the frame itself as the prompt: both work. thread_id was for
// analytics only. ODAI had no word for cancelling; ours is {"type":"cancel"}.
func (s odaiSession) Read(frame []byte) (Command, error) {
	var in struct {
		Type    string  `json:"type"`
		Message *string `json:"message"`
	}
	text := string(frame)
	if json.Unmarshal(frame, &in) == nil {
		switch {
		case in.Message != nil:
			text = *in.Message
		case in.Type == "cancel":
			return Command{Cancel: true}, nil
		}
	}
	// The chat is made by its first prompt, not by the connection as in the seed:
	// a socket that says nothing leaves nothing behind.
	return Command{Ask: chat.Ask{UserID: s.userID, ChatID: s.chatID, CreateChat: true, Text: text}}, nil
}

// Encoder implements Session.
func (odaiSession) Encoder(chat.Turn) Encoder {
	return &odaiEncoder{agent: odaiAgent, names: map[string]string{}}
}

// Fail implements Session.
func (odaiSession) Fail(err *chat.Error) []byte {
	return odaiFrame(odaiError{"error", err.Code, err.Detail, odaiAgent})
}

// odaiAgent speaks until the log names another.
const odaiAgent = "Confidant"

// odaiEncoder follows one turn.
type odaiEncoder struct {
	agent string // current_agent
	root  string // the agent that took the prompt
	spoke []odaiPart
	names map[string]string // the tools of calls, by call id
	ended bool              // end_of_stream was sent
}

type odaiPart struct {
	seq  int64
	text string
}

// The frames, their fields in the seed's order.
type (
	odaiDelta struct {
		Type  string `json:"type"`
		Delta string `json:"delta"`
		Agent string `json:"current_agent"`
	}
	odaiToolCall struct {
		Type        string `json:"type"`
		Name        string `json:"name"`
		Description string `json:"description"`
		Agent       string `json:"current_agent"`
	}
	odaiToolOutput struct {
		Type   string           `json:"type"`
		Output odaiToolResponse `json:"output"`
		Agent  string           `json:"current_agent"`
	}
	odaiToolResponse struct {
		Kind     string `json:"response_type"`
		Agent    string `json:"agent_name"`
		Friendly string `json:"friendly_name"`
		Display  bool   `json:"display_response"`
		Response any    `json:"response"`
	}
	odaiHandoff struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Agent string `json:"current_agent"`
	}
	odaiAgentUpdated struct {
		Type  string `json:"type"`
		New   string `json:"new_agent"`
		Agent string `json:"current_agent"`
		Name  string `json:"name"`
	}
	odaiResponse struct {
		Type     string `json:"type"`
		Agent    string `json:"current_agent"`
		Response string `json:"response"`
	}
	odaiPrompts struct {
		Type    string   `json:"type"`
		Prompts []string `json:"prompts"`
	}
	// odaiError is not the seed's, which dropped the socket instead.
	odaiError struct {
		Type    string    `json:"type"`
		Code    chat.Code `json:"code"`
		Message string    `json:"message"`
		Agent   string    `json:"current_agent"`
	}
)

const odaiEnd = `{"type":"end_of_stream"}` + "\n"

func odaiFrame(v any) []byte { return append(mustJSON(v), '\n') }

// Encode implements Encoder.
func (o *odaiEncoder) Encode(e chat.Event) ([]byte, bool) {
	o.listen(e)
	switch b := e.Body.(type) {
	case chat.TextDelta:
		o.spoke = append(o.spoke, odaiPart{e.Seq, b.Delta})
		return odaiFrame(odaiDelta{"raw_response_event", b.Delta, o.agent}), false
	case chat.StepRetracted:
		// A delta that was sent cannot be unsaid. The client shows it until
		// llm_response replaces it with the text that counts.
		for len(o.spoke) > 0 && o.spoke[len(o.spoke)-1].seq >= b.FromSeq {
			o.spoke = o.spoke[:len(o.spoke)-1]
		}
	case chat.AgentChanged:
		return o.handOff(b), false
	case chat.ToolCalled:
		o.names[b.CallID] = b.Name
		if b.Label != nil { // without a label: a silent tool
			return o.doing(b.Name, *b.Label), false
		}
	case chat.ApprovalAsked:
		// The seed's tools never ask. Its client can at least tell why it waits.
		return o.doing(o.names[b.CallID], "Waiting for your approval: "+b.Why), false
	case chat.ToolFinished:
		if b.Display {
			return o.output(b), false
		}
	case chat.TextFinished:
		// With the citations checked. Their spans were shown by tool_output; the
		// format has no other place for them.
		return odaiFrame(odaiResponse{"llm_response", o.agent, b.Text}), false
	case chat.TurnFinished:
		return o.end(nil), false
	case chat.TurnFailed:
		return o.end(odaiFrame(odaiError{"error", b.Code, b.Message, o.agent})), false
	case chat.TurnCancelled:
		// Who stops an answer has read its beginning and keeps it: the client gets
		// as the full text what it has shown, less what was retracted.
		var text strings.Builder
		for _, p := range o.spoke {
			text.WriteString(p.text)
		}
		if text.Len() == 0 {
			return o.end(nil), false
		}
		return o.end(odaiFrame(odaiResponse{"llm_response", o.agent, text.String()})), false
	case chat.Suggestions:
		// None are sent as an empty list, so that those of the last answer go.
		return odaiFrame(odaiPrompts{"suggested_prompts", append([]string{}, b.FollowUps...)}), false
	case chat.TurnClosed:
		return nil, true
	}
	return nil, false
}

// Fail implements Encoder. Once the answer has ended, nothing that fails later
// concerns the client.
func (o *odaiEncoder) Fail(err *chat.Error) []byte {
	if o.ended {
		return nil
	}
	return o.end(odaiFrame(odaiError{"error", err.Code, err.Detail, o.agent}))
}

// listen notes who speaks. Events that the engine itself adds around an answer
// carry the assistant's name whoever spoke, so they do not count.
func (o *odaiEncoder) listen(e chat.Event) {
	switch e.Body.(type) {
	case chat.TextFinished, chat.AgentChanged, chat.Suggestions:
		return
	}
	if e.Agent == "" || chat.Terminal(e.Body) {
		return
	}
	o.agent = e.Agent
	if o.root == "" {
		o.root = e.Agent
	}
}

// handOff tells of a new agent: first the hand-off by the old one, then, unless
// control goes back to the agent that took the prompt, the update
// (facts/odai.md section 3). The agents' SDK names the hand-off's tool.
func (o *odaiEncoder) handOff(b chat.AgentChanged) []byte {
	if o.root == "" {
		o.root = b.Previous
	}
	frames := odaiFrame(odaiHandoff{"handoff", "transfer_to_" + odaiSnake(b.Name), o.agent})
	o.agent = b.Name
	if b.Name == o.root {
		return frames
	}
	return append(frames, odaiFrame(odaiAgentUpdated{"agent_updated", b.Name, b.Name, b.Name})...)
}

// odaiSnake is a name as a function's: lower case, all but ASCII letters and
// digits as underscores.
func odaiSnake(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, name)
}

// doing is a line about what the assistant does now.
func (o *odaiEncoder) doing(tool, label string) []byte {
	return odaiFrame(odaiToolCall{"tool_call", tool, strings.TrimRight(label, ".…") + "...", o.agent})
}

// output is a result in ODAI's ToolResponse (facts/odai.md section 7), whose
// response_type tells clients how to draw it: the tool's name, or "error".
func (o *odaiEncoder) output(b chat.ToolFinished) []byte {
	response := odaiToolResponse{Kind: b.Name, Agent: o.agent, Friendly: o.agent, Display: true, Response: b.Result}
	if b.Error != "" {
		response.Kind, response.Response = "error", b.Error
	}
	return odaiFrame(odaiToolOutput{"tool_output", response, o.agent})
}

// end puts end_of_stream behind the last frames of an answer.
func (o *odaiEncoder) end(last []byte) []byte {
	o.ended = true
	return append(last, odaiEnd...)
}
