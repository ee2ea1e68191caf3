package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"confidant/assets"
	"confidant/internal/config"
	"confidant/internal/embed"
	"confidant/internal/embed/openai"
	"confidant/internal/embed/uselite"
	"confidant/internal/search"
	"confidant/internal/store/sqlite"
)

// newEmbedder opens the configured embedder, nil when there is none.
func newEmbedder(c config.Models) (embed.Embedder, error) {
	switch c.Embedder {
	case "none":
		return nil, nil
	case "builtin":
		encoder, err := uselite.Load(assets.FS(), uselite.Int8File)
		if errors.Is(err, fs.ErrNotExist) {
			slog.Warn("searching by words only: this binary was built without the embedder's weights (make assets)")
			return nil, nil
		}
		return encoder, err
	}
	if model, ok := strings.CutPrefix(c.Embedder, "compatible:"); ok && model != "" {
		embedder, err := openai.New(compatible(model, c))
		if err != nil {
			return nil, err // not embedder: a nil pointer in an interface is not nil
		}
		return embedder, nil
	}
	return nil, fmt.Errorf("embedder %q is unknown: builtin, none or compatible:MODEL", c.Embedder)
}

// compatible is where a model of OpenAI's embeddings API is.
func compatible(model string, c config.Models) openai.Config {
	return openai.Config{Model: model, BaseURL: cmp.Or(c.EmbedURL, c.OpenAIURL), APIKey: string(c.OpenAIKey), Dimensions: c.EmbedDims}
}

// replaceVectors lets the vectors of another embedder, if there are such, answer
// until those of this one are complete, and deletes them then.
func replaceVectors(ctx context.Context, store *sqlite.Store, core *search.Core, embedder embed.Embedder, c config.Models) error {
	if embedder == nil {
		return nil
	}
	stored, err := store.VectorModels(ctx)
	if err != nil {
		return fmt.Errorf("look for vectors of other embedders: %w", err)
	}
	others := slices.DeleteFunc(stored, func(name string) bool { return name == embedder.Model() })
	if len(others) == 0 {
		return nil
	}
	previous, err := embedderOf(others[0], c)
	if err != nil {
		slog.Warn("searching by words until everything is embedded anew: the embedder that was used before cannot be used", "embedder", others[0], "error", err)
	}
	core.Vectors().Replace(previous, func(ctx context.Context) {
		for _, model := range others {
			for more := true; more; {
				if more, err = store.DropVectors(ctx, model); err != nil {
					slog.ErrorContext(ctx, "delete the vectors of another embedder", "embedder", model, "error", err)
					return
				}
			}
		}
		slog.InfoContext(ctx, "everything is embedded anew", "embedder", embedder.Model())
	})
	return nil
}

// embedderOf is the embedder of a space by its name, as far as the configuration
// still says where it is.
func embedderOf(space string, c config.Models) (embed.Embedder, error) {
	if strings.HasPrefix(space, "use-lite/") {
		encoder, err := uselite.Load(assets.FS(), uselite.Int8File)
		if err != nil {
			return nil, err // not encoder: a nil pointer in an interface is not nil
		}
		if encoder.Model() != space {
			return nil, fmt.Errorf("this program has %s", encoder.Model())
		}
		return encoder, nil
	}
	if model, ok := strings.CutPrefix(space, "openai/"); ok {
		embedder, err := openai.New(compatible(model, c))
		if err != nil {
			return nil, err
		}
		return embedder, nil
	}
	return nil, fmt.Errorf("no embedder makes %s", space)
}
