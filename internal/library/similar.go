package library

import (
	"context"
	"fmt"
	"time"

	"confidant/internal/chat"
	"confidant/internal/search"
)

// The knowledge base's limits (seeds/o3-chat-architecture.txt).
const (
	DefaultThreshold = 0.3
	DefaultResults   = 10
)

// Searcher finds passages; see search.Core.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// Finder finds chunks of files that are similar to a text.
type Finder struct {
	Searcher Searcher
	Pages    chat.Pages
	// Threshold is the similarity that a chunk must exceed.
	Threshold float64
	// Calibrate turns a cosine of the embedder in use into a similarity on the scale
	// for which Threshold is meant, that of text-embedding-3-small; nil leaves it.
	Calibrate func(cosine float64) float64
}

// SimilarQuery is what to look for, and where.
type SimilarQuery struct {
	UserID string
	Text   string
	// FileIDs and Types limit where is looked; none means everywhere.
	FileIDs []string
	Types   []chat.ChunkType
	Limit   int // DefaultResults when it is 0
	// Earlier, Now and Zone are the question's; see search.Query.
	Earlier []string
	Now     time.Time
	Zone    *time.Location
}

// Similar is a chunk that was found.
type Similar struct {
	chat.Chunk
	ID     string // of the chunk
	FileID string
	Name   string // of the file
	// Similarity is between 0 and 1: how near it is in meaning, or, where that is more,
	// the mean of this and of how much of the question's words it has. Without an
	// embedder it is the words' share alone.
	Similarity float64
}

// Similar returns the chunks that are more similar than the threshold, in the order
// of the retrieval core, and how they were found.
func (f Finder) Similar(ctx context.Context, q SimilarQuery) ([]Similar, search.Receipt, error) {
	kinds := chat.ChunkKinds
	if len(q.Types) > 0 {
		kinds = nil
		for _, t := range q.Types {
			kinds = append(kinds, chat.KindOf(t))
		}
	}
	if q.Limit == 0 {
		q.Limit = DefaultResults
	}
	found, err := f.Searcher.Search(ctx, search.Query{
		UserID: q.UserID, Text: q.Text, History: q.Earlier, Kinds: kinds, Filters: search.Filters{Files: q.FileIDs},
		// Documents are not of a time as recordings are: time words are words here.
		Timeless: true, Now: q.Now, Zone: q.Zone, Limit: q.Limit,
	})
	if err != nil {
		return nil, found.Receipt, fmt.Errorf("search chunks: %w", err)
	}
	list := []Similar{}
	for _, h := range found.Hits {
		similarity := f.similarity(h)
		if similarity <= f.Threshold {
			continue
		}
		s, ok, err := f.chunk(ctx, h)
		if err != nil {
			return nil, found.Receipt, err
		}
		if ok {
			s.Similarity = similarity
			list = append(list, s)
		}
	}
	return list, found.Receipt, nil
}

func (f Finder) similarity(h search.Hit) float64 {
	near := h.Near
	if f.Calibrate != nil {
		near = f.Calibrate(near)
	}
	if h.Near == 0 {
		return h.Cover
	}
	return min(1, max(near, (near+h.Cover)/2, 0))
}

// chunk reads where a hit stands. It reports false when the file was read anew, or
// deleted, in this moment.
func (f Finder) chunk(ctx context.Context, h search.Hit) (Similar, bool, error) {
	p := h.Passage
	list, err := f.Pages.FileChunks(ctx, p.UserID, p.GroupID, chat.ChunkRange{From: p.Position, Until: p.Position + 1})
	if err != nil {
		return Similar{}, false, fmt.Errorf("read a chunk: %w", err)
	}
	if len(list) == 0 || list[0].Text != p.Text {
		return Similar{}, false, nil
	}
	return Similar{Chunk: list[0], ID: p.Ref, FileID: p.GroupID, Name: p.Title}, true, nil
}
