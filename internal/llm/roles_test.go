package llm

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"confidant/internal/chat"
)

// play is what a fake model does on one call: chunks, then an error or Done.
type play struct {
	chunks []Chunk
	err    error
}

// fake is a model that plays one play after the other, the last again and again.
type fake struct {
	name  string
	plays []play
	calls int
}

func (f *fake) Name() string { return f.name }

func (f *fake) Stream(ctx context.Context, _ Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		p := f.plays[min(f.calls, len(f.plays)-1)]
		f.calls++
		for _, c := range p.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if p.err != nil {
			yield(nil, p.err)
			return
		}
		yield(Done{Stop: StopEnd, Usage: chat.Usage{Input: 3, Output: 1, Total: 4}}, nil)
	}
}

// says returns a model that answers with its name.
func says(name string) *fake {
	return &fake{name: name, plays: []play{{chunks: []Chunk{TextDelta{name}}}}}
}

// fails returns a model that fails every time before its first chunk.
func fails(name string, e Error) *fake { return &fake{name: name, plays: []play{{err: &e}}} }

// ask collects the text of an answer, who gave it, and its error.
func ask(ctx context.Context, m Model) (text, model string, err error) {
	var b strings.Builder
	for c, err := range m.Stream(ctx, Request{}) {
		if err != nil {
			return b.String(), "", err
		}
		switch c := c.(type) {
		case TextDelta:
			b.WriteString(c.Text)
		case Done:
			model = c.Model
		}
	}
	return b.String(), model, nil
}

// roles returns a router whose agent role has the given models, and the list
// that its reports end up in.
func roles(models ...Model) (*Roles, *[]string) {
	var outcomes []string
	return NewRoles(RolesConfig{
		Models:  map[ModelRole][]Model{Agent: models},
		Observe: func(r CallReport) { outcomes = append(outcomes, r.Model+" "+r.Outcome()) },
	}), &outcomes
}

func TestRolesTryTheNextModel(t *testing.T) {
	for _, kind := range []Kind{RateLimited, Overloaded, Unauthorized, Stalled, Cut, Malformed} {
		r, outcomes := roles(fails("a", Error{Kind: kind}), says("b"))
		text, model, err := ask(t.Context(), r.For(Persona))
		if err != nil || text != "b" || model != "b" {
			t.Errorf("%s: got %q by %q, %v", kind, text, model, err)
		}
		if want := []string{"a " + string(kind), "b ok"}; !reflect.DeepEqual(*outcomes, want) {
			t.Errorf("%s: observed %q, want %q", kind, *outcomes, want)
		}
	}
}

func TestRolesPassOnWhatNoOtherModelWouldMend(t *testing.T) {
	for _, kind := range []Kind{Rejected, TooLong} {
		b := says("b")
		r, _ := roles(fails("a", Error{Kind: kind}), b)
		_, _, err := ask(t.Context(), r.For(Agent))
		wantKind(t, err, kind)
		if b.calls != 0 {
			t.Errorf("%s: the next model was asked", kind)
		}
	}
}

func TestRolesPassOnAnErrorAfterTheFirstChunk(t *testing.T) {
	a := &fake{name: "a", plays: []play{{chunks: []Chunk{TextDelta{"half"}}, err: &Error{Kind: Cut}}}}
	b := says("b")
	r, outcomes := roles(a, b)
	text, _, err := ask(t.Context(), r.For(Agent))
	wantKind(t, err, Cut)
	if text != "half" || b.calls != 0 || !reflect.DeepEqual(*outcomes, []string{"a cut"}) {
		t.Errorf("got %q, %d calls of the next model, observed %q", text, b.calls, *outcomes)
	}
}

func TestRolesWaitAsLongAsTheProviderAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &fake{name: "a", plays: []play{{err: &Error{Kind: RateLimited, RetryAfter: 7 * time.Second}}, {}}}
		r, _ := roles(a, fails("b", Error{Kind: Unauthorized}))
		start := time.Now()
		if _, model, err := ask(t.Context(), r.For(Agent)); err != nil || model != "a" {
			t.Errorf("got an answer by %q, %v", model, err)
		}
		if waited := time.Since(start); waited != 7*time.Second {
			t.Errorf("waited %v, want 7s", waited)
		}
	})
}

func TestRolesGiveUp(t *testing.T) {
	for _, tt := range []struct {
		name      string
		err       Error
		wantCalls int
		atMost    time.Duration
	}{
		{"after the rounds", Error{Kind: Overloaded}, DefaultRounds, 2 * time.Second},
		{"when asked to wait too long", Error{Kind: RateLimited, RetryAfter: time.Hour}, 1, 0},
		{"when no key fits", Error{Kind: Unauthorized}, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			a, start := fails("a", tt.err), time.Now()
			r, _ := roles(a)
			_, _, err := ask(t.Context(), r.For(Agent))
			wantKind(t, err, tt.err.Kind)
			if a.calls != tt.wantCalls || time.Since(start) > tt.atMost {
				t.Errorf("%s: %d calls in %v", tt.name, a.calls, time.Since(start))
			}
		})
	}
}

func TestRolesStopWaitingWhenTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, _ := roles(fails("a", Error{Kind: RateLimited, RetryAfter: 10 * time.Second}))
		if _, _, err := ask(ctx, r.For(Agent)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
}

func TestRolesReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reports []CallReport
		r := NewRoles(RolesConfig{
			Models:  map[ModelRole][]Model{Fast: {slow{says("a")}}},
			Observe: func(r CallReport) { reports = append(reports, r) },
		})
		start := time.Now()
		if _, _, err := ask(t.Context(), r.For(Fast)); err != nil {
			t.Fatal(err)
		}
		for range r.For(Fast).Stream(t.Context(), Request{}) {
			break
		}
		want := CallReport{
			Role: Fast, Model: "a", Start: start, FirstChunk: time.Second, Duration: 2 * time.Second,
			Usage: chat.Usage{Input: 3, Output: 1, Total: 4},
		}
		if len(reports) != 2 || !reflect.DeepEqual(reports[0], want) {
			t.Fatalf("reported %+v, want first %+v", reports, want)
		}
		if got := reports[1].Outcome(); got != "cancelled" {
			t.Errorf("an abandoned answer is reported as %q", got)
		}
	})
}

// slow takes a second for each chunk.
type slow struct{ Model }

func (s slow) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for c, err := range s.Model.Stream(ctx, req) {
			time.Sleep(time.Second)
			if !yield(c, err) {
				return
			}
		}
	}
}

func TestRolesWithoutModels(t *testing.T) {
	m := NewRoles(RolesConfig{}).For(Fast)
	_, _, err := ask(t.Context(), m)
	wantKind(t, err, Rejected)
	if m.Name() != "none:fast" {
		t.Errorf("its name is %q", m.Name())
	}
}
