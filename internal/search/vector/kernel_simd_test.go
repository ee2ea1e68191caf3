//go:build goexperiment.simd && amd64

package vector

import (
	"simd/archsimd"
	"testing"
)

func init() {
	if archsimd.X86.AVX2() {
		kernelSet = append(kernelSet, avx2Kernel)
	}
	if archsimd.X86.AVX512() {
		kernelSet = append(kernelSet, avx512Kernel)
	}
}

func TestTheBestKernelIsChosen(t *testing.T) {
	if best := kernelSet[len(kernelSet)-1]; scan.name != best.name {
		t.Errorf("the %s kernel is in use, this processor runs %s", scan.name, best.name)
	}
}
