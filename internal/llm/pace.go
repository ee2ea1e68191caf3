package llm

import (
	"sync/atomic"
	"time"
)

// openStreams counts the response bodies that are being read in this process.
var openStreams atomic.Int64

const (
	paceFree      = 100 // streams that are read as they come
	pacePerStream = 70 * time.Microsecond
	paceMost      = 130 * time.Millisecond
)

// readsApart is how far apart the reads of one stream are when so many are open.
// A few are read whenever something comes. Of two thousand each is read eight
// times a second: then a read brings two or three events instead of one, and so
// does every commit, packet and waking after it. The first event of an answer never waits.
func readsApart(open int64) time.Duration {
	return min(time.Duration(max(0, open-paceFree))*pacePerStream, paceMost)
}
