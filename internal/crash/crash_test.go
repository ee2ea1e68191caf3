package main

import "testing"

// TestServerSurvivesBeingKilled runs a few rounds; `make crash` runs more.
func TestServerSurvivesBeingKilled(t *testing.T) {
	if err := (plan{rounds: 10, imports: 2, files: 2, pdfs: "../../bin/pdfs", seed: 1}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
}
