//go:build !goexperiment.simd || !amd64

package main

// vectorised says that this program was built as releases for amd64 are.
const vectorised = false
