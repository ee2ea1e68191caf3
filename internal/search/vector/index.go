// Package vector finds, among the vectors of one person, those nearest to a
// query: an exact scan in memory over one byte per dimension, after which the
// best candidates are scored again from the stored float32 vectors.
package vector

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// ErrDimensions is wrapped by the error for a vector of another length than the
// index's, which comes from another model and must not be compared.
var ErrDimensions = errors.New("vector of other dimensions")

// Index holds the vectors of one person and one model. It is safe for concurrent
// use: searches run side by side, and changes wait for them.
type Index struct {
	dims   int // of a vector
	stride int // of a row of codes: dims, padded for the kernels

	mu     sync.RWMutex
	blocks []*block      // all full but the last, none empty
	rows   map[int64]int // id → row; row r stands in block r/blockRows
}

// New returns an empty index for vectors of dims numbers, which must be positive.
func New(dims int) *Index {
	if dims <= 0 {
		panic(fmt.Sprintf("vector.New: %d dimensions", dims))
	}
	return &Index{
		dims:   dims,
		stride: (dims + padding - 1) / padding * padding,
		rows:   make(map[int64]int),
	}
}

// Add stores the vector of what id names, made at (Unix milliseconds) and of a
// kind below 64; a vector already stored under the id is replaced. The vector
// has unit length, if the scores are to be cosines. The error wraps
// ErrDimensions, or says that the kind or a number is out of range.
func (x *Index) Add(id int64, at int64, kind uint8, v []float32) error {
	if err := x.check(v); err != nil {
		return fmt.Errorf("add vector %d: %w", id, err)
	}
	if kind >= maxKinds {
		return fmt.Errorf("add vector %d: kind %d, must be below %d", id, kind, maxKinds)
	}
	e := entry{id: id, at: at, kind: kind, code: encode(v, x.stride)}
	x.mu.Lock()
	defer x.mu.Unlock()
	if row, ok := x.rows[id]; ok {
		x.blocks[row/blockRows].set(row%blockRows, e)
		return nil
	}
	row := len(x.rows)
	if row%blockRows == 0 {
		x.blocks = append(x.blocks, &block{stride: x.stride})
	}
	x.blocks[row/blockRows].append(e)
	x.rows[id] = row
	return nil
}

// Remove forgets a vector and reports whether it was there. The last row takes
// its place, and what that row leaves is overwritten with zeros.
func (x *Index) Remove(id int64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	row, ok := x.rows[id]
	if !ok {
		return false
	}
	tail := x.blocks[len(x.blocks)-1]
	last := tail.entry(tail.len() - 1)
	x.blocks[row/blockRows].set(row%blockRows, last)
	x.rows[last.id] = row
	delete(x.rows, id)
	tail.drop()
	if tail.len() == 0 {
		x.blocks[len(x.blocks)-1] = nil
		x.blocks = x.blocks[:len(x.blocks)-1]
	}
	return true
}

// Len is the number of vectors.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.rows)
}

// Bytes is about what the index occupies.
func (x *Index) Bytes() int64 {
	const mapEntry = 24 // id, row, and the map's own share
	x.mu.RLock()
	defer x.mu.RUnlock()
	bytes := int64(len(x.rows)) * mapEntry
	for _, b := range x.blocks {
		bytes += b.bytes()
	}
	return bytes
}

// check refuses what cannot be scored.
func (x *Index) check(v []float32) error {
	if len(v) != x.dims {
		return fmt.Errorf("%w: %d, want %d", ErrDimensions, len(v), x.dims)
	}
	for i, number := range v {
		if f := float64(number); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("number %d of the vector is %v", i, number)
		}
	}
	return nil
}
