//go:build unix

package pdf

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// reserved is a memory whose addresses are taken at once, while the system gives it
// only what is touched; Free returns that at once too.
type reserved struct{ bytes []byte }

// reserve returns nil when the system has no such room.
func reserve(most uint64) experimental.LinearMemory {
	b, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return &reserved{b}
}

func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.bytes)) {
		return nil
	}
	return r.bytes[:size:size]
}

func (r *reserved) Free() {
	if r.bytes != nil {
		_ = syscall.Munmap(r.bytes)
		r.bytes = nil
	}
}
