package turn

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"confidant/internal/chat"
)

var (
	tracer = otel.Tracer("confidant/turn")
	// The API cannot fail on a name and a unit like these.
	turns, _ = otel.Meter("confidant/turn").Int64Counter("confidant.turns",
		metric.WithDescription("Turns that ended, by how."), metric.WithUnit("{turn}"))
)

// watched opens the span of an attempt at a turn.
func (e *Engine) watched(ctx context.Context, job chat.Job, attempt int) (context.Context, trace.Span) {
	return tracer.Start(ctx, "invoke_agent "+e.opt.Name, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", e.opt.Name),
		attribute.String("gen_ai.conversation.id", job.Lane), attribute.String("confidant.turn.id", job.ID),
		attribute.Int("confidant.attempt", attempt),
	))
}

// ended counts a turn and its tokens.
func ended(ctx context.Context, span trace.Span, state chat.JobState, usage chat.Usage) {
	turns.Add(ctx, 1, metric.WithAttributes(attribute.String("state", string(state))))
	span.SetAttributes(attribute.String("confidant.state", string(state)),
		attribute.Int("gen_ai.usage.input_tokens", usage.Input), attribute.Int("gen_ai.usage.output_tokens", usage.Output))
}
