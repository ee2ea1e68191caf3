package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Imports disturbs that many imports and returns how often the server was killed.
// Each goes into a folder of its own, is killed one to three times at random
// moments, and goes on as a person's would: the file that was under way again.
func Imports(ctx context.Context, binary, dir string, rounds int, random *rand.Rand) (kills int, err error) {
	began := time.Now()
	want, err := imported(ctx, binary, filepath.Join(dir, "undisturbed"), nil)
	if err != nil {
		return 0, fmt.Errorf("undisturbed import: %w", err)
	}
	took := time.Since(began)
	for i := range rounds {
		var moments []time.Duration
		for range 1 + random.IntN(3) {
			moments = append(moments, time.Duration(random.Int64N(int64(took))))
		}
		got, err := imported(ctx, binary, filepath.Join(dir, fmt.Sprint("import-", i)), moments)
		if err != nil {
			return kills, fmt.Errorf("import %d, killed after %v: %w", i, moments, err)
		}
		kills += len(moments)
		if at, same := difference(want, got); !same {
			return kills, fmt.Errorf("import %d, killed after %v, left something else: %s", i, moments, at)
		}
	}
	return kills, nil
}

// imported imports the files into an empty folder, with kills so long after the
// start or the kill before, waits until all is understood and embedded, and
// returns what there is.
func imported(ctx context.Context, binary, dir string, kills []time.Duration) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	s, err := newServer(ctx, &server{binary: binary, data: filepath.Join(dir, "data"), probe: filepath.Join(dir, "probe")})
	if err != nil {
		return nil, err
	}
	defer s.close()
	killed := make(chan error, 1)
	go func() { killed <- killAfter(s, kills) }()
	if err := errors.Join(importAll(ctx, s), <-killed); err != nil {
		return nil, err
	}
	if err := settled(ctx, s); err != nil {
		return nil, fmt.Errorf("%w\nthe server said:\n%s", err, s.output.String())
	}
	return snapshot(ctx, s)
}

// killAfter kills the server so long after its start, and after each kill, and
// starts it again.
func killAfter(s *server, moments []time.Duration) error {
	for _, after := range moments {
		time.Sleep(after)
		s.kill()
		if err := s.start(); err != nil {
			return err
		}
	}
	return nil
}

// importAll uploads every file, the same again when the server went away.
func importAll(ctx context.Context, s *server) error {
	for i, content := range talks() {
		path := "/api/import?name=" + url.QueryEscape(fmt.Sprintf("talk-%02d.json", i))
		for {
			resp, err := s.request(ctx, http.MethodPost, path, "", strings.NewReader(content))
			if err == nil {
				_ = resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					break
				}
				return fmt.Errorf("import %d: %s", i, resp.Status)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			time.Sleep(10 * time.Millisecond) // it is on its way back
		}
	}
	return nil
}

// talks are fifty transcripts, the same every time.
func talks() []string {
	random := rand.New(rand.NewPCG(7, 7))
	people := []string{"Ana Silva", "Ben Cole", "Cem Aydin", "Dora Lind"}
	subjects := strings.Fields("harbour budget orchard cello launch garden bicycle violin lighthouse recipe")
	var list []string
	for i := range 50 {
		started := time.Date(2026, 1, 5+i, 9, 0, 0, 0, time.UTC)
		var segments []map[string]any
		for k := range 2 + random.IntN(4) {
			subject := subjects[random.IntN(len(subjects))]
			segments = append(segments, map[string]any{
				"speaker": people[random.IntN(len(people))], "start": 10 * k, "end": 10*k + 8,
				"text": fmt.Sprintf("The %s of day %d needs %d things from the %s before %s.", subject, i, random.IntN(90), subjects[random.IntN(len(subjects))],
					started.AddDate(0, 0, random.IntN(20)).Format("2 January")),
			})
		}
		content, err := json.Marshal(map[string]any{"started_at": started, "transcript_segments": segments})
		if err != nil {
			panic(err) // strings and numbers always marshal
		}
		list = append(list, string(content))
	}
	return list
}

// settled waits until no conversation is being processed and all is embedded.
func settled(ctx context.Context, s *server) error {
	for ctx.Err() == nil {
		var status struct {
			Indexing, Processing struct{ Pending int }
		}
		var open struct{ Conversations []json.RawMessage }
		err := errors.Join(
			s.call(ctx, http.MethodGet, "/api/status", "", nil, &status),
			s.call(ctx, http.MethodGet, "/api/conversations?status=processing&discarded=1&limit=1", "", nil, &open))
		if err != nil {
			return err
		}
		if status.Indexing.Pending+status.Processing.Pending == 0 && len(open.Conversations) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the import does not settle")
}

// snapshot is everything that a person can see of the import, without ids and the
// times of day at which it was done, in a fixed order.
func snapshot(ctx context.Context, s *server) ([]string, error) {
	var lines []string
	cursor := ""
	for {
		var page struct {
			Conversations []struct {
				ID string `json:"conversation_id"`
			}
			NextCursor *string `json:"next_cursor"`
		}
		if err := s.call(ctx, http.MethodGet, "/api/conversations?discarded=1&cursor="+cursor, "", nil, &page); err != nil {
			return nil, err
		}
		for _, c := range page.Conversations {
			var whole any
			if err := s.call(ctx, http.MethodGet, "/api/conversations/"+c.ID, "", nil, &whole); err != nil {
				return nil, err
			}
			lines = append(lines, plain(whole))
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	for _, q := range []string{"what does the harbour need", "cello Ana", "orchard before 9 January", "tools for growing plants"} {
		var found any
		if err := s.call(ctx, http.MethodGet, "/api/search?limit=20&q="+url.QueryEscape(q), "", nil, &found); err != nil {
			return nil, err
		}
		lines = append(lines, q+": "+plain(found))
	}
	sort.Strings(lines)
	return lines, nil
}

// passing are the fields that differ from one import to the next.
var passing = map[string]bool{
	"conversation_id": true, "segment_id": true, "id": true, "created_at": true, "updated_at": true, "at": true,
}

// plain is a JSON value as text, without what passes.
func plain(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(stripped(value)); err != nil {
		return err.Error()
	}
	return b.String()
}

func stripped(value any) any {
	switch v := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, inner := range v {
			if !passing[key] {
				kept[key] = stripped(inner)
			}
		}
		return kept
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = stripped(inner)
		}
		return list
	}
	return value
}

// difference returns the first line that only one of the two has.
func difference(want, got []string) (string, bool) {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return "missing " + want[i], false
		case i >= len(want):
			return "too much " + got[i], false
		case want[i] != got[i]:
			return "\nwant " + want[i] + "\n got " + got[i], false
		}
	}
	return "", true
}
