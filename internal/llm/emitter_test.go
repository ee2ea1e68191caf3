package llm

import (
	"reflect"
	"testing"

	"confidant/internal/chat"
)

func TestEmitterKeepsThePromisesOfAStream(t *testing.T) {
	var got []Chunk
	e := NewEmitter(func(c Chunk, err error) bool {
		if err != nil {
			t.Errorf("unexpected error %v", err)
		}
		got = append(got, c)
		return true
	})
	e.EndReasoning()
	e.Reasoning("")
	e.Reasoning("one")
	e.StartReasoning()
	e.Reasoning("two")
	e.Text("")
	e.Text("hello")
	e.Reasoning("three")
	e.Call(chat.Call{ID: "a", Name: "x"})
	if id := e.Call(chat.Call{ID: "a", Name: "y"}); id == "a" {
		t.Error("an id was used twice")
	}
	if id := e.Call(chat.Call{Name: "y"}); id == "" {
		t.Error("a call has no id")
	}
	e.Done(Done{Stop: StopEnd})
	e.Text("too late")
	want := []Chunk{
		ReasoningStarted{}, ReasoningDelta{"one"}, ReasoningEnded{},
		ReasoningStarted{}, ReasoningDelta{"two"}, ReasoningEnded{},
		TextDelta{"hello"},
		ReasoningStarted{}, ReasoningDelta{"three"}, ReasoningEnded{},
		ToolCall{chat.Call{ID: "a", Name: "x"}},
		ToolCall{chat.Call{ID: "call_2_y", Name: "y"}},
		ToolCall{chat.Call{ID: "call_3_y", Name: "y"}},
		Done{Stop: StopTools},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestEmitterIsSilentAfterTheConsumerStopped(t *testing.T) {
	yields := 0
	e := NewEmitter(func(Chunk, error) bool { yields++; return false })
	e.Text("a")
	e.Text("b")
	e.Done(Done{})
	e.Fail(errNoEnd)
	if yields != 1 || !e.Stopped() {
		t.Errorf("yielded %d times, stopped %v", yields, e.Stopped())
	}
}
