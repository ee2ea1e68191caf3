package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measureStart times the server from nothing to ready, on an empty folder each
// time, against the same binary when it only prints its help.
func measureStart(ctx context.Context, b *bench) ([]figure, error) {
	binary, err := b.build(ctx, "confidant/cmd/confidant", true)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	var help, ready []time.Duration
	for i := range 6 {
		took, err := timed(func() error { return exec.CommandContext(ctx, binary, "--help").Run() })
		if err != nil {
			return nil, fmt.Errorf("--help: %w", err)
		}
		addr, err := freeAddress()
		if err != nil {
			return nil, err
		}
		http.DefaultClient.CloseIdleConnections()
		start := time.Now()
		p, err := spawn(binary, addr, "/readyz", nil, "serve", "--data", filepath.Join(b.dir, fmt.Sprint("start-", i)), "--listen", addr)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first reads the binary from the disk
			help, ready = append(help, took), append(ready, time.Since(start))
		}
		p.kill()
	}
	return []figure{
		{Name: "start to ready on an empty folder, median", Value: ms(median(ready)), Baseline: ms(median(help)),
			BaselineName: "confidant --help", Unit: "ms", Target: 300},
		{Name: "size of the binary", Value: float64(info.Size()) / 1e6, Unit: "MB", Target: 80},
	}, nil
}
