package obs

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"confidant/internal/llm"
)

// ModelCalls measures calls of language models under the names of OpenTelemetry's
// semantic conventions for generative AI.
type ModelCalls struct {
	duration, firstChunk metric.Float64Histogram
	tokens               metric.Int64Histogram
}

// NewModelCalls makes the instruments.
func NewModelCalls() (*ModelCalls, error) {
	meter := otel.Meter("confidant/llm")
	seconds := metric.WithExplicitBucketBoundaries(.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
	m := &ModelCalls{}
	var err error
	if m.duration, err = meter.Float64Histogram("gen_ai.client.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long a model call took."), seconds); err != nil {
		return nil, err
	}
	if m.firstChunk, err = meter.Float64Histogram("gen_ai.client.operation.time_to_first_chunk", metric.WithUnit("s"),
		metric.WithDescription("How long a model took to its first chunk."), seconds); err != nil {
		return nil, err
	}
	m.tokens, err = meter.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens of a model call."),
		metric.WithExplicitBucketBoundaries(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576))
	return m, err
}

// Observe notes one call; it fits llm.RolesConfig.
func (m *ModelCalls) Observe(r llm.CallReport) {
	ctx := context.Background()
	provider, model, _ := strings.Cut(r.Model, ":")
	about := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", provider),
		attribute.String("gen_ai.request.model", model), attribute.String("confidant.role", string(r.Role)),
	}
	with := metric.WithAttributes(about...)
	failed := with
	if r.Err != nil {
		failed = metric.WithAttributes(append(about, attribute.String("error.type", r.Outcome()))...)
	}
	m.duration.Record(ctx, r.Duration.Seconds(), failed)
	if r.FirstChunk > 0 {
		m.firstChunk.Record(ctx, r.FirstChunk.Seconds(), with)
	}
	if r.Err == nil {
		m.tokens.Record(ctx, int64(r.Usage.Input), with, metric.WithAttributes(attribute.String("gen_ai.token.type", "input")))
		m.tokens.Record(ctx, int64(r.Usage.Output), with, metric.WithAttributes(attribute.String("gen_ai.token.type", "output")))
	}
}
