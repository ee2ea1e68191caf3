// Package bus carries committed events to those who wait for them. Local does so
// within one process.
package bus

import (
	"sync"

	"confidant/internal/chat"
)

// Local is a chat.Bus of channels.
type Local struct {
	mu       sync.Mutex
	subjects map[string]map[*subscription]struct{}
}

var _ chat.Bus = (*Local)(nil)

// NewLocal returns an empty bus.
func NewLocal() *Local {
	return &Local{subjects: map[string]map[*subscription]struct{}{}}
}

// Publish implements chat.Bus.
func (b *Local) Publish(subject string, events []chat.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for sub := range b.subjects[subject] {
		select {
		case sub.c <- events:
		default:
			b.remove(sub)
		}
	}
}

// Subscribe implements chat.Bus.
func (b *Local) Subscribe(subject string, buffer int) chat.Subscription {
	sub := &subscription{bus: b, subject: subject, c: make(chan []chat.Event, buffer)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subjects[subject] == nil {
		b.subjects[subject] = map[*subscription]struct{}{}
	}
	b.subjects[subject][sub] = struct{}{}
	return sub
}

// remove closes a subscription once. The caller holds the lock, which is what
// keeps Publish from sending on a closed channel.
func (b *Local) remove(sub *subscription) {
	set := b.subjects[sub.subject]
	if _, ok := set[sub]; !ok {
		return
	}
	delete(set, sub)
	if len(set) == 0 {
		delete(b.subjects, sub.subject)
	}
	close(sub.c)
}

type subscription struct {
	bus     *Local
	subject string
	c       chan []chat.Event
}

func (s *subscription) C() <-chan []chat.Event { return s.c }

func (s *subscription) Close() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	s.bus.remove(s)
}
