package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"confidant/internal/chat"
)

// span is how long after the request the kill comes at the latest: a little more
// than an undisturbed turn takes.
const span = 900 * time.Millisecond

// Rounds kills the server that often and returns where the kills hit.
func Rounds(ctx context.Context, binary, dir string, rounds int, random *rand.Rand) (Tally, error) {
	tally := Tally{}
	s, err := withModel(ctx, binary, dir)
	if err != nil {
		return tally, err
	}
	defer s.close()
	for i := range rounds {
		r := &round{server: s, token: fmt.Sprintf("round-%d", i)}
		if err := r.play(ctx, time.Duration(random.Int64N(int64(span))), tally); err != nil {
			return tally, fmt.Errorf("round %d: %w\nthe server said:\n%s", i, err, s.output.String())
		}
	}
	return tally, nil
}

// Tally counts the kills by what the client had last seen.
type Tally map[string]int

// String implements fmt.Stringer.
func (t Tally) String() string {
	var b strings.Builder
	total := 0
	for _, phase := range []string{"before the answer to the request", "turn.started", "reasoning", "tool.called", "tool.finished", "text.delta", "the end"} {
		total += t[phase]
		fmt.Fprintf(&b, "%4d killed after %s\n", t[phase], phase)
	}
	fmt.Fprintf(&b, "%4d rounds: every turn ended, no event was missing or repeated, no side effect happened twice, every answer was stored once", total)
	return b.String()
}

// round is one turn that loses its server in the middle.
type round struct {
	*server
	token string
	turn  chat.Turn
	seen  []chat.Event
}

func (r *round) question() string {
	return fmt.Sprintf(`[[reason]] [[tool:probe {"token":%q,"millis":200}]] %s`, r.token, r.token)
}

func (r *round) play(ctx context.Context, delay time.Duration, tally Tally) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	asked := make(chan error, 1)
	go func() { asked <- r.askAndFollow(ctx) }()
	time.Sleep(delay)
	r.kill()
	if err := <-asked; err != nil && !errors.Is(err, errDown) {
		return err
	}
	tally[r.phase()]++

	if err := r.start(); err != nil {
		return err
	}
	// The same request again: the person's app does not know whether it arrived.
	first := r.turn
	if err := r.askAndFollow(ctx); err != nil {
		return fmt.Errorf("after the restart, having seen %d events up to %s: %w", len(r.seen), r.phase(), err)
	}
	if first.ID != "" && first.ID != r.turn.ID {
		return fmt.Errorf("the same request made two turns, %s and %s", first.ID, r.turn.ID)
	}
	return r.check(ctx)
}

// askAndFollow sends the question and follows on after the last event seen.
func (r *round) askAndFollow(ctx context.Context) error {
	var turn chat.Turn
	body := map[string]string{"message": r.question()}
	if err := r.call(ctx, http.MethodPost, "/api/turns", r.token, body, &turn); err != nil {
		return err
	}
	r.turn = turn
	last := int64(0)
	if len(r.seen) > 0 {
		last = r.seen[len(r.seen)-1].Seq
		if _, closed := r.seen[len(r.seen)-1].Body.(chat.TurnClosed); closed {
			return nil
		}
	}
	events, err := r.events(ctx, last)
	r.seen = append(r.seen, events...)
	return err
}

// events follows the turn's log to its end, or to the server's.
func (r *round) events(ctx context.Context, after int64) ([]chat.Event, error) {
	resp, err := r.request(ctx, http.MethodGet, fmt.Sprintf("/api/turns/%s/events?after=%d", r.turn.ID, after), "", nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDown, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("follow: %s", resp.Status)
	}
	var events []chat.Event
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	var data string
	for lines.Scan() {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			data = text
			continue
		}
		if line != "" || data == "" {
			continue
		}
		// An event counts once its blank line has come: what was cut off did not.
		var e chat.Event
		if err := e.UnmarshalJSON([]byte(data)); err != nil {
			return events, fmt.Errorf("%w: %w", errDown, err)
		}
		events, data = append(events, e), ""
		if _, closed := e.Body.(chat.TurnClosed); closed {
			return events, nil
		}
	}
	return events, errDown
}

func (r *round) phase() string {
	if len(r.seen) == 0 {
		return "before the answer to the request"
	}
	switch b := r.seen[len(r.seen)-1].Body.(type) {
	case chat.TurnStarted:
		return "turn.started"
	case chat.ReasoningStarted, chat.ReasoningDelta, chat.ReasoningEnded, chat.StepRetracted:
		return "reasoning"
	case chat.ToolCalled:
		return "tool.called"
	case chat.ToolFinished:
		return "tool.finished"
	case chat.TextDelta:
		return "text.delta"
	case chat.StepFinished:
		if len(b.Calls) > 0 {
			return "tool.called"
		}
	}
	return "the end"
}
