package pdf

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// engine is PDFium's code, compiled at its first use. It holds no document: each one
// has an instance of its own, with a memory of its own.
type engine struct {
	wasm     []byte
	cacheDir string // where compiled code is kept between processes; "" for nowhere
	memory   uint32 // that an instance may take, in WebAssembly pages of 64 KiB

	mu       sync.Mutex
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	live     int  // instances
	closed   bool // the last instance closes the runtime
}

// errClosed is the error of documents that are opened after the end.
var errClosed = errors.New("PDFium was closed")

// acquire counts an instance. The first one compiles the code, which takes seconds, or
// reads it from the cache. The context of whoever comes first does not end that: others
// wait for the same.
func (e *engine) acquire(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	if e.compiled == nil {
		if err := e.compile(ctx); err != nil {
			return err
		}
	}
	e.live++
	return nil
}

// release ends an instance.
func (e *engine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.live--; e.closed && e.live == 0 {
		_ = e.runtime.Close(context.Background())
	}
}

func (e *engine) compile(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(e.memory)
	if e.cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(e.cacheDir)
		if err != nil {
			return fmt.Errorf("open the cache of compiled code: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	compiled, err := runtime.CompileModule(ctx, e.wasm)
	if err == nil {
		err = instantiateHost(ctx, runtime, compiled)
	}
	if err != nil {
		_ = runtime.Close(ctx)
		return fmt.Errorf("compile PDFium: %w", err)
	}
	e.runtime, e.compiled = runtime, compiled
	return nil
}

// instance makes a sandbox that sees one file.
func (e *engine) instance(ctx context.Context, f *hostFile) (*instance, error) {
	if err := e.acquire(ctx); err != nil {
		return nil, err
	}
	i := &instance{file: f, functions: map[string]api.Function{}, release: e.release}
	i.idle = i.within(context.Background())
	// Names would be those of the whole runtime, so an instance has none.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	module, err := e.runtime.InstantiateModule(experimental.WithMemoryAllocator(i.within(ctx), allocate), e.compiled, config)
	if err != nil {
		e.release()
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	i.module = module
	for _, name := range []string{"emscripten_stack_init", "__wasm_call_ctors", "FPDF_InitLibrary"} {
		i.call(ctx, name)
	}
	if err := i.err; err != nil {
		i.close()
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return i, nil
}

// close lets nobody in, and ends PDFium with its last instance.
func (e *engine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if e.runtime == nil || e.live > 0 {
		return nil
	}
	return e.runtime.Close(context.Background())
}
