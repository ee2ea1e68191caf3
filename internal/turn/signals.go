package turn

import (
	"context"
	"strings"
	"sync"

	"confidant/internal/chat"
)

// heed acts on a signal sent to the turn.
func heed(s chat.Signal, cancel context.CancelCauseFunc, consents *consents) {
	if s.Name == signalCancel {
		cancel(cancelled{by: s.Value})
	} else if callID, ok := strings.CutPrefix(s.Name, signalApproval); ok {
		consents.give(callID, s.Value == "yes")
	}
}

// consents brings a person's answers to the calls that wait for them.
type consents struct {
	mu      sync.Mutex
	answers map[string]chan bool
}

func newConsents() *consents { return &consents{answers: map[string]chan bool{}} }

func (c *consents) of(callID string) chan bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers[callID] == nil {
		c.answers[callID] = make(chan bool, 1)
	}
	return c.answers[callID]
}

func (c *consents) give(callID string, approve bool) {
	select {
	case c.of(callID) <- approve:
	default: // answered already: the first counts
	}
}

func (c *consents) wait(ctx context.Context, callID string) (bool, error) {
	select {
	case approve := <-c.of(callID):
		return approve, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
