package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	sdk "github.com/openai/openai-go/v3"

	"confidant/internal/embed/embedtest"
	"confidant/internal/embed/openai"
)

// server is a stand-in for the API. It answers with vectors that depend on the
// text alone and are not of unit length, in reverse order.
type server struct {
	dims     int
	requests []request
	// interfere, if set, may answer in the server's place; call counts from 1.
	interfere func(call int, w http.ResponseWriter, r *http.Request) (done bool)

	mu           sync.Mutex
	active, most int
}

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
	Format     string   `json:"encoding_format"`
	key, path  string
}

type item struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float64 `json:"embedding"`
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked request
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	asked.key, asked.path = r.Header.Get("Authorization"), r.URL.Path
	s.mu.Lock()
	s.requests = append(s.requests, asked)
	call := len(s.requests)
	s.active++
	s.most = max(s.most, s.active)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.active--
		s.mu.Unlock()
	}()
	if s.interfere != nil && s.interfere(call, w, r) {
		return
	}
	var items []item
	for i, text := range asked.Input {
		if text == "" {
			http.Error(w, `{"error":{"message":"empty input"}}`, http.StatusBadRequest)
			return
		}
		items = append([]item{{"embedding", i, vectorOf(text, s.dims)}}, items...)
	}
	reply(w, items)
}

func reply(w http.ResponseWriter, items []item) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"object": "list", "model": "test", "data": items, "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1},
	})
}

func vectorOf(text string, dims int) []float64 {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	random := rand.New(rand.NewPCG(hash.Sum64(), 1))
	v := make([]float64, dims)
	for i := range v {
		v[i] = 3 * random.NormFloat64()
	}
	return v
}

// start runs the server and returns an embedder for it.
func start(t *testing.T, s *server, config openai.Config) *openai.Embedder {
	t.Helper()
	if s.dims == 0 {
		s.dims = 24
	}
	running := httptest.NewServer(s)
	t.Cleanup(running.Close)
	config.BaseURL, config.Model = running.URL+"/v1", "test-model"
	embedder, err := openai.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return embedder
}

func TestConformance(t *testing.T) {
	embedtest.Run(t, start(t, &server{}, openai.Config{BatchSize: 7}))
}

func TestRequest(t *testing.T) {
	s := &server{}
	embedder := start(t, s, openai.Config{APIKey: "k", Dimensions: 24})
	if got := embedder.Dimensions(); got != 24 {
		t.Errorf("Dimensions = %d before the first answer, want the configured 24", got)
	}
	if _, err := embedder.Embed(t.Context(), []string{"one", "", "\xff"}); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v", s.requests)
	want := "[{Model:test-model Input:[one   \uFFFD] Dimensions:24 Format:float key:Bearer k path:/v1/embeddings}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWithoutKeyNoneIsSent(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "of another account")
	s := &server{}
	if _, err := start(t, s, openai.Config{}).Embed(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	if s.requests[0].key != "" {
		t.Errorf("sent %q", s.requests[0].key)
	}
}

func TestDimensionsAreLearntFromTheFirstAnswer(t *testing.T) {
	s := &server{dims: 24}
	embedder := start(t, s, openai.Config{})
	if got := embedder.Dimensions(); got != 0 {
		t.Errorf("Dimensions = %d before the first answer, want 0", got)
	}
	if _, err := embedder.Embed(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	if got := embedder.Dimensions(); got != 24 {
		t.Errorf("Dimensions = %d, want 24", got)
	}
	if s.requests[0].Dimensions != 0 {
		t.Errorf("asked for %d dimensions", s.requests[0].Dimensions)
	}
	s.dims = 25
	_, err := embedder.Embed(t.Context(), []string{"two"})
	wantAnswerError(t, err, "a vector of 25 dimensions, want 24")
}

func TestBatchesAndParallel(t *testing.T) {
	s := &server{interfere: func(int, http.ResponseWriter, *http.Request) bool {
		time.Sleep(10 * time.Millisecond)
		return false
	}}
	embedder := start(t, s, openai.Config{BatchSize: 10, Parallel: 3})
	texts := make([]string, 95)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	if _, err := embedder.Embed(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if len(s.requests) != 10 {
		t.Errorf("%d requests of 10 for 95 texts", len(s.requests))
	}
	if s.most != 3 {
		t.Errorf("%d requests at once, want 3", s.most)
	}
}

func TestBigTextsAreCutAndSpread(t *testing.T) {
	s := &server{}
	embedder := start(t, s, openai.Config{MaxTokens: 100_000})
	big := strings.Repeat("é", 200_000)
	if _, err := embedder.Embed(t.Context(), []string{big, big, big, "small"}); err != nil {
		t.Fatal(err)
	}
	if len(s.requests) != 2 {
		t.Errorf("%d requests, want 2", len(s.requests))
	}
	for _, r := range s.requests {
		for _, input := range r.Input {
			if len(input) > 300_000 || !utf8.ValidString(input) || strings.ContainsRune(input, utf8.RuneError) {
				t.Errorf("an input of %d bytes, cut within a letter: %v", len(input), !utf8.ValidString(input))
			}
		}
	}
}

func TestWrongAnswers(t *testing.T) {
	good := func(index int) item { return item{"embedding", index, []float64{1, 2}} }
	for name, c := range map[string]struct {
		items []item
		want  string
	}{
		"too few":           {[]item{good(0)}, "1 vectors of 2 texts"},
		"too many":          {[]item{good(0), good(1), good(2)}, "3 vectors of 2 texts"},
		"an index twice":    {[]item{good(0), good(0)}, "index 0 is out of range or comes twice"},
		"an index too high": {[]item{good(0), good(2)}, "index 2 is out of range or comes twice"},
		"a negative index":  {[]item{good(0), good(-1)}, "index -1 is out of range or comes twice"},
		"unequal lengths":   {[]item{good(0), {"embedding", 1, []float64{1}}}, "a vector of 1 dimensions, want 2"},
		"no numbers":        {[]item{{"embedding", 0, nil}, good(1)}, "a vector of 0 dimensions, want"},
		"no direction":      {[]item{good(0), {"embedding", 1, []float64{0, 0}}}, "a vector of length 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{interfere: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				reply(w, c.items)
				return true
			}}
			vectors, err := start(t, s, openai.Config{}).Embed(t.Context(), []string{"one", "two"})
			wantAnswerError(t, err, c.want)
			if vectors != nil {
				t.Error("vectors beside an error")
			}
			if len(s.requests) != 1 {
				t.Errorf("asked %d times: a wrong answer is not to be retried", len(s.requests))
			}
		})
	}
}

