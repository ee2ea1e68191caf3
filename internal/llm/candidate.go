package llm

import (
	"errors"
	"math/rand/v2"
	"time"
)

// firstPause is the pause after a first failure whose provider asked for none.
// It doubles with every round.
const firstPause = 500 * time.Millisecond

// candidate is a model of a chain during one call.
type candidate struct {
	model Model
	// out says that asking it again is useless.
	out bool
	// notBefore is when it may be asked again.
	notBefore time.Time
}

// ready reports whether the candidate may be asked now.
func (c *candidate) ready(now time.Time) bool { return !c.out && !c.notBefore.After(now) }

// failed notes a failure before the first chunk. It reports false when no other
// model would do better: the request itself is at fault, or the context ended.
func (c *candidate) failed(err error, round int) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch {
	case e.Kind == Unauthorized:
		c.out = true
	case !e.Retryable():
		return false
	case e.RetryAfter > 0:
		c.notBefore = time.Now().Add(e.RetryAfter)
	default:
		c.notBefore = time.Now().Add(jitter(firstPause << round))
	}
	return true
}

// jitter takes up to a quarter off d, so that many callers do not come back at
// the same instant.
func jitter(d time.Duration) time.Duration { return d - rand.N(d/4+1) }
