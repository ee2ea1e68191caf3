package vector

import (
	"math"
	"math/rand/v2"
)

// isotropic returns random vectors of unit length, in no direction in particular.
func isotropic(random *rand.Rand, count, dims int) [][]float32 {
	vectors := make([][]float32, count)
	for i := range vectors {
		vectors[i] = unit(random, make([]float32, dims), 1)
	}
	return vectors
}

// clustered returns vectors of unit length around a few centres, as close as
// notes about one subject are (cosine about .7 between neighbours).
func clustered(random *rand.Rand, count, dims, centres int) [][]float32 {
	around := isotropic(random, centres, dims)
	vectors := make([][]float32, count)
	for i := range vectors {
		vectors[i] = unit(random, around[i%centres], 0.65)
	}
	return vectors
}

// unit adds noise of about the given length to a centre and normalises.
func unit(random *rand.Rand, centre []float32, noise float64) []float32 {
	v := make([]float32, len(centre))
	var squares float64
	for i := range v {
		x := float64(centre[i]) + random.NormFloat64()*noise/math.Sqrt(float64(len(v)))
		v[i] = float32(x)
		squares += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(squares))
	}
	return v
}

// bruteForce is the definition of a search: every float32, one core, no tricks.
// The ids are the places in the slice.
func bruteForce(vectors [][]float32, q []float32, k int) []Hit {
	best := newTop(k)
	for id, v := range vectors {
		var sum float32
		for i, x := range v {
			sum += x * q[i]
		}
		best.offer(Hit{int64(id), sum})
	}
	return best.sorted()
}
