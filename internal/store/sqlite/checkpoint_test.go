package sqlite

import (
	"fmt"
	"sync"
	"testing"
)

func TestTheLogBeginsAnewWhileOthersWrite(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 100 {
				if _, err := s.EnsureUser(t.Context(), fmt.Sprintf("person %d.%d", w, i)); err != nil {
					t.Error(err)
					return
				}
				if w == 0 && i%10 == 0 {
					if err := s.checkpoints.copyBack(t.Context(), 10); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writers.Wait()
	before, err := checkpoint(t.Context(), s.checkpoints.db)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.checkpoints.copyBack(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EnsureUser(t.Context(), "one more"); err != nil {
		t.Fatal(err)
	}
	after, err := checkpoint(t.Context(), s.checkpoints.db)
	if err != nil {
		t.Fatal(err)
	}
	const pagesOfOneCommit = 12
	if after > pagesOfOneCommit {
		t.Errorf("the log has %d pages after it began anew, and had %d", after, before)
	}
}
