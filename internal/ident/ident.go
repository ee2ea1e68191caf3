// Package ident makes identifiers: ULIDs, which sort by the time they were made,
// also within a millisecond, and never repeat.
package ident

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

var (
	mu      sync.Mutex
	entropy = ulid.Monotonic(rand.Reader, 0)
	last    uint64 // never lets a clock that was set back break the order
)

// New returns a ULID that is greater than all that this process made before.
func New() string {
	mu.Lock()
	defer mu.Unlock()
	last = max(last, ulid.Timestamp(time.Now()))
	return ulid.MustNew(last, entropy).String()
}

// Valid reports whether a text has the form of an identifier: then it is safe as
// the name of a file.
func Valid(id string) bool {
	_, err := ulid.ParseStrict(id)
	return err == nil
}
