package main

import (
	"testing"
)

// TestServerSurvivesBeingKilled runs ten rounds; `make crash` runs a hundred.
func TestServerSurvivesBeingKilled(t *testing.T) {
	if err := run(t.Context(), 10, "", 1); err != nil {
		t.Fatal(err)
	}
}
