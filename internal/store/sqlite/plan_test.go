package sqlite

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// virtual tables are FTS5's, which is an index, and lists that are passed.
const virtual = " VIRTUAL TABLE "

// mayScan are the tables, or the indexes of a part of one, that a statement may
// read from end to end.
var mayScan = []string{
	"users", "shares", // few
	"t", "traces", // what is not forgotten everywhere yet
	"j",                                  // logs, searched for what is to be forgotten
	"jobs", "tokens", "generations", "g", // when a person is erased
	"jobs USING INDEX jobs_queued", "jobs USING INDEX jobs_lane", "jobs USING INDEX jobs_running", // what waits or runs
	"messages USING COVERING INDEX messages_cleared",
	"g USING COVERING INDEX segments_of_person", // of a known speaker
	"CONSTANT ROW",
}

var (
	planned   = regexp.MustCompile(`^(SELECT|UPDATE|DELETE)`)
	parameter = regexp.MustCompile(`\?\d*`)
)

// CheckPlans reports the statements which the store has prepared so far that read
// a whole table: fast in a test, and slow for who has much. A parameter never
// satisfies the condition of a partial index; that has to stand in the statement.
func CheckPlans(t *testing.T, s *Store) {
	t.Helper()
	for _, text := range slices.Concat(slices.Collect(maps.Keys(s.prepared)), slices.Collect(maps.Keys(s.writer.prepared))) {
		if !planned.MatchString(text) {
			continue
		}
		for _, step := range plan(t, s, text) {
			if table, scans := strings.CutPrefix(step, "SCAN "); scans && !strings.Contains(table, virtual) && !slices.Contains(mayScan, table) {
				t.Errorf("%s in %s", step, text)
			}
		}
	}
}

// plan is what SQLite does for a statement.
func plan(t *testing.T, s *Store, text string) (steps []string) {
	t.Helper()
	parameters := make([]any, strings.Count(text, "?"))
	rows, err := s.read.QueryContext(context.WithoutCancel(t.Context()), "EXPLAIN QUERY PLAN "+parameter.ReplaceAllString(text, "?"), parameters...)
	if noTable(err) { // a person without passages
		return nil
	}
	if err != nil {
		t.Fatalf("explain %s: %v", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}
