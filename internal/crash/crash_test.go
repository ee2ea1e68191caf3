package main

import "testing"

// TestServerSurvivesBeingKilled runs a few rounds; `make crash` runs more.
func TestServerSurvivesBeingKilled(t *testing.T) {
	if err := run(t.Context(), 10, 2, "", 1); err != nil {
		t.Fatal(err)
	}
}
