package vector

import "math"

// A number is coded as one byte, the middle of the range standing for 0:
// byte = middle + round(number / scale), where the largest number of the vector
// is ±levels steps. Seven bits and no sign, since then four products of bytes
// add up within 16 bits (4 × 127² < 2¹⁶), which is what makes the plain kernel
// fast, and two within 15, which is what AVX2 multiplies in one instruction. The
// eighth bit would not be missed: candidates are scored again in float32.
const (
	middle = 64
	levels = 63
	// padding rounds rows up to whole AVX-512 registers with bytes of 0.
	padding = 64
)

// code is a vector of one byte per dimension.
type code struct {
	bytes []byte
	scale float32 // what one step is worth
	sum   int32   // of the bytes
}

// encode quantises a vector into stride bytes.
func encode(v []float32, stride int) code {
	var largest float32
	for _, x := range v {
		largest = max(largest, float32(math.Abs(float64(x))))
	}
	c := code{bytes: make([]byte, stride), scale: largest / levels}
	for i, x := range v {
		steps := 0.0
		if largest > 0 {
			steps = math.RoundToEven(float64(x) / float64(largest) * levels)
		}
		c.bytes[i] = byte(middle + int(steps))
		c.sum += int32(c.bytes[i])
	}
	return c
}

// inner turns the dot product of two rows of bytes into that of the steps:
// Σ(a−m)(b−m) = Σab − m·Σa − m·Σb + m²·dims.
func inner(dot, sumA, sumB int32, dims int) int32 {
	return dot - middle*(sumA+sumB) + middle*middle*int32(dims)
}
