package openai

import "encoding/json"

// state is Done.State of the Responses API: the encrypted reasoning, which must
// stand before the item that it led to.
type state struct {
	// Model is who made it. Reasoning of another model cannot be decrypted.
	Model string      `json:"model"`
	Items []reasoning `json:"items"`
	open  int         // how many items at the end still wait for what they led to
}

// reasoning is one reasoning item as the provider sent it.
type reasoning struct {
	// Call is the id of the call that it led to, "" for the text.
	Call string          `json:"call,omitempty"`
	Item json.RawMessage `json:"item"`
}

// add takes in a reasoning item.
func (s *state) add(raw string) {
	s.Items = append(s.Items, reasoning{Item: json.RawMessage(raw)})
	s.open++
}

// before says what the items added since the last time led to.
func (s *state) before(call string) {
	for i := len(s.Items) - s.open; i < len(s.Items); i++ {
		s.Items[i].Call = call
	}
	s.open = 0
}

// encode returns the state for Done. Reasoning that led to nothing is dropped:
// the provider refuses it.
func (s *state) encode() json.RawMessage {
	s.Items = s.Items[:len(s.Items)-s.open]
	if len(s.Items) == 0 {
		return nil
	}
	encoded, err := json.Marshal(s)
	if err != nil {
		return nil // an item that is not JSON was never sent by the provider
	}
	return encoded
}

// decodeState reads a state, which is empty when another model made it.
func decodeState(raw json.RawMessage, model string) state {
	var s state
	if json.Unmarshal(raw, &s) != nil || s.Model != model {
		return state{}
	}
	return s
}

// of returns the items that led to a call, or to the text for "".
func (s state) of(call string) []json.RawMessage {
	var items []json.RawMessage
	for _, r := range s.Items {
		if r.Call == call {
			items = append(items, r.Item)
		}
	}
	return items
}
