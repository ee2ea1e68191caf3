// Command crash kills a running server at random moments, again and again, and
// checks what a person would find afterwards: every turn ends, no event is
// missing or repeated, no side effect happens twice, every answer is stored once.
//
//	go run ./internal/crash --rounds 100
//	go run ./internal/crash --imports 20
//
// The second kills it in the middle of imports and compares what is there in the
// end with what an undisturbed import leaves.
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
	binary := flag.String("binary", "", "the server to kill; built from this checkout when empty")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random moments")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *rounds, *imports, *binary, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds, imports int, binary string, seed uint64) error {
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
	fmt.Printf("%d turns, %d imports, seed %d\n", rounds, imports, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	if rounds > 0 {
		tally, err := Rounds(ctx, binary, dir, rounds, random)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		fmt.Println(tally)
	}
	if imports > 0 {
		kills, err := Imports(ctx, binary, dir, imports, random)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		fmt.Printf("%4d imports of %d conversations, killed %d times: each left what an undisturbed one leaves\n", imports, len(files()), kills)
	}
	return nil
}
