package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"confidant/internal/search"
	"confidant/internal/store/sqlite"
)

// measureGrowth looks at one person with more and more segments: how fast they
// are taken in, how long a search takes, and what it costs in memory and disk.
// A million takes a quarter of an hour and is measured with --large.
func measureGrowth(ctx context.Context, b *bench) ([]figure, error) {
	sizes := []int{10_000, 100_000}
	if b.large {
		sizes = append(sizes, 1_000_000)
	}
	var figures []figure
	var before *growth
	for _, size := range sizes {
		g, err := grow(ctx, filepath.Join(b.dir, fmt.Sprint("growth-", size)), size)
		if err != nil {
			return nil, err
		}
		figures = append(figures, g.figures(before)...)
		before = &g
	}
	return figures, nil
}

// growth is what one size costs.
type growth struct {
	segments     int
	throughput   float64 // segments a second, with the index of words
	p50, p99     time.Duration
	memory, disk float64 // MB
}

func grow(ctx context.Context, dir string, segments int) (g growth, err error) {
	defer os.RemoveAll(dir)
	g.segments = segments
	debug.FreeOSMemory()
	idle, err := resident()
	if err != nil {
		return g, err
	}
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		return g, err
	}
	defer store.Close()
	user, err := store.EnsureUser(ctx, "grows")
	if err != nil {
		return g, err
	}
	c := newCorpus(13)
	took, err := timed(func() error { return c.say(ctx, store, user.ID, segments) })
	if err != nil {
		return g, err
	}
	g.throughput = float64(segments) / took.Seconds()
	if err := c.embed(ctx, store); err != nil {
		return g, err
	}
	var questions []string
	for range searchTimes {
		questions = append(questions, c.question())
	}
	core := search.New(store, store, &prepared{corpus: c})
	find := func(i int) error {
		_, err := core.Search(ctx, search.Query{UserID: user.ID, Text: questions[i], Limit: 10, Around: 1})
		return err
	}
	if _, err := repeat(20, find); err != nil { // reads the index, warms the caches
		return g, err
	}
	list, err := repeat(searchTimes, find)
	if err != nil {
		return g, err
	}
	g.p50, g.p99 = median(list), quantile(list, 0.99)
	debug.FreeOSMemory()
	busy, err := resident()
	if err != nil {
		return g, err
	}
	g.memory = busy - idle
	g.disk, err = folderSize(dir)
	return g, err
}

// figures are those of one size, each beside that of the size before.
func (g growth) figures(before *growth) []figure {
	name := "growth: " + grouped(g.segments) + " segments, "
	list := []figure{
		{Name: name + "taken in a second", Value: g.throughput, Unit: "segments"},
		{Name: name + "search, median", Value: ms(g.p50), Unit: "ms"},
		{Name: name + "search, p99", Value: ms(g.p99), Unit: "ms"},
		{Name: name + "memory with the index of meaning", Value: g.memory, Unit: "MB"},
		{Name: name + "disk", Value: g.disk, Unit: "MB"},
	}
	if before != nil {
		for i, f := range before.figures(nil) {
			list[i].Baseline, list[i].BaselineName = f.Value, grouped(before.segments)
		}
	}
	return list
}

// resident is the memory of this process, in MB.
func resident() (float64, error) {
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("read memory: %w", err)
	}
	fields := bytes.Fields(content)
	if len(fields) < 2 {
		return 0, fmt.Errorf("read memory: %q", content)
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	return pages * float64(os.Getpagesize()) / 1e6, err
}

// folderSize is what the files of a folder take, in MB.
func folderSize(dir string) (float64, error) {
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return float64(bytes) / 1e6, err
}

// grouped is a number with commas.
func grouped(n int) string { return message.NewPrinter(language.English).Sprintf("%d", n) }
