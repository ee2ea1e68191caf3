package uselite

import (
	"math"
	"math/rand/v2"
	"testing"
)

// kernelSets are those that this build has and this processor runs, the plain
// one first; gemm_simd_test.go adds to them.
var kernelSets = []kernelSet{plainKernels}

// TestKernelsAgreeWithTheDefinition compares each kernel with sums in float64.
func TestKernelsAgreeWithTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, set := range kernelSets {
		t.Run(set.name, func(t *testing.T) {
			for _, inputs := range []int{16, 256, 512, 1536} {
				layer, rows := dense{floats(random, inputs*48), floats(random, 48)}, floats(random, 8*inputs)
				got := applyWith(set, layer, rows, 8)
				for i, x := range got {
					row, out := i/48, i%48
					want, magnitude := float64(layer.bias[out]), 1.0
					for k := range inputs {
						product := float64(rows[row*inputs+k]) * float64(layer.weights[k*48+out])
						want, magnitude = want+product, magnitude+math.Abs(product)
					}
					near(t, "block", x, want, magnitude)
				}
			}
			a, b := floats(random, 128), floats(random, 128)
			want, magnitude := 0.0, 1.0
			for i := range a {
				want += float64(a[i]) * float64(b[i])
				magnitude += math.Abs(float64(a[i]) * float64(b[i]))
			}
			near(t, "dot", set.dot(a, b), want, magnitude)
			sum := append([]float32(nil), a...)
			set.addScaled(sum, 0.7, b)
			for i := range sum {
				near(t, "addScaled", sum[i], float64(a[i])+float64(float32(0.7))*float64(b[i]), 4)
			}
		})
	}
}

// applyWith runs a layer on one set of kernels.
func applyWith(set kernelSet, d dense, rows []float32, count int) []float32 {
	defer func(before kernelSet) { kernels = before }(kernels)
	kernels = set
	l := newLinear(d)
	out := make([]float32, count*l.outputs)
	l.apply(out, rows, count)
	return out
}

func near(t *testing.T, what string, got float32, want, magnitude float64) {
	t.Helper()
	if difference := math.Abs(float64(got) - want); !(difference <= 1e-6*magnitude) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func floats(random *rand.Rand, n int) []float32 {
	numbers := make([]float32, n)
	for i := range numbers {
		numbers[i] = float32(random.NormFloat64())
	}
	return numbers
}
