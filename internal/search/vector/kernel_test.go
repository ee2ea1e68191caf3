package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// kernelSet holds what this build has and this processor runs, the plain kernel
// first; kernel_simd_test.go adds to it.
var kernelSet = []kernel{plainKernel}

// TestKernelsAgreeWithTheDefinition checks every kernel against the sum of
// products, on random bytes and on the largest that a code can hold.
func TestKernelsAgreeWithTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, k := range kernelSet {
		t.Run(k.name, func(t *testing.T) {
			for _, stride := range []int{64, 128, 192, 512, 1536} {
				for _, value := range []func() byte{
					func() byte { return byte(random.UintN(2*middle - 1)) },
					func() byte { return middle + levels },
				} {
					const count = 5
					rows, other := bytesOf(count*stride, value), bytesOf(stride, value)
					var got [count]int32
					k.dots(got[:], rows, newQuery(code{bytes: other}))
					for row := range got {
						var want int32
						for i, b := range other {
							want += int32(rows[row*stride+i]) * int32(b)
						}
						if got[row] != want {
							t.Fatalf("stride %d, row %d: %d, want %d", stride, row, got[row], want)
						}
					}
				}
			}
		})
	}
}

func bytesOf(n int, value func() byte) []byte {
	list := make([]byte, n)
	for i := range list {
		list[i] = value()
	}
	return list
}

// TestCodesKeepTheScore: what a search computes from two codes is near the dot
// product of the vectors, whatever their lengths and the padding.
func TestCodesKeepTheScore(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, dims := range []int{1, 7, 64, 100, 512, 1536} {
		stride := New(dims).stride
		if stride%padding != 0 || stride < dims {
			t.Fatalf("%d dimensions: stride %d", dims, stride)
		}
		for range 20 {
			a := unit(random, make([]float32, dims), 1)
			b := unit(random, a, 1)
			codeA, codeB := encode(a, stride), encode(b, stride)
			var products [1]int32
			scan.dots(products[:], codeA.bytes, newQuery(codeB))
			got := float64(inner(products[0], codeA.sum, codeB.sum, dims)) * float64(codeA.scale) * float64(codeB.scale)
			if want := float64(dot(a, b)); math.Abs(got-want) > 0.01 {
				t.Errorf("%d dimensions: %v, want %v", dims, got, want)
			}
		}
	}
}

func TestCodeOfZero(t *testing.T) {
	c := encode(make([]float32, 3), padding)
	if c.scale != 0 || c.sum != 3*middle || c.bytes[3] != 0 {
		t.Errorf("scale %v, sum %d, padding %d", c.scale, c.sum, c.bytes[3])
	}
}
