package llm

import (
	"reflect"
	"strings"
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
	again := e.Call(chat.Call{ID: "a", Name: "y"})
	nameless := e.Call(chat.Call{Name: "y"})
	if !strings.HasPrefix(again, MadeUpID) || !strings.HasPrefix(nameless, MadeUpID) || again == nameless {
		t.Errorf("the ids %q and %q were made up", again, nameless)
	}
	e.Done(Done{Stop: StopEnd})
	e.Text("too late")
	want := []Chunk{
		ReasoningStarted{}, ReasoningDelta{"one"}, ReasoningEnded{},
		ReasoningStarted{}, ReasoningDelta{"two"}, ReasoningEnded{},
		TextDelta{"hello"},
		ReasoningStarted{}, ReasoningDelta{"three"}, ReasoningEnded{},
		ToolCall{chat.Call{ID: "a", Name: "x"}},
		ToolCall{chat.Call{ID: again, Name: "y"}},
		ToolCall{chat.Call{ID: nameless, Name: "y"}},
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
