package vector

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// BenchmarkSearch scans 100,000 vectors of 512 dimensions with each kernel that
// the build has. The ratios compare the fastest of a few searches with that of
// two baselines on the same memory, taken right after it, so that a neighbour on
// the machine disturbs them little:
//
//	GOEXPERIMENT=simd go test -run '^$' -bench Search ./internal/search/vector
//
//	scan/read   time of a search ÷ time of only reading the same codes
//	naive/scan  time of a scalar float32 scan on one core ÷ time of a search
func BenchmarkSearch(b *testing.B) {
	const count, dims = 100_000, 512
	vectors := isotropic(rand.New(rand.NewPCG(1, 1)), count, dims)
	index := filled(b, vectors)
	q := isotropic(rand.New(rand.NewPCG(2, 2)), 1, dims)[0]
	defer func(before kernel) { scan = before }(scan)
	for _, scan = range kernelSet {
		b.Run(scan.name, func(b *testing.B) {
			for b.Loop() {
				mustSearch(b, index, q, 10, Filter{})
			}
			search := fastest(func() { mustSearch(b, index, q, 10, Filter{}) })
			read := fastest(func() { readAll(index) })
			naive := fastest(func() { bruteForce(vectors, q, 10) })
			b.SetBytes(count * dims)
			b.ReportMetric(search.Seconds()/read.Seconds(), "scan/read")
			b.ReportMetric(naive.Seconds()/search.Seconds(), "naive/scan")
			b.ReportMetric(count*dims/read.Seconds()/1e6, "read-MB/s")
		})
	}
}

// BenchmarkSmall is a person of 10,000 vectors, and one who asks for a tenth of
// them by kind.
func BenchmarkSmall(b *testing.B) {
	const count, dims = 10_000, 512
	vectors := isotropic(rand.New(rand.NewPCG(3, 3)), count, dims)
	index := New(dims)
	for id, v := range vectors {
		if err := index.Add(int64(id), 0, uint8(id%10), v); err != nil {
			b.Fatal(err)
		}
	}
	for name, filter := range map[string]Filter{"all": {}, "filtered": {Kinds: KindsOf(3)}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mustSearch(b, index, vectors[0], 10, filter)
			}
		})
	}
}

// fastest of a few runs.
func fastest(run func()) time.Duration {
	best := time.Hour
	for range 7 {
		start := time.Now()
		run()
		best = min(best, time.Since(start))
	}
	return best
}

// sink keeps the compiler from leaving out the reading.
var sink uint64

// readAll reads every code once, on as many cores as a search uses.
func readAll(x *Index) {
	workers := runtime.GOMAXPROCS(0)
	sums := make([]uint64, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(x.blocks); i += workers {
				sums[worker] += readWords(x.blocks[i].codes)
			}
		})
	}
	group.Wait()
	for _, sum := range sums {
		sink += sum
	}
}

// readWords reads 64 bytes a turn, so that memory and not the loop is the limit.
func readWords(bytes []byte) uint64 {
	var a, b, c, d uint64
	for ; len(bytes) >= 64; bytes = bytes[64:] {
		a += binary.LittleEndian.Uint64(bytes) + binary.LittleEndian.Uint64(bytes[32:])
		b += binary.LittleEndian.Uint64(bytes[8:]) + binary.LittleEndian.Uint64(bytes[40:])
		c += binary.LittleEndian.Uint64(bytes[16:]) + binary.LittleEndian.Uint64(bytes[48:])
		d += binary.LittleEndian.Uint64(bytes[24:]) + binary.LittleEndian.Uint64(bytes[56:])
	}
	return a + b + c + d
}
