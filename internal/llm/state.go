package llm

import "encoding/json"

// State is what most providers put into Done.State: the reasoning that they
// want back with the next call, in their own words, and which part of the answer
// each item led to, because it must stand before that part.
type State struct {
	// Model is who made it. The reasoning of another model is of no use.
	Model string      `json:"model"`
	Items []StateItem `json:"items"`
	open  int         // how many items at the end still wait for what they led to
}

// StateItem is one piece of reasoning as the provider sent it.
type StateItem struct {
	// Call is the id of the call that it led to, "" for the text.
	Call string          `json:"call,omitempty"`
	Item json.RawMessage `json:"item"`
}

// Add takes in a piece of reasoning, which must be JSON.
func (s *State) Add(item json.RawMessage) {
	s.Items = append(s.Items, StateItem{Item: item})
	s.open++
}

// LedTo says what the items added since the last time led to: a call, or the
// text for "".
func (s *State) LedTo(call string) {
	for i := len(s.Items) - s.open; i < len(s.Items); i++ {
		s.Items[i].Call = call
	}
	s.open = 0
}

// Encode returns the state for Done, nil when there is none. Reasoning that led
// to nothing is dropped: providers refuse it.
func (s *State) Encode() json.RawMessage {
	items := s.Items[:len(s.Items)-s.open]
	if len(items) == 0 {
		return nil
	}
	encoded, err := json.Marshal(State{Model: s.Model, Items: items})
	if err != nil {
		return nil // only an item that is not JSON cannot be encoded, and it could not be sent back either
	}
	return encoded
}

// DecodeState reads a message's state. It is empty when another model made it,
// and when it is unreadable: an answer without old reasoning beats no answer.
func DecodeState(raw json.RawMessage, model string) State {
	var s State
	if json.Unmarshal(raw, &s) != nil || s.Model != model {
		return State{}
	}
	return s
}

// Of returns the items that led to a call, or to the text for "".
func (s State) Of(call string) []json.RawMessage {
	var items []json.RawMessage
	for _, it := range s.Items {
		if it.Call == call {
			items = append(items, it.Item)
		}
	}
	return items
}
