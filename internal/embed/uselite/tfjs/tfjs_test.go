package tfjs_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"confidant/internal/embed/uselite/tfjs"
)

// TestIncompletePackages: each says which part is missing or wrong. The whole
// package is read in the tests of uselite.
func TestIncompletePackages(t *testing.T) {
	const embeddings = `{"name":"module/Embeddings_en","shape":[1,2],"dtype":"float32"}`
	model := func(weights string) string {
		return `{"weightsManifest":[{"paths":["a","b"],"weights":[` + weights + `]}]}`
	}
	for name, c := range map[string]struct{ model, want string }{
		"no JSON":         {"{", "model.json: unexpected end of JSON"},
		"no such array":   {model(""), `no array "module/Embeddings_en"`},
		"another shape":   {model(embeddings), `"module/Embeddings_en" holds 2 numbers, not 8002 × 256`},
		"too few numbers": {model(embeddings + "," + embeddings), `the shards end before array "module/Embeddings_en"`},
		"another type":    {model(strings.Replace(embeddings, "float32", "int32", 1)), `no array "module/Embeddings_en"`},
	} {
		_, err := tfjs.Read(fstest.MapFS{
			"model.json": {Data: []byte(c.model)},
			"a":          {Data: make([]byte, 3)}, // a number may lie across two shards
			"b":          {Data: make([]byte, 5)},
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := tfjs.Read(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: error %v, want fs.ErrNotExist", err)
	}
}
