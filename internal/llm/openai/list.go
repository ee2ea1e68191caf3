package openai

import (
	"context"

	"github.com/openai/openai-go/v3"

	"confidant/internal/llm"
)

// Models asks the server which models it offers. The error is an *llm.Error, or
// the context's.
func Models(ctx context.Context, c Config) ([]string, error) {
	service := openai.NewModelService(c.options()...)
	page, err := service.List(ctx)
	if err != nil {
		return nil, llm.StreamFailure(ctx, c.name(), err)
	}
	names := make([]string, len(page.Data))
	for i, m := range page.Data {
		names[i] = m.ID
	}
	return names, nil
}
