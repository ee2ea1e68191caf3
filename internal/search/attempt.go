package search

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"confidant/internal/chat"
	"confidant/internal/search/question"
)

const (
	// wordPool and meaningPool are how many passages each side proposes. With more,
	// recall@10 of none of the development sets rose by more than .003.
	wordPool    = 100
	meaningPool = 50
	// reach is how many segments on each side of one are its context.
	reach = 2
	// beside is how near a segment must be to a proposed one to be a candidate
	// itself: an answer may share no word with the question that it follows.
	beside = 1
)

// kindsOf are the kinds on each shelf.
var kindsOf = map[chat.Shelf][]chat.PassageKind{
	chat.ShelfSaid:    {chat.PassageSegment},
	chat.ShelfDerived: {chat.PassageSummary, chat.PassageFact, chat.PassageTask, chat.PassageEvent, chat.PassageFile},
	chat.ShelfWritten: chat.ChunkKinds,
}

// attempt is one search in one scope.
type attempt struct {
	core    *Core
	query   Query
	asked   question.Question
	scope   scope
	groups  []string // conversations to look in, nil for all
	meaning *embedded

	allowed map[int64]bool // the passages of the groups
	// What the receipt tells.
	frequencies map[chat.Shelf]chat.Frequencies
	considered  int
	meant       bool // meaning was searched
}

// run returns what is worth showing, scored within its kind.
func (a *attempt) run(ctx context.Context) ([]candidate, error) {
	if a.groups != nil {
		ids, err := a.core.store.Members(ctx, a.query.UserID, a.groups)
		if err != nil {
			return nil, fmt.Errorf("read groups: %w", err)
		}
		a.allowed = make(map[int64]bool, len(ids))
		for _, id := range ids {
			a.allowed[id] = true
		}
	}
	var all []candidate
	a.frequencies = map[chat.Shelf]chat.Frequencies{}
	for _, shelf := range chat.Shelves {
		if !a.query.wants(shelf) {
			continue
		}
		frequencies, err := a.core.store.Frequencies(ctx, a.query.UserID, shelf, a.asked.Words())
		if err != nil {
			return nil, fmt.Errorf("count words: %w", err)
		}
		if frequencies.Passages == 0 {
			continue
		}
		a.frequencies[shelf] = frequencies
		found, err := a.shelf(ctx, shelf, frequencies)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	a.considered = len(all)
	_, a.meant = a.vector(ctx)
	return all, nil
}

// shelf searches one shelf.
func (a *attempt) shelf(ctx context.Context, shelf chat.Shelf, f chat.Frequencies) ([]candidate, error) {
	ids, err := a.propose(ctx, shelf, f)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	weights := weightsOf[shelf]
	var passages []chat.Passage
	if weights.context() == 0 {
		passages, err = a.core.store.Passages(ctx, a.query.UserID, ids)
	} else {
		passages, err = a.core.store.Neighbourhood(ctx, a.query.UserID, ids, reach)
	}
	if err != nil {
		return nil, fmt.Errorf("read passages: %w", err)
	}
	near, err := a.nearness(ctx, passages)
	if err != nil {
		return nil, err
	}
	r := newRanking(weights, a.asked, f, passages, near)
	proposed := make(map[int64]bool, len(ids))
	for _, id := range ids {
		proposed[id] = true
	}
	return r.candidates(func(p chat.Passage, isBeside bool) bool {
		return (proposed[p.ID] || isBeside) && a.admits(p)
	}, proposed), nil
}

// admits reports whether a passage is in the scope: those beside a hit may not be.
func (a *attempt) admits(p chat.Passage) bool {
	return a.scope.contains(p.At) && (a.allowed == nil || a.allowed[p.ID]) &&
		(len(a.query.Kinds) == 0 || slices.Contains(a.query.Kinds, p.Kind))
}

// kinds are those on a shelf that the query wants.
func (a *attempt) kinds(shelf chat.Shelf) []chat.PassageKind {
	if len(a.query.Kinds) == 0 {
		return kindsOf[shelf]
	}
	return slices.DeleteFunc(slices.Clone(a.query.Kinds), func(k chat.PassageKind) bool { return k.Shelf() != shelf })
}

// propose returns the passages that have the words or are near in meaning. Both
// are looked for at the same time.
func (a *attempt) propose(ctx context.Context, shelf chat.Shelf, f chat.Frequencies) ([]int64, error) {
	var nearest []int64
	var failed error
	var meaning sync.WaitGroup
	if a.meaning.vectors != nil && len(a.asked.Phrases) == 0 {
		meaning.Go(func() { nearest, failed = a.nearest(ctx, shelf) })
	}
	q := chat.LexicalQuery{
		UserID: a.query.UserID, Terms: a.asked.Words(), Passages: f.Of, Phrases: a.asked.Phrases,
		GroupIDs: a.groups, From: a.scope.from, Until: a.scope.until, Limit: max(wordPool, a.query.Limit),
		Kinds: a.kinds(shelf),
	}
	words, err := a.core.store.Lexical(ctx, q)
	meaning.Wait()
	if err != nil {
		return nil, fmt.Errorf("search words: %w", err)
	}
	var ids []int64
	for _, s := range words {
		ids = append(ids, s.ID)
	}
	if failed != nil {
		return ids, a.withoutMeaning(ctx, failed)
	}
	for _, id := range nearest {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// nearest returns the passages nearest in meaning, none when there is no vector.
func (a *attempt) nearest(ctx context.Context, shelf chat.Shelf) ([]int64, error) {
	vector, ok := a.vector(ctx)
	if !ok {
		return nil, nil
	}
	return a.meaning.vectors.nearest(ctx, a.query.UserID, vector, max(meaningPool, a.query.Limit), filter{
		kinds: a.kinds(shelf), from: a.scope.from, until: a.scope.until, allowed: a.allowed,
	})
}

// nearness is how near the passages are to the question, in order; nil when
// meaning cannot be searched.
func (a *attempt) nearness(ctx context.Context, passages []chat.Passage) ([]float32, error) {
	vector, ok := a.vector(ctx)
	if !ok {
		return nil, nil
	}
	ids := make([]int64, len(passages))
	for i, p := range passages {
		ids[i] = p.ID
	}
	near, err := a.meaning.vectors.scores(ctx, a.query.UserID, vector, ids)
	if err != nil {
		return nil, a.withoutMeaning(ctx, err)
	}
	return near, nil
}

// vector is the question's, false when there is none.
func (a *attempt) vector(ctx context.Context) ([]float32, bool) {
	vector, err := a.meaning.wait(ctx)
	return vector, err == nil && vector != nil
}

// withoutMeaning goes on with words only, unless the search was given up.
func (a *attempt) withoutMeaning(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	slog.WarnContext(ctx, "searching words only", "error", err)
	a.meaning.fail(err)
	return nil
}
