package pdf

import (
	"context"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
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
}

// start compiles the code, which takes seconds, or reads it from the cache. The context
// of whoever comes first does not end it: others wait for the same.
func (e *engine) start(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.compiled != nil {
		return nil
	}
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
	if err := e.start(ctx); err != nil {
		return nil, err
	}
	i := &instance{file: f, functions: map[string]api.Function{}}
	i.idle = i.within(context.Background())
	// Names would be those of the whole runtime, so an instance has none.
	module, err := e.runtime.InstantiateModule(i.within(ctx), e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	i.module = module
	for _, name := range []string{"emscripten_stack_init", "__wasm_call_ctors", "FPDF_InitLibrary"} {
		i.call(ctx, name)
	}
	if i.err != nil {
		i.close()
		return nil, fmt.Errorf("start PDFium: %w", i.err)
	}
	return i, nil
}

func (e *engine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runtime == nil {
		return nil
	}
	err := e.runtime.Close(context.Background())
	e.runtime, e.compiled = nil, nil
	return err
}
