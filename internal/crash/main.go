// Command crash kills a running server at random moments, again and again, and
// checks what a person would find afterwards: every turn ends, no event is
// missing or repeated, no side effect happens twice, every answer is stored once.
//
//	go run ./internal/crash --rounds 100
//	go run ./internal/crash --imports 20
//	go run ./internal/crash --files 20
//
// The second kills it in the middle of imports, the third while it reads files;
// both compare what is there in the end with what an undisturbed run leaves.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 0, "how often to kill the server in the middle of a turn")
	imports := flag.Int("imports", 0, "how many imports to disturb")
	files := flag.Int("files", 0, "how often to disturb the reading of files")
	pdfs := flag.String("pdfs", "bin/pdfs", "folder of PDFs for that (make pdfs)")
	binary := flag.String("binary", "", "the server to kill; built from this checkout when empty")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random moments")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := plan{rounds: *rounds, imports: *imports, files: *files, pdfs: *pdfs, binary: *binary, seed: *seed}
	if err := p.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

// plan is what to disturb, and how often.
type plan struct {
	rounds, imports, files int
	pdfs, binary           string
	seed                   uint64
}

func (p plan) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "confidant-crash-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := p.binary
	if binary == "" {
		binary = filepath.Join(dir, "confidant")
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, "confidant/cmd/confidant")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the server: %w", err)
		}
	}
	fmt.Printf("%d turns, %d imports, %d libraries, seed %d\n", p.rounds, p.imports, p.files, p.seed)
	random := rand.New(rand.NewPCG(p.seed, 0))
	if p.rounds > 0 {
		tally, err := Rounds(ctx, binary, dir, p.rounds, random)
		if err != nil {
			return fmt.Errorf("seed %d: %w", p.seed, err)
		}
		fmt.Println(tally)
	}
	if p.imports > 0 {
		kills, err := Imports(ctx, binary, dir, p.imports, random)
		if err != nil {
			return fmt.Errorf("seed %d: %w", p.seed, err)
		}
		fmt.Printf("%4d imports of %d conversations, killed %d times: each left what an undisturbed one leaves\n", p.imports, len(talks()), kills)
	}
	if p.files > 0 {
		tally, err := Files(ctx, binary, dir, p.pdfs, p.files, random)
		if err != nil {
			return fmt.Errorf("seed %d: %w", p.seed, err)
		}
		fmt.Println(tally)
	}
	return nil
}
