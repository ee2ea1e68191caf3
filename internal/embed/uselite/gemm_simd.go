//go:build goexperiment.simd && amd64

package uselite

import "simd/archsimd"

func init() {
	switch {
	case archsimd.X86.AVX512():
		kernels = avx512Kernels
	case archsimd.X86.AVX2() && archsimd.X86.FMA():
		kernels = avx2Kernels
	}
}

var (
	avx2Kernels   = kernelSet{"AVX2", avx2Block, avx2Dot, avx2AddScaled}
	avx512Kernels = kernelSet{"AVX-512", avx512Block, avx512Dot, avx512AddScaled}
)

// avx2Block keeps 4 rows × 16 outputs in eight registers of eight floats.
func avx2Block(dst []float32, stride int, src []float32, inputs int, panel []float32, bias *[panelWidth]float32) {
	a := src[0*inputs:][:inputs]
	b := src[1*inputs:][:inputs]
	c := src[2*inputs:][:inputs]
	d := src[3*inputs:][:inputs]
	a0, a1 := archsimd.LoadFloat32x8Slice(bias[:8]), archsimd.LoadFloat32x8Slice(bias[8:])
	b0, b1, c0, c1, d0, d1 := a0, a1, a0, a1, a0, a1
	for i := range inputs {
		weights := (*[panelWidth]float32)(panel[i*panelWidth:])
		w0, w1 := archsimd.LoadFloat32x8Slice(weights[:8]), archsimd.LoadFloat32x8Slice(weights[8:])
		x := archsimd.BroadcastFloat32x8(a[i])
		a0, a1 = x.MulAdd(w0, a0), x.MulAdd(w1, a1)
		x = archsimd.BroadcastFloat32x8(b[i])
		b0, b1 = x.MulAdd(w0, b0), x.MulAdd(w1, b1)
		x = archsimd.BroadcastFloat32x8(c[i])
		c0, c1 = x.MulAdd(w0, c0), x.MulAdd(w1, c1)
		x = archsimd.BroadcastFloat32x8(d[i])
		d0, d1 = x.MulAdd(w0, d0), x.MulAdd(w1, d1)
	}
	a0.StoreSlice(dst[0*stride:])
	a1.StoreSlice(dst[0*stride+8:])
	b0.StoreSlice(dst[1*stride:])
	b1.StoreSlice(dst[1*stride+8:])
	c0.StoreSlice(dst[2*stride:])
	c1.StoreSlice(dst[2*stride+8:])
	d0.StoreSlice(dst[3*stride:])
	d1.StoreSlice(dst[3*stride+8:])
	archsimd.ClearAVXUpperBits()
}

// avx512Block takes two inputs at a time, so that eight sums are under way and
// none waits for the one before it.
func avx512Block(dst []float32, stride int, src []float32, inputs int, panel []float32, bias *[panelWidth]float32) {
	a := src[0*inputs:][:inputs]
	b := src[1*inputs:][:inputs]
	c := src[2*inputs:][:inputs]
	d := src[3*inputs:][:inputs]
	a0 := archsimd.LoadFloat32x16(bias)
	b0, c0, d0 := a0, a0, a0
	var a1, b1, c1, d1 archsimd.Float32x16
	for i := 0; i+2 <= inputs; i += 2 {
		weights := (*[2 * panelWidth]float32)(panel[i*panelWidth:])
		w0 := archsimd.LoadFloat32x16Slice(weights[:panelWidth])
		w1 := archsimd.LoadFloat32x16Slice(weights[panelWidth:])
		a0 = archsimd.BroadcastFloat32x16(a[i]).MulAdd(w0, a0)
		b0 = archsimd.BroadcastFloat32x16(b[i]).MulAdd(w0, b0)
		c0 = archsimd.BroadcastFloat32x16(c[i]).MulAdd(w0, c0)
		d0 = archsimd.BroadcastFloat32x16(d[i]).MulAdd(w0, d0)
		a1 = archsimd.BroadcastFloat32x16(a[i+1]).MulAdd(w1, a1)
		b1 = archsimd.BroadcastFloat32x16(b[i+1]).MulAdd(w1, b1)
		c1 = archsimd.BroadcastFloat32x16(c[i+1]).MulAdd(w1, c1)
		d1 = archsimd.BroadcastFloat32x16(d[i+1]).MulAdd(w1, d1)
	}
	a0.Add(a1).StoreSlice(dst[0*stride:])
	b0.Add(b1).StoreSlice(dst[1*stride:])
	c0.Add(c1).StoreSlice(dst[2*stride:])
	d0.Add(d1).StoreSlice(dst[3*stride:])
	archsimd.ClearAVXUpperBits()
}

func avx2Dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1 archsimd.Float32x8
	for ; len(a) >= 16 && len(b) >= 16; a, b = a[16:], b[16:] {
		s0 = archsimd.LoadFloat32x8Slice(a).MulAdd(archsimd.LoadFloat32x8Slice(b), s0)
		s1 = archsimd.LoadFloat32x8Slice(a[8:]).MulAdd(archsimd.LoadFloat32x8Slice(b[8:]), s1)
	}
	return sum8(s0.Add(s1))
}

func avx512Dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s archsimd.Float32x16
	for ; len(a) >= 16 && len(b) >= 16; a, b = a[16:], b[16:] {
		s = archsimd.LoadFloat32x16Slice(a).MulAdd(archsimd.LoadFloat32x16Slice(b), s)
	}
	return sum8(s.GetLo().Add(s.GetHi()))
}

// sum8 adds up a register and leaves the vector unit clean.
func sum8(x archsimd.Float32x8) float32 {
	var lanes [8]float32
	x.Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

func avx2AddScaled(a []float32, factor float32, b []float32) {
	b = b[:len(a)]
	x := archsimd.BroadcastFloat32x8(factor)
	for ; len(a) >= 8 && len(b) >= 8; a, b = a[8:], b[8:] {
		x.MulAdd(archsimd.LoadFloat32x8Slice(b), archsimd.LoadFloat32x8Slice(a)).StoreSlice(a)
	}
	archsimd.ClearAVXUpperBits()
}

func avx512AddScaled(a []float32, factor float32, b []float32) {
	b = b[:len(a)]
	x := archsimd.BroadcastFloat32x16(factor)
	for ; len(a) >= 16 && len(b) >= 16; a, b = a[16:], b[16:] {
		x.MulAdd(archsimd.LoadFloat32x16Slice(b), archsimd.LoadFloat32x16Slice(a)).StoreSlice(a)
	}
	archsimd.ClearAVXUpperBits()
}
