// Package bustest is the conformance suite of chat.Bus.
package bustest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"confidant/internal/chat"
)

// Run runs the suite against an empty bus.
func Run(t *testing.T, open func(t *testing.T) chat.Bus) {
	for name, test := range map[string]func(*testing.T, chat.Bus){
		"in order":                    testOrder,
		"subjects are apart":          testSubjects,
		"all subscribers":             testAll,
		"a slow one is dropped":       testDropped,
		"closing":                     testClose,
		"concurrent use":              testConcurrent,
		"a message without events":    testEmpty,
		"nothing before subscription": testBefore,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func event(n int64) []chat.Event {
	return []chat.Event{{Seq: n, TurnID: "t", Agent: "a", Body: chat.TextDelta{Delta: fmt.Sprint(n)}}}
}

func receive(t *testing.T, sub chat.Subscription) []chat.Event {
	t.Helper()
	select {
	case events, ok := <-sub.C():
		if !ok {
			t.Fatal("the subscription is closed")
		}
		return events
	case <-time.After(5 * time.Second):
		t.Fatal("nothing came")
	}
	return nil
}

func testOrder(t *testing.T, b chat.Bus) {
	sub := b.Subscribe("s", 16)
	defer sub.Close()
	for n := range int64(10) {
		b.Publish("s", event(n))
	}
	for n := range int64(10) {
		if got := receive(t, sub); len(got) != 1 || got[0].Seq != n || got[0].Body != event(n)[0].Body {
			t.Errorf("message %d: %+v", n, got)
		}
	}
}

func testSubjects(t *testing.T, b chat.Bus) {
	one, other := b.Subscribe("one", 4), b.Subscribe("other", 4)
	defer one.Close()
	defer other.Close()
	b.Publish("one", event(1))
	b.Publish("other", event(2))
	if got := receive(t, other); got[0].Seq != 2 {
		t.Errorf("other got %+v", got)
	}
	if got := receive(t, one); got[0].Seq != 1 {
		t.Errorf("one got %+v", got)
	}
}

func testAll(t *testing.T, b chat.Bus) {
	subs := []chat.Subscription{b.Subscribe("s", 4), b.Subscribe("s", 4), b.Subscribe("s", 4)}
	b.Publish("s", event(1))
	for _, sub := range subs {
		receive(t, sub)
		sub.Close()
	}
}

func testDropped(t *testing.T, b chat.Bus) {
	slow, quick := b.Subscribe("s", 2), b.Subscribe("s", 64)
	defer quick.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range int64(50) {
			b.Publish("s", event(n))
		}
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("a slow subscriber blocked the publisher")
	}
	for range 50 {
		receive(t, quick)
	}
	got := 0
	for range slow.C() { // ends, because it was dropped
		got++
	}
	if got > 3 {
		t.Errorf("a subscriber with a buffer of 2 got %d messages at once", got)
	}
	slow.Close() // once more does no harm
}

func testClose(t *testing.T, b chat.Bus) {
	sub := b.Subscribe("s", 1)
	sub.Close()
	sub.Close()
	b.Publish("s", event(1))
	if _, ok := <-sub.C(); ok {
		t.Error("a closed subscription got a message")
	}
}

func testConcurrent(t *testing.T, b chat.Bus) {
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for n := range int64(200) {
				sub := b.Subscribe(fmt.Sprint(i%3), 1)
				b.Publish(fmt.Sprint(n%3), event(n))
				sub.Close()
			}
		})
	}
	wait.Wait()
}

func testEmpty(t *testing.T, b chat.Bus) {
	sub := b.Subscribe("s", 1)
	defer sub.Close()
	b.Publish("s", nil)
	if got := receive(t, sub); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func testBefore(t *testing.T, b chat.Bus) {
	b.Publish("s", event(1))
	sub := b.Subscribe("s", 1)
	defer sub.Close()
	b.Publish("s", event(2))
	if got := receive(t, sub); got[0].Seq != 2 {
		t.Errorf("got %+v", got)
	}
}
