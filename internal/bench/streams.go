package main

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"
)

const (
	streamCount = 2000
	streamEvery = 50 * time.Millisecond
	// streamRamp is the time over which the turns start; all of them stream for
	// streamTime then.
	streamRamp = 4 * time.Second
	streamTime = 10 * time.Second
)

// measureStreams follows 2,000 turns at once and looks at how late each delta is.
func measureStreams(ctx context.Context, b *bench) ([]figure, error) {
	if err := raiseFileLimit(2*streamCount + 1000); err != nil {
		return nil, err
	}
	p, err := b.newPair(ctx, "streams")
	if err != nil {
		return nil, err
	}
	defer p.close()
	if _, err := stream(ctx, p.through(), 20, 20); err != nil { // warm
		return nil, err
	}
	deltas := int((streamRamp + streamTime) / streamEvery)
	direct, err := stream(ctx, p.direct(), streamCount, deltas)
	if err != nil {
		return nil, fmt.Errorf("the model itself: %w", err)
	}
	before, err := p.server.cpu()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	through, err := stream(ctx, p.through(), streamCount, deltas)
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	after, err := p.server.cpu()
	if err != nil {
		return nil, err
	}
	peak, err := p.server.peak()
	if err != nil {
		return nil, err
	}
	added := func(q, target float64) figure {
		base, value := ms(quantile(direct, q)), ms(quantile(through, q))
		return figure{Name: fmt.Sprintf("2,000 streams: added delay, p%g", 100*q), Value: value - base,
			Baseline: base, BaselineName: "the model itself", Unit: "ms", Target: target}
	}
	return []figure{
		added(0.5, 0), added(0.99, 250),
		{Name: "2,000 streams: deltas, each once and in order", Value: float64(len(through)), Baseline: float64(len(direct)),
			BaselineName: "sent", Unit: "deltas", Target: float64(streamCount * deltas), AtLeast: true},
		{Name: "2,000 streams: peak memory of the server", Value: peak, Unit: "MB"},
		{Name: "2,000 streams: processor time of the server", Value: (after - before).Seconds(), Baseline: took.Seconds(),
			BaselineName: "elapsed", Unit: "s"},
	}, nil
}

// stream runs so many streams at once and returns the delays of all deltas.
func stream(ctx context.Context, a asker, count, deltas int) ([]time.Duration, error) {
	connections := make([]*connection, count)
	for i := range connections {
		var err error
		if connections[i], err = a.connect(ctx); err != nil {
			return nil, err
		}
		defer connections[i].conn.Close()
	}
	answers := make([]answer, count)
	errs := make(chan error, count)
	var all sync.WaitGroup
	for i, c := range connections {
		all.Go(func() {
			time.Sleep(streamRamp * time.Duration(i) / streamCount)
			var err error
			answers[i], err = c.ask(deltas, streamEvery)
			if err != nil {
				err = fmt.Errorf("stream %d: %w", i, err)
			}
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
	delays := make([]time.Duration, 0, count*deltas)
	for _, got := range answers {
		delays = append(delays, got.delays...)
	}
	return delays, nil
}

// raiseFileLimit lets this process, and those it starts, open that many files.
func raiseFileLimit(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Cur >= need {
		return nil
	}
	limit.Cur = min(need, limit.Max)
	if limit.Cur < need {
		return fmt.Errorf("%d open files are allowed, and %d are needed: ulimit -n", limit.Max, need)
	}
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}
