package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

type exportCommand struct {
	File string `arg:"" help:"The zip file to write. confidant import takes it back."`
}

// Run writes beside the file and renames at the end, so that there is a whole
// archive or none.
func (e *exportCommand) Run(ctx context.Context, c *commands) (err error) {
	a, release, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	file, err := os.CreateTemp(filepath.Dir(e.File), ".confidant-export-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", e.File, err)
	}
	defer os.Remove(file.Name()) // gone already when all went well
	err = a.Export(ctx, file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), e.File); err != nil {
		return fmt.Errorf("write %s: %w", e.File, err)
	}
	info, err := os.Stat(e.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.streams.out, "wrote %s (%d bytes)\n", e.File, info.Size())
	return nil
}
