package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"confidant/internal/search/vector"
)

// measureVector scans 100,000 vectors in this build, and, when this one uses the
// processor's wide registers, in one that does not.
func measureVector(ctx context.Context, b *bench) ([]figure, error) {
	c := newCorpus(11)
	index := vector.New(dimensions)
	vectors := make([][]float32, searchLarge)
	for id := range vectors {
		vectors[id] = c.vector()
		if err := index.Add(int64(id), 0, 0, vectors[id]); err != nil {
			return nil, err
		}
	}
	f := figure{Name: "vectors: 100,000 in the plain build, median", BaselineName: "a float32 scan", Unit: "ms", Target: 6}
	if vectorised {
		f.Name, f.Target = "vectors: 100,000 in the release build, median", 2
	}
	var scans, naive []time.Duration
	for i := range searchTimes {
		q := c.vector()
		took, err := timed(func() error { _, err := index.Search(q, 100, vector.Filter{}, nil); return err })
		if err != nil {
			return nil, err
		}
		scans = append(scans, took)
		if i%20 == 0 {
			took, _ := timed(func() error { runtime.KeepAlive(nearest(vectors, q)); return nil })
			naive = append(naive, took)
		}
	}
	f.Value, f.Baseline = ms(median(scans)), ms(median(naive))
	reads, err := bandwidth(len(vectors) * dimensions)
	if err != nil {
		return nil, err
	}
	// One byte a dimension is read; the baseline reads as many and does nothing else.
	scanned := func(d time.Duration) float64 { return float64(len(vectors)*dimensions) / d.Seconds() / 1e9 }
	figures := []figure{f, {Name: f.Name[:len(f.Name)-len(", median")] + ", bytes scanned a second", Value: scanned(median(scans)),
		Baseline: scanned(median(reads)), BaselineName: "reading alone", Unit: "GB/s"}}
	if !vectorised {
		return figures, nil
	}
	plain, err := b.build(ctx, "confidant/internal/bench", false)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, plain, "--only", "vector", "--plain", "--dir", b.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the plain build: %w", err)
	}
	var more []figure
	if err := json.Unmarshal(out, &more); err != nil {
		return nil, err
	}
	return append(figures, more...), nil
}

// bandwidth times reading so many bytes of memory on all cores.
func bandwidth(size int) ([]time.Duration, error) {
	memory := make([]byte, size)
	for i := range memory {
		memory[i] = byte(i)
	}
	cores := runtime.GOMAXPROCS(0)
	part := size / cores &^ 63
	return repeat(50, func(int) error {
		sums := make([]uint64, cores)
		var group sync.WaitGroup
		for core := range cores {
			group.Go(func() { sums[core] = readAll(memory[core*part : (core+1)*part]) })
		}
		group.Wait()
		runtime.KeepAlive(sums)
		return nil
	})
}

// readAll reads 64 bytes a turn, so that memory and not the loop is the limit.
func readAll(bytes []byte) uint64 {
	var a, b, c, d uint64
	for ; len(bytes) >= 64; bytes = bytes[64:] {
		a += binary.LittleEndian.Uint64(bytes) + binary.LittleEndian.Uint64(bytes[32:])
		b += binary.LittleEndian.Uint64(bytes[8:]) + binary.LittleEndian.Uint64(bytes[40:])
		c += binary.LittleEndian.Uint64(bytes[16:]) + binary.LittleEndian.Uint64(bytes[48:])
		d += binary.LittleEndian.Uint64(bytes[24:]) + binary.LittleEndian.Uint64(bytes[56:])
	}
	return a + b + c + d
}

// nearest is the scan that needs no index, on one core.
func nearest(vectors [][]float32, q []float32) int {
	id, highest := 0, float32(-1)
	for i, v := range vectors {
		var sum float32
		for d, x := range v {
			sum += x * q[d]
		}
		if sum > highest {
			id, highest = i, sum
		}
	}
	return id
}
