//go:build goexperiment.simd && amd64

package uselite

import (
	"simd/archsimd"
	"testing"
)

func init() {
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		kernelSets = append(kernelSets, avx2Kernels)
	}
	if archsimd.X86.AVX512() {
		kernelSets = append(kernelSets, avx512Kernels)
	}
}

func TestTheBestKernelsAreChosen(t *testing.T) {
	if best := kernelSets[len(kernelSets)-1]; kernels.name != best.name {
		t.Errorf("%s kernels are in use, this processor runs %s", kernels.name, best.name)
	}
}
