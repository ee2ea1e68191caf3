package pdf

import (
	"context"
	"encoding/binary"
	"math"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// instance is a sandbox with one open file. It serves one goroutine. Its first error
// stays: whatever is called afterwards does nothing and answers with zero, so that err
// has to be looked at only before a result is believed.
type instance struct {
	module    api.Module
	file      *hostFile
	functions map[string]api.Function
	stack     [10]uint64
	idle      context.Context // for calls that nothing has to end
	err       error

	// exhausted tells that memory was asked for beyond the limit.
	exhausted bool
	release   func()
	scratch   uint32 // of scratchSize bytes, for what PDFium writes through pointers
}

const (
	scratchSize = 4096
	keySize     = 64 // for a string, behind the scratch space
)

type instanceKey struct{}

// within returns a context by which the host functions know whose call they serve.
func (i *instance) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, instanceKey{}, i)
}

// call calls a function that may take long: the end of the context ends it, and with it
// the instance.
func (i *instance) call(ctx context.Context, name string, args ...uint64) uint64 {
	if i.err != nil {
		return 0
	}
	f := i.functions[name]
	if f == nil {
		if f = i.module.ExportedFunction(name); f == nil {
			i.err = missingFunction(name)
			return 0
		}
		i.functions[name] = f
	}
	i.stack[0] = 0
	copy(i.stack[:], args)
	if ctx != i.idle {
		ctx = i.within(ctx)
	}
	if err := f.CallWithStack(ctx, i.stack[:]); err != nil {
		i.err = err
		if ctx.Err() != nil {
			i.err = context.Cause(ctx)
		}
		return 0
	}
	return i.stack[0]
}

// quick calls a function that only looks something up. To watch a context costs more
// than such a call.
func (i *instance) quick(name string, args ...uint64) uint64 {
	return i.call(i.idle, name, args...)
}

type missingFunction string

func (m missingFunction) Error() string { return "PDFium has no function " + string(m) }

// close gives the memory back. What was read from it with bytes is gone.
func (i *instance) close() {
	if i.release == nil {
		return
	}
	_ = i.module.Close(context.Background())
	i.release()
	i.release = nil
	if i.err == nil {
		i.err = errClosed
	}
}

// memory is how many bytes the instance holds.
func (i *instance) memory() int { return int(i.module.Memory().Size()) }

// space returns the address of scratchSize bytes, whose content the next call may
// change; 0 when there is no memory for them.
func (i *instance) space() uint64 {
	if i.scratch == 0 {
		i.scratch = uint32(i.quick("malloc", scratchSize+keySize))
	}
	return uint64(i.scratch)
}

// bytes is a view of the sandbox's memory, empty when that has no such place. It is
// valid until the next call.
func (i *instance) bytes(at uint64, n int) []byte {
	if i.err != nil || at == 0 || n < 0 {
		return nil
	}
	b, _ := i.module.Memory().Read(uint32(at), uint32(n))
	return b
}

// floats reads n numbers of 32 bits.
func (i *instance) floats(at uint64, into []float64) {
	b := i.bytes(at, 4*len(into))
	for k := range into {
		into[k] = 0
		if len(b) >= 4*k+4 {
			into[k] = finite(float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))))
		}
	}
}

// ints reads n numbers of 32 bits.
func (i *instance) ints(at uint64, into []int) {
	b := i.bytes(at, 4*len(into))
	for k := range into {
		into[k] = 0
		if len(b) >= 4*k+4 {
			into[k] = int(int32(binary.LittleEndian.Uint32(b[4*k:])))
		}
	}
}

// finite keeps what a hostile file computes out of our arithmetic.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.Abs(x) > 1e7 {
		return 0
	}
	return x
}

// text calls a function that writes UTF-16 with a zero at its end into a buffer and
// answers with the length in bytes, as those of PDFium do whose last two parameters are
// buffer and length. What is longer than the scratch space is left out.
func (i *instance) text(name string, args ...uint64) string {
	at := i.space()
	n := int(i.quick(name, append(args, at, scratchSize)...))
	if n < 2 || n > scratchSize {
		return ""
	}
	b := i.bytes(at, n)
	units := make([]uint16, 0, n/2)
	for k := 0; k+1 < len(b); k += 2 {
		u := binary.LittleEndian.Uint16(b[k:])
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// key puts a short string behind the scratch space.
func (i *instance) key(s string) uint64 {
	at := i.space() + scratchSize
	copy(i.bytes(at, keySize), s+"\x00")
	return at
}
