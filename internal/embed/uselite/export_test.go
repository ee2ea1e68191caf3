package uselite

// Tokens shows the tokenizer's ids to the tests.
func (e *Encoder) Tokens(text string) []int32 { return e.tokenizer.encode(text) }

// EachKernelSet calls f with every set of kernels that this build has and this
// processor runs, each in use meanwhile; the plain one comes first.
func EachKernelSet(f func(name string)) {
	defer func(before kernelSet) { kernels = before }(kernels)
	for _, set := range kernelSets {
		kernels = set
		f(set.name)
	}
}
