package obs_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/obs"
)

func TestLinesCarryTheirTrace(t *testing.T) {
	var out bytes.Buffer
	log := obs.NewLogger(&out, false, slog.LevelInfo).With("part", "test")
	ctx, span := trace.NewTracerProvider().Tracer("t").Start(t.Context(), "s")
	log.DebugContext(ctx, "not important")
	log.InfoContext(ctx, "hello", "key", llm.Secret("sk-secret"))
	for _, want := range []string{`"msg":"hello"`, `"part":"test"`, `"trace_id":"` + span.SpanContext().TraceID().String(), `"key":"***"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "not important") || strings.Contains(out.String(), "sk-secret") {
		t.Errorf("a line tells too much: %q", out.String())
	}
}

func TestModelCallsAndRoutesAreCounted(t *testing.T) {
	watch, err := obs.Start(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := watch.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	calls, err := obs.NewModelCalls()
	if err != nil {
		t.Fatal(err)
	}
	calls.Observe(llm.CallReport{Role: llm.Agent, Model: "openai:gpt-5.1", Duration: time.Second, FirstChunk: time.Millisecond, Usage: chat.Usage{Input: 7, Output: 3}})
	calls.Observe(llm.CallReport{Role: llm.Agent, Model: "openai:gpt-5.1", Duration: time.Second, Err: &llm.Error{Kind: llm.RateLimited, Err: errors.New("x")}})
	route := httptest.NewServer(obs.Route("GET /things/{id}", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	defer route.Close()
	resp, err := http.Get(route.URL + "/things/17")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()

	page := httptest.NewRecorder()
	watch.Metrics.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(page.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gen_ai_client_operation_duration_seconds_count", "gen_ai_client_token_usage_sum", `error_type="rate_limited"`,
		`gen_ai_request_model="gpt-5.1"`, `gen_ai_token_type="input"`, "http_server_request_duration_seconds", "go_goroutines",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(string(body), "things/17") {
		t.Error("a path with an id became a metric")
	}
}
