package pdf

import "github.com/tetratelabs/wazero/experimental"

// allocate makes the memory of a sandbox. wazero's own grows by copying, and what was
// copied waits for the collector: a document that may have 512 MiB took two gigabytes.
var allocate = experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
	if m := reserve(most); m != nil {
		return m
	}
	return &copied{most: most}
})

// copied is a memory for systems that cannot reserve addresses.
type copied struct {
	bytes []byte
	most  uint64
}

func (c *copied) Reallocate(size uint64) []byte {
	if size > c.most {
		return nil
	}
	if size > uint64(cap(c.bytes)) {
		larger := make([]byte, size, min(size+size/4, c.most))
		copy(larger, c.bytes)
		c.bytes = larger
	}
	c.bytes = c.bytes[:size]
	return c.bytes
}

func (c *copied) Free() { c.bytes = nil }
