package pdf

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/emscripten"
)

// The one file that a sandbox sees, and the number under which it reads it.
const (
	guestPath = "/d.pdf"
	guestFile = 3
)

// hostFile is what the sandbox reads: nothing is loaded but what it asks for.
type hostFile struct {
	io.ReaderAt
	size   int64
	offset int64
	err    error // of the disk, not of the document
}

// Error numbers as Emscripten's C library has them.
const (
	errnoBadFile   = 8
	errnoInvalid   = 28
	errnoIO        = 29
	errnoNoEntry   = 44
	errnoNoSystem  = 52
	errnoForbidden = 63
)

// errAborted ends an instance whose program gave itself up.
var errAborted = errors.New("PDFium gave up")

// instantiateHost gives the sandbox the little that it needs from outside: one file to
// read, the time, and more memory up to the limit. Everything else is refused.
func instantiateHost(ctx context.Context, r wazero.Runtime, guest wazero.CompiledModule) error {
	invoke, err := emscripten.NewFunctionExporterForModule(guest)
	if err != nil {
		return err
	}
	env := r.NewHostModuleBuilder("env")
	invoke.ExportFunctions(env) // calls through the table, and longjmp
	for name, f := range environment {
		env.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	if _, err := env.Instantiate(ctx); err != nil {
		return err
	}
	wasi := r.NewHostModuleBuilder("wasi_snapshot_preview1")
	for name, f := range system {
		wasi.NewFunctionBuilder().WithFunc(f).Export(name)
	}
	_, err = wasi.Instantiate(ctx)
	return err
}

func of(ctx context.Context) *instance { return ctx.Value(instanceKey{}).(*instance) }

// environment is what Emscripten's C library imports; its signatures are those of
// the npm package's dist/index.js.
var environment = map[string]any{
	"__assert_fail": func(context.Context, int32, int32, int32, int32) { panic(errAborted) },
	"_abort_js":     func(context.Context) { panic(errAborted) },
	"_emscripten_memcpy_js": func(_ context.Context, m api.Module, to, from, n uint32) {
		b, ok := m.Memory().Read(from, n)
		if !ok || !m.Memory().Write(to, b) {
			panic(errAborted)
		}
	},
	"emscripten_resize_heap": resizeHeap,
	"emscripten_date_now":    func(context.Context) float64 { return float64(time.Now().UnixMilli()) },
	"_gmtime_js":             breakDown,
	"_localtime_js":          breakDown, // the sandbox lives in UTC
	"_tzset_js":              func(context.Context, int32, int32, int32, int32) {},

	"__syscall_openat": func(_ context.Context, m api.Module, _ int32, path uint32, flags, _ int32) int32 {
		const accessMode = 3 // O_RDONLY is 0
		name, ok := m.Memory().Read(path, uint32(len(guestPath)+1))
		if !ok || string(name) != guestPath+"\x00" {
			return -errnoNoEntry
		}
		if flags&accessMode != 0 {
			return -errnoForbidden
		}
		return guestFile
	},
	"__syscall_fstat64": func(ctx context.Context, m api.Module, fd int32, at uint32) int32 {
		if fd != guestFile {
			return -errnoBadFile
		}
		return stat(m, at, of(ctx).file.size)
	},
	"__syscall_stat64":     func(context.Context, int32, int32) int32 { return -errnoNoEntry },
	"__syscall_lstat64":    func(context.Context, int32, int32) int32 { return -errnoNoEntry },
	"__syscall_newfstatat": func(context.Context, int32, int32, int32, int32) int32 { return -errnoNoEntry },
	"__syscall_fcntl64":    func(context.Context, int32, int32, int32) int32 { return 0 },
	"__syscall_ftruncate64": func(context.Context, int32, int32, int32) int32 {
		return -errnoForbidden
	},
	"__syscall_getdents64": func(context.Context, int32, int32, int32) int32 { return -errnoNoSystem },
	"__syscall_ioctl":      func(context.Context, int32, int32, int32) int32 { return -errnoNoSystem },
	"__syscall_rmdir":      func(context.Context, int32) int32 { return -errnoForbidden },
	"__syscall_unlinkat":   func(context.Context, int32, int32, int32) int32 { return -errnoForbidden },
}

// system is the part of WASI that is imported. Emscripten passes the 64 bits of an
// offset as two numbers, which wazero's own fd_seek does not expect.
var system = map[string]any{
	"environ_sizes_get": func(_ context.Context, m api.Module, count, size uint32) int32 {
		m.Memory().WriteUint32Le(count, 0)
		m.Memory().WriteUint32Le(size, 0)
		return 0
	},
	"environ_get": func(context.Context, int32, int32) int32 { return 0 },
	"fd_close":    func(context.Context, int32) int32 { return 0 },
	"fd_sync":     func(context.Context, int32) int32 { return 0 },
	"fd_read":     read,
	"fd_seek":     seek,
	"fd_write": func(_ context.Context, m api.Module, _ int32, vectors, count, written uint32) int32 {
		// What PDFium prints can quote the document, so nobody hears it.
		n := uint32(0)
		for k := range min(count, 1024) {
			size, _ := m.Memory().ReadUint32Le(vectors + 8*k + 4)
			n += size
		}
		m.Memory().WriteUint32Le(written, n)
		return 0
	},
}

func read(ctx context.Context, m api.Module, fd int32, vectors, count, done uint32) int32 {
	if fd != guestFile {
		return errnoBadFile
	}
	f, total := of(ctx).file, 0
	for k := range min(count, 1024) {
		at, _ := m.Memory().ReadUint32Le(vectors + 8*k)
		size, _ := m.Memory().ReadUint32Le(vectors + 8*k + 4)
		buffer, ok := m.Memory().Read(at, size)
		if !ok {
			return errnoInvalid
		}
		n, err := f.ReadAt(buffer, f.offset)
		f.offset += int64(n)
		total += n
		if err != nil && !errors.Is(err, io.EOF) {
			f.err = err
			return errnoIO
		}
		if n < len(buffer) {
			break
		}
	}
	m.Memory().WriteUint32Le(done, uint32(total))
	return 0
}

func seek(ctx context.Context, m api.Module, fd int32, low, high uint32, whence int32, position uint32) int32 {
	if fd != guestFile {
		return errnoBadFile
	}
	f := of(ctx).file
	offset := int64(uint64(high)<<32 | uint64(low))
	switch whence {
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return errnoInvalid
	}
	f.offset = offset
	m.Memory().WriteUint64Le(position, uint64(offset))
	return 0
}

// stat writes a struct stat of musl for 32 bits that describes a regular file.
func stat(m api.Module, at uint32, size int64) int32 {
	const length, mode, links, sizeAt, blockSize, blocks = 96, 4, 8, 24, 32, 36
	b, ok := m.Memory().Read(at, length)
	if !ok {
		return -errnoInvalid
	}
	clear(b)
	m.Memory().WriteUint32Le(at+mode, 0o100444)
	m.Memory().WriteUint32Le(at+links, 1)
	m.Memory().WriteUint64Le(at+sizeAt, uint64(size))
	m.Memory().WriteUint32Le(at+blockSize, 4096)
	m.Memory().WriteUint32Le(at+blocks, uint32((size+511)/512))
	return 0
}

// resizeHeap makes the memory larger, by a fifth at least, so that a growing one is not
// copied again and again.
func resizeHeap(ctx context.Context, m api.Module, wanted uint32) int32 {
	const page = 64 << 10
	old := m.Memory().Size()
	for _, size := range []uint64{max(uint64(wanted), uint64(old)+uint64(old)/5), uint64(wanted)} {
		more := (size + page - 1 - uint64(old)) / page
		if _, ok := m.Memory().Grow(uint32(more)); ok {
			return 1
		}
	}
	of(ctx).exhausted = true
	return 0
}

// breakDown writes the fields of a struct tm.
func breakDown(_ context.Context, m api.Module, low, high uint32, at uint32) {
	t := time.Unix(int64(uint64(high)<<32|uint64(low)), 0).UTC()
	for k, v := range []int{t.Second(), t.Minute(), t.Hour(), t.Day(), int(t.Month()) - 1, t.Year() - 1900, int(t.Weekday()), t.YearDay() - 1} {
		m.Memory().WriteUint32Le(at+uint32(4*k), uint32(int32(v)))
	}
}
