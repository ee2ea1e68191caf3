package uselite

const (
	panelWidth = 16 // outputs that a kernel computes at once: one AVX-512 register
	blockRows  = 4  // rows of activations that share each load of a weight
)

// linear is a dense layer laid out for the kernels: the outputs are cut into
// panels of 16, and a panel holds its 16 weights of input 0, then of input 1, …
type linear struct {
	inputs, outputs int // outputs is a multiple of panelWidth
	panels          []float32
	bias            []float32
}

// newLinear lays out row-major weights (inputs × outputs).
func newLinear(d dense) linear {
	outputs := len(d.bias)
	l := linear{
		inputs:  len(d.weights) / outputs,
		outputs: outputs,
		panels:  make([]float32, 0, len(d.weights)),
		bias:    d.bias,
	}
	for first := 0; first < outputs; first += panelWidth {
		for input := range l.inputs {
			at := input*outputs + first
			l.panels = append(l.panels, d.weights[at:at+panelWidth]...)
		}
	}
	return l
}

// apply sets dst (rows × outputs) to src (rows × inputs) × weights + bias. Rows
// are counted up to a multiple of blockRows, so both slices have room for that;
// what stands in the surplus rows has no meaning.
func (l *linear) apply(dst, src []float32, rows int) {
	for first := 0; first < l.outputs; first += panelWidth {
		panel := l.panels[first*l.inputs:][:panelWidth*l.inputs]
		bias := (*[panelWidth]float32)(l.bias[first:])
		for row := 0; row < rows; row += blockRows {
			kernels.block(dst[row*l.outputs+first:], l.outputs, src[row*l.inputs:], l.inputs, panel, bias)
		}
	}
}

// kernelSet is the arithmetic that a processor does best.
type kernelSet struct {
	name string
	// block computes 4 rows × 16 outputs: dst has a row every stride numbers,
	// src one every inputs numbers, panel holds 16 × inputs weights.
	block func(dst []float32, stride int, src []float32, inputs int, panel []float32, bias *[panelWidth]float32)
	// dot is the inner product of two vectors whose length is a multiple of 16.
	dot func(a, b []float32) float32
	// addScaled adds factor × b to a, of the same lengths.
	addScaled func(a []float32, factor float32, b []float32)
}

// kernels is chosen once, when the program starts.
var kernels = plainKernels

var plainKernels = kernelSet{"plain", plainBlock, plainDot, plainAddScaled}

// plainBlock computes two outputs of four rows at a time: eight sums, which is
// what fits the registers of a processor without vector instructions in use.
// The race detector does not look in here, or tests would take minutes; it sees
// the same slices wherever else they are read and written.
//
//go:norace
func plainBlock(dst []float32, stride int, src []float32, inputs int, panel []float32, bias *[panelWidth]float32) {
	a := src[0*inputs:][:inputs]
	b := src[1*inputs:][:inputs]
	c := src[2*inputs:][:inputs]
	d := src[3*inputs:][:inputs]
	for out := 0; out < panelWidth; out += 2 {
		a0, b0, c0, d0 := bias[out], bias[out], bias[out], bias[out]
		a1, b1, c1, d1 := bias[out+1], bias[out+1], bias[out+1], bias[out+1]
		for i := range inputs {
			weights := panel[i*panelWidth+out:][:2]
			w0, w1 := weights[0], weights[1]
			a0 += a[i] * w0
			a1 += a[i] * w1
			b0 += b[i] * w0
			b1 += b[i] * w1
			c0 += c[i] * w0
			c1 += c[i] * w1
			d0 += d[i] * w0
			d1 += d[i] * w1
		}
		dst[0*stride+out], dst[0*stride+out+1] = a0, a1
		dst[1*stride+out], dst[1*stride+out+1] = b0, b1
		dst[2*stride+out], dst[2*stride+out+1] = c0, c1
		dst[3*stride+out], dst[3*stride+out+1] = d0, d1
	}
}

func plainDot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for i := 0; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return s0 + s1 + s2 + s3
}

func plainAddScaled(a []float32, factor float32, b []float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += factor * b[i]
	}
}
