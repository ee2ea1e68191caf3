//go:build !unix

package pdf

import "github.com/tetratelabs/wazero/experimental"

func reserve(uint64) experimental.LinearMemory { return nil }
