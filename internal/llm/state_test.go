package llm

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestState(t *testing.T) {
	s := State{Model: "a:b"}
	s.Add(json.RawMessage(`1`))
	s.LedTo("")
	s.Add(json.RawMessage(`2`))
	s.Add(json.RawMessage(`3`))
	s.LedTo("call_x")
	s.LedTo("call_y")
	s.Add(json.RawMessage(`4`))
	decoded := DecodeState(s.Encode(), "a:b")
	for call, want := range map[string][]json.RawMessage{
		"": {json.RawMessage(`1`)}, "call_x": {json.RawMessage(`2`), json.RawMessage(`3`)}, "call_y": nil,
	} {
		if got := decoded.Of(call); !reflect.DeepEqual(got, want) {
			t.Errorf("what led to %q is %s, want %s", call, got, want)
		}
	}
	if len(decoded.Items) != 3 {
		t.Errorf("%d items came back, want 3: one led to nothing", len(decoded.Items))
	}
	if other := DecodeState(s.Encode(), "a:c"); len(other.Items) != 0 {
		t.Errorf("another model took in %v", other.Items)
	}
	var empty State
	if got := empty.Encode(); got != nil {
		t.Errorf("an empty state is %s", got)
	}
}

func FuzzDecodeState(f *testing.F) {
	f.Add([]byte(`{"model":"m","items":[{"call":"c","item":{"a":1}},{"item":null}]}`))
	f.Add([]byte(`{"model":"m"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := DecodeState(raw, "m")
		if again := DecodeState(s.Encode(), "m"); len(again.Items) != len(s.Items) {
			t.Errorf("%d items became %d", len(s.Items), len(again.Items))
		}
	})
}
