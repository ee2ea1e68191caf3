//go:build !race

package office_test

const scale = 1
