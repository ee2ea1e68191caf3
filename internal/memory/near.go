package memory

import (
	"context"
	"errors"

	"confidant/internal/chat"
	"confidant/internal/memory/process"
	"confidant/internal/search"
)

// Searcher finds passages; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// NearFacts finds known facts by their meaning, for process.Options.
func NearFacts(searcher Searcher, facts chat.Facts) process.Near {
	return func(ctx context.Context, userID, text string, limit int) ([]process.NearFact, error) {
		result, err := searcher.Search(ctx, search.Query{UserID: userID, Text: text, Kinds: []chat.PassageKind{chat.PassageFact}, Limit: limit})
		if err != nil {
			return nil, err
		}
		var list []process.NearFact
		for _, c := range result.Receipt.Candidates {
			f, err := facts.Fact(ctx, userID, c.Ref)
			if errors.Is(err, chat.ErrNotFound) {
				continue // deleted meanwhile
			}
			if err != nil {
				return nil, err
			}
			if list = append(list, process.NearFact{Fact: f, Similarity: c.Meaning}); len(list) == limit {
				break
			}
		}
		return list, nil
	}
}
