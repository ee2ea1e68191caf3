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
	// streamTime then. Starting and ending a turn costs more than streaming it, so
	// they count apart.
	streamRamp = 6 * time.Second
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
	added := func(name string, direct, through []time.Duration, q, target float64) figure {
		base, value := ms(quantile(direct, q)), ms(quantile(through, q))
		return figure{Name: name, Value: value - base, Baseline: base, BaselineName: "the model itself", Unit: "ms", Target: target}
	}
	return []figure{
		added("2,000 streams: added delay, median", direct.steady, through.steady, 0.5, 0),
		added("2,000 streams: added delay, p99", direct.steady, through.steady, 0.99, 250),
		added("2,000 streams: p99 while turns start and end, too", direct.all, through.all, 0.99, 0),
		{Name: "2,000 streams: deltas, each once and in order", Value: float64(len(through.all)), Baseline: float64(len(direct.all)),
			BaselineName: "sent", Unit: "deltas", Target: float64(streamCount * deltas), AtLeast: true},
		{Name: "2,000 streams: peak memory of the server", Value: peak, Unit: "MB"},
		{Name: "2,000 streams: processor time of the server", Value: (after - before).Seconds(), Baseline: took.Seconds(),
			BaselineName: "elapsed", Unit: "s"},
	}, nil
}

// delays are how late deltas were: all of them, and those that were said while
// every turn was streaming.
type delays struct{ all, steady []time.Duration }

// stream runs so many streams at once and returns the delays of all deltas.
func stream(ctx context.Context, a asker, count, deltas int) (delays, error) {
	var got delays
	connections := make([]*connection, count)
	for i := range connections {
		var err error
		if connections[i], err = a.connect(ctx); err != nil {
			return got, err
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
			return got, err
		}
	}
	ramp := int(streamRamp / streamEvery)
	for i, answer := range answers {
		got.all = append(got.all, answer.delays...)
		// This one began so many deltas after the first, and that many before the last.
		before := ramp * i / streamCount
		if len(answer.delays) >= ramp {
			got.steady = append(got.steady, answer.delays[ramp-before:len(answer.delays)-before]...)
		}
	}
	return got, nil
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
