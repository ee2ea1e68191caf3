package pdf

import "confidant/internal/library/extract"

// SandboxMemory is what the sandbox of an open document holds now, in bytes.
func SandboxMemory(d extract.Document) int {
	if file := d.(*document).file; file != nil {
		return file.memory()
	}
	return 0
}

// LimitMemory sets what a sandbox may take, in MiB, before the first is opened.
func LimitMemory(f *Format, mib uint32) { f.engine.memory = mib << 4 }
