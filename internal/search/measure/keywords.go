package measure

import (
	"context"

	"confidant/internal/chat"
	"confidant/internal/search"
	"confidant/internal/search/question"
)

// Keywords is the plain search that the core has to beat: the store's own BM25
// over the words of the question, with no context and no meaning.
type Keywords struct{ Store search.Store }

// Search implements Searcher.
func (k Keywords) Search(ctx context.Context, q search.Query) (search.Result, error) {
	var r search.Result
	scored, err := k.Store.Lexical(ctx, chat.LexicalQuery{
		UserID: q.UserID, Terms: question.Parse(q.Text, nil, q.Now).Words(), Limit: q.Limit,
	})
	if err != nil {
		return r, err
	}
	ids := make([]int64, len(scored))
	place := make(map[int64]int, len(scored))
	for i, s := range scored {
		ids[i], place[s.ID] = s.ID, i
	}
	passages, err := k.Store.Passages(ctx, q.UserID, ids)
	if err != nil {
		return r, err
	}
	r.Hits = make([]search.Hit, len(scored))
	for _, p := range passages {
		r.Hits[place[p.ID]] = search.Hit{Passage: p, Score: scored[place[p.ID]].Score}
	}
	return r, nil
}
