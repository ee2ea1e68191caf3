// Package obstest keeps the log out of the output of tests.
package obstest

import (
	"flag"
	"log/slog"
	"testing"
)

// Quiet discards what the tests of a package log, unless they run with -v: many
// provoke failures, and one line of a test that fails is not seen among hundreds.
// It is called in TestMain, and parses the flags.
func Quiet() {
	flag.Parse()
	if !testing.Verbose() {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
}
