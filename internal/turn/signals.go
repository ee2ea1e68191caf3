package turn

import (
	"context"
	"strings"
	"sync"
)

// listen acts on the signals sent to the turn, until ctx ends.
func (r *run) listen(ctx context.Context, cancel context.CancelCauseFunc, consents *consents) {
	for {
		select {
		case s := <-r.log.Signals():
			if s.Name == signalCancel {
				cancel(cancelled{by: s.Value})
			} else if callID, ok := strings.CutPrefix(s.Name, signalApproval); ok {
				consents.give(callID, s.Value == "yes")
			}
		case <-ctx.Done():
			return
		}
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
