//go:build race

package office_test

// scale divides the sizes of the large documents: the race detector takes ten times
// as long, and there is no race in one loop.
const scale = 10
