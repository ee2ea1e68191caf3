package agent

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

var tracer = otel.Tracer("confidant/agent")

// watchModel opens the span of a model call.
func watchModel(ctx context.Context, name string) (context.Context, trace.Span) {
	provider, model, _ := strings.Cut(name, ":")
	return tracer.Start(ctx, "chat "+model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", provider),
		attribute.String("gen_ai.request.model", model)))
}

func endModel(span trace.Span, done *llm.Done) {
	if done == nil {
		span.SetStatus(codes.Error, "the answer is not complete")
	} else {
		span.SetAttributes(attribute.Int("gen_ai.usage.input_tokens", done.Usage.Input),
			attribute.Int("gen_ai.usage.output_tokens", done.Usage.Output),
			attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(done.Stop)}))
	}
	span.End()
}

// watchTool opens the span of a tool call.
func watchTool(ctx context.Context, call chat.Call) (context.Context, trace.Span) {
	return tracer.Start(ctx, "execute_tool "+call.Name, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", call.Name),
		attribute.String("gen_ai.tool.call.id", call.ID)))
}

func endTool(span trace.Span, done chat.ToolFinished) {
	if done.Error != "" {
		span.SetStatus(codes.Error, "the tool answered with an error")
	}
	span.End()
}