func TestConfiguredDimensionsAreChecked(t *testing.T) {
	_, err := start(t, &server{dims: 24}, openai.Config{Dimensions: 512}).Embed(t.Context(), []string{"one"})
	wantAnswerError(t, err, "a vector of 24 dimensions, want 512")
}

func TestRetryAfterIsObeyed(t *testing.T) {
	s := &server{interfere: func(call int, w http.ResponseWriter, _ *http.Request) bool {
		if call > 1 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}}
	start, embedder := time.Now(), start(t, s, openai.Config{})
	if _, err := embedder.Embed(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < time.Second {
		t.Errorf("asked again after %v, the server wanted a second", took)
	}
}

func TestServerErrorsComeThrough(t *testing.T) {
	s := &server{interfere: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":{"message":"bad key","code":"invalid_api_key"}}`)
		return true
	}}
	_, err := start(t, s, openai.Config{}).Embed(t.Context(), []string{"one"})
	var refusal *sdk.Error
	if !errors.As(err, &refusal) || refusal.StatusCode != http.StatusUnauthorized {
		t.Fatalf("error = %v, want the SDK's with status 401", err)
	}
	if !strings.HasPrefix(err.Error(), "embed 1 texts with openai/test-model: ") {
		t.Errorf("error %q does not say what failed", err)
	}
}

func TestHangEndsWithTheContext(t *testing.T) {
	s := &server{interfere: hang}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	texts := make([]string, 20)
	_, err := start(t, s, openai.Config{BatchSize: 1, Parallel: 2}).Embed(ctx, texts)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want the deadline's", err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestHangEndsWithTheTimeout(t *testing.T) {
	s := &server{interfere: hang}
	_, err := start(t, s, openai.Config{Timeout: 50 * time.Millisecond, Retries: -1}).Embed(t.Context(), []string{"one"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want a timeout", err)
	}
}

// hang answers nothing until the client has gone.
func hang(_ int, _ http.ResponseWriter, r *http.Request) bool {
	<-r.Context().Done()
	return true
}

// TestOneFailureEndsTheOthers: the remaining batches are neither awaited nor sent.
func TestOneFailureEndsTheOthers(t *testing.T) {
	s := &server{interfere: func(call int, w http.ResponseWriter, r *http.Request) bool {
		if call == 2 {
			http.Error(w, "{}", http.StatusBadRequest)
			return true
		}
		return hang(call, w, r)
	}}
	embedder := start(t, s, openai.Config{BatchSize: 1, Parallel: 2})
	_, err := embedder.Embed(t.Context(), []string{"a", "b", "c", "d", "e", "f"})
	var refusal *sdk.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("error = %v, want the failure and not its consequences", err)
	}
}

func TestConfig(t *testing.T) {
	if _, err := openai.New(openai.Config{}); err == nil {
		t.Error("a configuration without a model was taken")
	}
	if _, err := openai.New(openai.Config{Model: "m", Parallel: -1}); err == nil {
		t.Error("minus one requests at once were taken")
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("embedder", "config", openai.Config{Model: "m", APIKey: "sk-hidden"})
	if strings.Contains(log.String(), "sk-hidden") || !strings.Contains(log.String(), "config.model=m") {
		t.Errorf("logged %s", log.String())
	}
}

func wantAnswerError(t *testing.T, err error, message string) {
	t.Helper()
	if !errors.Is(err, openai.ErrAnswer) || !strings.Contains(err.Error(), message) {
		t.Errorf("error = %v, want ErrAnswer with %q", err, message)
	}
}
