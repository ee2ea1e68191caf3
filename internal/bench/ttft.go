package main

import (
	"context"
	"sync"
	"time"
)

// measureFirstToken asks 16 questions in the same instant, the model directly
// and through the server in turns, and compares the times to the first token.
func measureFirstToken(ctx context.Context, b *bench) ([]figure, error) {
	const atOnce, rounds, warmup = 16, 60, 10
	p, err := b.newPair(ctx, "ttft")
	if err != nil {
		return nil, err
	}
	defer p.close()
	var first, apart [2][]time.Duration
	sides := [2][]*connection{}
	for side, a := range []asker{p.direct(), p.through()} {
		for range atOnce {
			c, err := a.connect(ctx)
			if err != nil {
				return nil, err
			}
			sides[side] = append(sides[side], c)
		}
	}
	for round := range rounds + warmup {
		for side, connections := range sides {
			together, err := firstTokens(connections, 0)
			if err != nil {
				return nil, err
			}
			// The same with the starts spread over the time that an answer takes.
			spread, err := firstTokens(connections, 5*time.Millisecond)
			if err != nil {
				return nil, err
			}
			if round >= warmup {
				first[side] = append(first[side], together...)
				apart[side] = append(apart[side], spread...)
			}
		}
	}
	added := func(name string, both [2][]time.Duration, q, target float64) figure {
		direct, through := ms(quantile(both[0], q)), ms(quantile(both[1], q))
		return figure{Name: name, Value: through - direct, Baseline: direct, BaselineName: "the model itself", Unit: "ms", Target: target}
	}
	return []figure{
		added("first token: added, 16 turns running, median", apart, 0.5, 2),
		added("first token: added, 16 turns running, p95", apart, 0.95, 0),
		added("first token: added, 16 asked in one instant, median", first, 0.5, 0),
	}, nil
}

// firstTokens asks on all connections, each so much later than the one before.
func firstTokens(connections []*connection, apart time.Duration) ([]time.Duration, error) {
	first := make([]time.Duration, len(connections))
	errs := make(chan error, len(connections))
	var all sync.WaitGroup
	for i, c := range connections {
		all.Go(func() {
			time.Sleep(time.Duration(i) * apart)
			got, err := c.ask(5, 20*time.Millisecond)
			first[i] = got.first
			errs <- err
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return first, nil
}
