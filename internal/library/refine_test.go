package library_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/library"
	"confidant/internal/llm"
)

// reader is a model that finds every passage a definition; broken, it fails.
type reader struct {
	mu     sync.Mutex
	broken bool
	asked  []string // the names of the schemas
}

func (*reader) Name() string { return "reader" }

func (m *reader) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		m.mu.Lock()
		m.asked = append(m.asked, req.Schema.Name)
		broken := m.broken
		m.mu.Unlock()
		if broken {
			yield(nil, &llm.Error{Kind: llm.Rejected, Model: "reader", Err: errors.New("no")})
			return
		}
		answer := `{"summary":"A book of tides."}`
		if strings.HasPrefix(req.Schema.Name, "classify") {
			answer = `{"passages":[{"number":0,"type":"Answer"},{"number":1,"type":"Definitions and Properties"},{"number":99,"type":"Question"}]}`
		}
		if yield(llm.TextDelta{Text: answer}, nil) {
			yield(llm.Done{Stop: llm.StopEnd, Usage: chat.Usage{Input: 7, Output: 3, Total: 10}}, nil)
		}
	}
}

func TestAModelSortsAndSummarises(t *testing.T) {
	model := &reader{}
	f := newFixture(t, func(o *library.Options) { o.Model = model })
	file, _ := f.add("tides.txt", book)
	file = f.ready(file.ID)
	if file.Summary != "A book of tides." || file.SummarizedBy != "summary.v1" {
		t.Errorf("summary %q by %q", file.Summary, file.SummarizedBy)
	}
	chunks, err := f.store.FileChunks(f.ctx, f.ana.ID, file.ID, chat.ChunkRange{})
	f.ok(err)
	if len(chunks) != 3 || chunks[0].Type != chat.ChunkAnswer || chunks[1].Type != chat.ChunkDefinition || chunks[2].Type != chat.ChunkQuestionAnswer {
		t.Errorf("chunks %+v", chunks)
	}
	if found := f.similar(library.SimilarQuery{UserID: f.ana.ID, Text: "moon pulls the water", Types: []chat.ChunkType{chat.ChunkAnswer}}); len(found) != 1 {
		t.Errorf("by the new type: %q", found)
	}
	events := f.log(file.ID)
	if closed, ok := events[len(events)-1].Body.(chat.TurnClosed); !ok || closed.Usage.Total != 20 {
		t.Errorf("what it cost: %+v", events[len(events)-1].Body)
	}
}

func TestAModelThatFailsLeavesWhatTheRulesSaid(t *testing.T) {
	f := newFixture(t, func(o *library.Options) { o.Model = &reader{broken: true} })
	file, _ := f.add("tides.txt", book)
	file = f.ready(file.ID)
	if !strings.Contains(file.Summary, "moon pulls") || file.SummarizedBy != "" {
		t.Errorf("summary %q by %q", file.Summary, file.SummarizedBy)
	}
}
