// Package embedtest is the suite that every embed.Embedder passes.
package embedtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"confidant/internal/embed"
)

// Run checks an embedder against the contract of embed.Embedder. Its server, if
// it has one, must answer unequal texts with unequal vectors.
func Run(t *testing.T, embedder embed.Embedder) {
	t.Run("names its space", func(t *testing.T) { namesItsSpace(t, embedder) })
	t.Run("vectors have unit length", func(t *testing.T) { unitLength(t, embedder) })
	t.Run("vectors stand in the order of the texts", func(t *testing.T) { keepsOrder(t, embedder) })
	t.Run("equal texts have equal vectors", func(t *testing.T) { deterministic(t, embedder) })
	t.Run("no texts have no vectors", func(t *testing.T) { emptyList(t, embedder) })
	t.Run("a cancelled call fails", func(t *testing.T) { cancelled(t, embedder) })
	t.Run("calls may run at once", func(t *testing.T) { concurrent(t, embedder) })
}

func namesItsSpace(t *testing.T, embedder embed.Embedder) {
	mustEmbed(t, embedder, "a first text, from which a dimension may be learnt")
	if embedder.Model() == "" {
		t.Error("Model is empty")
	}
	if embedder.Dimensions() <= 0 || embedder.MaxTokens() <= 0 {
		t.Errorf("Dimensions = %d, MaxTokens = %d; want both positive", embedder.Dimensions(), embedder.MaxTokens())
	}
}

func unitLength(t *testing.T, embedder embed.Embedder) {
	texts := []string{
		"When is my dentist appointment?", "", " \n\t", "a", "\x00", "\xff\xfe broken", "今日は",
		strings.Repeat("long ", 5000),
	}
	for i, vector := range mustEmbed(t, embedder, texts...) {
		if len(vector) != embedder.Dimensions() {
			t.Fatalf("text %d: %d numbers, Dimensions says %d", i, len(vector), embedder.Dimensions())
		}
		var squares float64
		for _, x := range vector {
			squares += float64(x) * float64(x)
		}
		if length := math.Sqrt(squares); !(math.Abs(length-1) < 1e-5) {
			t.Errorf("text %d: length %v, want 1", i, length)
		}
	}
}

// keepsOrder uses more texts than a provider takes in one request.
func keepsOrder(t *testing.T, embedder embed.Embedder) {
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprintf("note %d", i)
	}
	together := mustEmbed(t, embedder, texts...)
	for _, i := range []int{0, 1, 17, 39} {
		alone := mustEmbed(t, embedder, texts[i])[0]
		if similarity := cosine(together[i], alone); similarity < 0.9999 {
			t.Errorf("text %d of 40 has another vector than alone: cosine %v", i, similarity)
		}
	}
}

func deterministic(t *testing.T, embedder embed.Embedder) {
	vectors := mustEmbed(t, embedder, "the same words", "other words", "the same words")
	if !slices.Equal(vectors[0], vectors[2]) {
		t.Error("one text has two vectors")
	}
	if slices.Equal(vectors[0], vectors[1]) {
		t.Error("two texts have one vector")
	}
}

func emptyList(t *testing.T, embedder embed.Embedder) {
	if vectors := mustEmbed(t, embedder); len(vectors) != 0 {
		t.Errorf("%d vectors of no texts", len(vectors))
	}
}

func cancelled(t *testing.T, embedder embed.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	vectors, err := embedder.Embed(ctx, []string{"too late"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	if vectors != nil {
		t.Errorf("vectors beside an error: %d", len(vectors))
	}
}

func concurrent(t *testing.T, embedder embed.Embedder) {
	const callers = 8
	texts := make([]string, callers)
	for i := range texts {
		texts[i] = fmt.Sprintf("caller %d has words of its own", i)
	}
	want := mustEmbed(t, embedder, texts...)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			for range 3 {
				got, err := embedder.Embed(t.Context(), texts[i:i+1])
				if err != nil {
					t.Errorf("caller %d: %v", i, err)
					return
				}
				if similarity := cosine(got[0], want[i]); similarity < 0.9999 {
					t.Errorf("caller %d got a vector that is not its own: cosine %v", i, similarity)
				}
			}
		})
	}
	group.Wait()
}

func mustEmbed(t *testing.T, embedder embed.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := embedder.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("embed %d texts: %v", len(texts), err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors of %d texts", len(vectors), len(texts))
	}
	return vectors
}

// cosine of two vectors of unit length.
func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
