// Command bench measures what Confidant promises, as ratios against baselines
// taken in the same run, so that a slow or busy machine spoils little:
//
//	go run ./internal/bench
//	go run ./internal/bench --only search
//
// It builds the server, and itself, as releases are built.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// benchmark is one thing to measure; it returns the lines of the table.
type benchmark struct {
	name string
	run  func(context.Context, *bench) ([]figure, error)
}

// benchmarks in the order in which they run.
var benchmarks = []benchmark{
	{"start", measureStart},
	{"ttft", measureFirstToken},
	{"streams", measureStreams},
	{"journal", measureJournal},
	{"search", measureSearch},
	{"growth", measureGrowth},
	{"vector", measureVector},
	{"library", measureLibrary},
}

// bench is what the benchmarks share.
type bench struct {
	dir   string // for everything that is written, removed at the end
	large bool   // measure also what takes long
	pdfs  string // folder of real PDFs
}

// errOver says that a figure missed its target.
var errOver = errors.New("a figure is over its target")

func main() {
	only := flag.String("only", "", "run this one: "+names())
	dir := flag.String("dir", "", "folder to write to, on the disk to measure; a temporary one when empty")
	large := flag.Bool("large", false, "measure a million segments of one person, too")
	pdfs := flag.String("pdfs", "bin/pdfs", "folder of PDFs to read (make pdfs)")
	plain := flag.Bool("plain", false, "measure this build as it is, and print JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *dir, *pdfs, *plain, *large); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func names() string {
	var list []string
	for _, b := range benchmarks {
		list = append(list, b.name)
	}
	return strings.Join(list, ", ")
}

func run(ctx context.Context, only, parent, pdfs string, plain, large bool) error {
	if only != "" && !slices.ContainsFunc(benchmarks, func(b benchmark) bool { return b.name == only }) {
		return fmt.Errorf("there is no benchmark %q; there are %s", only, names())
	}
	dir, err := os.MkdirTemp(parent, "confidant-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, large: large, pdfs: pdfs}
	if !plain && !vectorised && runtime.GOARCH == "amd64" {
		return b.again(ctx, only)
	}
	var all []figure
	for _, m := range benchmarks {
		if only != "" && m.name != only {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s\n", m.name)
		figures, err := m.run(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		all = append(all, figures...)
	}
	if plain {
		return json.NewEncoder(os.Stdout).Encode(all)
	}
	return print(os.Stdout, all)
}

// again runs this program anew in the build of a release.
func (b *bench) again(ctx context.Context, only string) error {
	self, err := b.build(ctx, "confidant/internal/bench", true)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "--only", only, "--dir", b.dir, "--pdfs", b.pdfs, fmt.Sprintf("--large=%t", b.large))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// build compiles a command of this module as releases are compiled, or without
// what only amd64 has, and returns the binary's path.
func (b *bench) build(ctx context.Context, command string, release bool) (string, error) {
	binary := filepath.Join(b.dir, filepath.Base(filepath.Dir(command))+"-"+filepath.Base(command))
	experiment := "nosimd"
	if release && runtime.GOARCH == "amd64" {
		experiment = "simd"
		binary += "-simd"
	}
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, command)
	cmd.Env = append(os.Environ(), "GOEXPERIMENT="+experiment)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build %s: %w", command, err)
	}
	return binary, nil
}
