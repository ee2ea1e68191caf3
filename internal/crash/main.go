// Command crash kills a running server at random moments, again and again, and
// checks what a person would find afterwards: every turn ends, no event is
// missing or repeated, no side effect happens twice, every answer is stored once.
//
//	go run ./internal/crash --rounds 100
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
	rounds := flag.Int("rounds", 100, "how often to kill the server")
	binary := flag.String("binary", "", "the server to kill; built from this checkout when empty")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random moments")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, *binary, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int, binary string, seed uint64) error {
	dir, err := os.MkdirTemp("", "confidant-crash-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "confidant")
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, "confidant/cmd/confidant")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the server: %w", err)
		}
	}
	fmt.Printf("%d rounds, seed %d\n", rounds, seed)
	tally, err := Rounds(ctx, binary, dir, rounds, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	fmt.Println(tally)
	return nil
}
