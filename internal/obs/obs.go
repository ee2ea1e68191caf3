// Package obs lets people watch a running server: logs, traces and metrics, with
// OpenTelemetry's names for generative AI. No message text and no secret passes
// through here.
package obs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Watch is what Start set up.
type Watch struct {
	// Metrics serves them in Prometheus' format.
	Metrics http.Handler
	close   []func(context.Context) error
}

// Start makes OpenTelemetry's global providers real. Metrics are always
// collected, for Prometheus to fetch. Traces are sent when one of OpenTelemetry's
// own variables names an endpoint (OTEL_EXPORTER_OTLP_ENDPOINT).
func Start(ctx context.Context, version string) (*Watch, error) {
	about, err := resource.Merge(resource.Default(), resource.NewSchemaless(
		attribute.String("service.name", "confidant"), attribute.String("service.version", version)))
	if err != nil {
		return nil, fmt.Errorf("describe this process: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return nil, fmt.Errorf("export metrics: %w", err)
	}
	meters := metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(about))
	otel.SetMeterProvider(meters)
	w := &Watch{Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), close: []func(context.Context) error{meters.Shutdown}}

	if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" {
		spans, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("export traces: %w", err), w.Close(ctx))
		}
		tracers := trace.NewTracerProvider(trace.WithBatcher(spans), trace.WithResource(about))
		otel.SetTracerProvider(tracers)
		otel.SetTextMapPropagator(propagation.TraceContext{})
		w.close = append(w.close, tracers.Shutdown)
	}
	return w, nil
}

// Close sends what is left.
func (w *Watch) Close(ctx context.Context) error {
	var errs []error
	for _, c := range w.close {
		errs = append(errs, c(ctx))
	}
	return errors.Join(errs...)
}

// Route measures and traces the requests of one route, by its pattern: paths
// hold ids, and would make a metric of every chat.
func Route(pattern string, h http.Handler) http.Handler {
	return otelhttp.NewHandler(h, pattern, otelhttp.WithSpanNameFormatter(func(operation string, _ *http.Request) string { return operation }))
}

// NewLogger writes lines as text, or else as JSON, from the given level on. Lines within
// a span carry its trace.
func NewLogger(w io.Writer, text bool, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(w, options)
	if text {
		h = slog.NewTextHandler(w, options)
	}
	return slog.New(traced{h})
}

// traced adds the ids of the context's span to a line.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (t traced) Handle(ctx context.Context, r slog.Record) error {
	if span := oteltrace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }
