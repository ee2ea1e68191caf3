//go:build goexperiment.simd && amd64

package vector

import "simd/archsimd"

func init() {
	switch {
	case archsimd.X86.AVX512():
		scan = avx512Kernel
	case archsimd.X86.AVX2():
		scan = avx2Kernel
	}
}

var (
	avx2Kernel   = kernel{"AVX2", avx2Dots}
	avx512Kernel = kernel{"AVX-512", avx512Dots}
)

// avx2Dots adds neighbouring products to 16 bits, which cannot saturate with
// bytes below 128, and then neighbouring sums to 32.
func avx2Dots(out []int32, rows []byte, q *query) {
	ones := archsimd.BroadcastInt16x16(1)
	for i := range out {
		row := rows[i*len(q.bytes):][:len(q.bytes)]
		var sum, more archsimd.Int32x8
		for other := q.bytes; len(other) >= 64 && len(row) >= 64; other, row = other[64:], row[64:] {
			low := archsimd.LoadUint8x32Slice(row).DotProductPairsSaturated(archsimd.LoadUint8x32Slice(other).AsInt8x32())
			high := archsimd.LoadUint8x32Slice(row[32:]).DotProductPairsSaturated(archsimd.LoadUint8x32Slice(other[32:]).AsInt8x32())
			sum = sum.Add(low.DotProductPairs(ones))
			more = more.Add(high.DotProductPairs(ones))
		}
		out[i] = sum8(sum.Add(more))
	}
	archsimd.ClearAVXUpperBits()
}

// avx512Dots is avx2Dots in registers of 64 bytes. archsimd offers no VNNI in Go
// 1.26, which would do both steps in one.
func avx512Dots(out []int32, rows []byte, q *query) {
	ones := archsimd.BroadcastInt16x32(1)
	for i := range out {
		row := rows[i*len(q.bytes):][:len(q.bytes)]
		var sum archsimd.Int32x16
		for other := q.bytes; len(other) >= 64 && len(row) >= 64; other, row = other[64:], row[64:] {
			products := archsimd.LoadUint8x64Slice(row).DotProductPairsSaturated(archsimd.LoadUint8x64Slice(other).AsInt8x64())
			sum = sum.Add(products.DotProductPairs(ones))
		}
		out[i] = sum8(sum.GetLo().Add(sum.GetHi()))
	}
	archsimd.ClearAVXUpperBits()
}

// sum8 adds up a register.
func sum8(x archsimd.Int32x8) int32 {
	half := x.GetLo().Add(x.GetHi())
	return half.GetElem(0) + half.GetElem(1) + half.GetElem(2) + half.GetElem(3)
}
