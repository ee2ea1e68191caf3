package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"confidant/assets"
	"confidant/internal/embed"
	"confidant/internal/embed/uselite"
	"confidant/internal/llm"
)

type doctorCommand struct {
	Timeout time.Duration `help:"How long each model may take to answer." default:"15s"`
}

// The results of a check. Only missing makes the command fail.
const (
	checkFine    = "ok"
	checkNote    = "note" // Confidant works without it, less well
	checkMissing = "MISSING"
)

// doctor collects what it finds.
type doctor struct {
	c       *commands
	timeout time.Duration
	missing int
}

// Run looks at everything that Confidant needs, and says what to do about what
// is missing.
func (d *doctorCommand) Run(ctx context.Context, c *commands) error {
	if d.Timeout <= 0 {
		return fmt.Errorf("timeout is %s; it must be longer than nothing", d.Timeout)
	}
	doc := &doctor{c: c, timeout: d.Timeout}
	doc.folder()
	doc.built()
	doc.models(ctx)
	doc.embedder(ctx)
	doc.server(ctx)
	if doc.missing > 0 {
		return fmt.Errorf("%d of the things that are needed are missing", doc.missing)
	}
	return nil
}

func (d *doctor) tell(result, what, detail string) {
	if result == checkMissing {
		d.missing++
	}
	fmt.Fprintf(d.c.streams.out, "%-8s %-12s %s\n", result, what, detail)
}

// leastSpace is how much disk there should be.
const leastSpace = 1 << 30

// folder makes the data folder if it must, writes into it, and looks at the disk.
func (d *doctor) folder() {
	data := d.c.Data
	if err := os.MkdirAll(data, 0o700); err != nil {
		d.tell(checkMissing, "data folder", fmt.Sprintf("%s cannot be made: %v", data, reasonOf(err)))
		return
	}
	probe, err := os.CreateTemp(data, ".doctor-*")
	if err != nil {
		d.tell(checkMissing, "data folder", fmt.Sprintf("%s cannot be written to: %v", data, reasonOf(err)))
		return
	}
	_, err = probe.WriteString("probe")
	if err = errors.Join(err, probe.Close(), os.Remove(probe.Name())); err != nil {
		d.tell(checkMissing, "data folder", fmt.Sprintf("%s cannot be written to: %v", data, err))
		return
	}
	d.tell(checkFine, "data folder", data)
	var disk syscall.Statfs_t
	if err := syscall.Statfs(data, &disk); err != nil {
		d.tell(checkNote, "disk", fmt.Sprintf("its free space cannot be read: %v", err))
		return
	}
	free := disk.Bavail * uint64(disk.Bsize)
	result := checkFine
	if free < leastSpace {
		result = checkNote
	}
	d.tell(result, "disk", fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30)))
}

// built looks for what the build puts into the binary.
func (d *doctor) built() {
	for _, part := range []struct{ what, file, without string }{
		{"page", "web/index.html", "there is no page in the browser"},
		{"weights", uselite.Int8File, "the built-in embedder cannot work, and searches go by words only"},
		{"pdf", pdfium, "PDF files cannot be read"},
	} {
		if _, err := fs.Stat(assets.FS(), part.file); err != nil {
			d.tell(checkNote, part.what, "not in this binary: "+part.without+"; build it with: make assets build")
		} else {
			d.tell(checkFine, part.what, "built in")
		}
	}
	if _, err := exec.LookPath("tesseract"); err != nil {
		d.tell(checkNote, "pictures", "tesseract is not installed: the text of scans and pictures is not read")
	} else {
		d.tell(checkFine, "pictures", "read by tesseract")
	}
}

// models makes a small real request to each model.
func (d *doctor) models(ctx context.Context) {
	c := d.c.Config.Models
	agents, fast := c.Agent, c.Fast
	if len(agents) == 0 {
		agents, fast = defaults(c, fast)
	}
	if len(agents) == 0 {
		d.tell(checkNote, "model", "none is configured: answers quote what was recorded; set OPENAI_API_KEY or another provider's key for more")
	}
	all := slices.Concat(agents, fast)
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		opened, err := open(c, []string{name})
		if err == nil {
			err = d.probe(ctx, opened[0])
		}
		if err != nil {
			d.tell(checkMissing, "model", fmt.Sprintf("%s: %s", name, modelTrouble(err, d.timeout)))
			continue
		}
		d.tell(checkFine, "model", name+" answers")
	}
}

func (d *doctor) probe(ctx context.Context, m llm.Model) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	for _, err := range m.Stream(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Say OK."}}, MaxOutput: 64}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// modelTrouble says what to do about a model that does not answer. The error of
// a provider is not shown whole: it may quote what was sent, the key included.
func modelTrouble(err error, timeout time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", timeout)
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err.Error()
	}
	switch {
	case e.Kind == llm.Unauthorized:
		return "the key is missing, wrong or exhausted"
	case e.Status != 0:
		return fmt.Sprintf("the provider answers with status %d (%s)", e.Status, e.Kind)
	}
	return fmt.Sprintf("it cannot be reached (%s); look at the base URL and the network", e.Kind)
}

// embedder embeds a word.
func (d *doctor) embedder(ctx context.Context) {
	embedder, err := newEmbedder(d.c.Config.Models)
	if err != nil {
		d.tell(checkMissing, "embedder", err.Error())
		return
	}
	if embedder == nil {
		d.tell(checkNote, "embedder", "none: searches go by words only")
		return
	}
	if err := d.embed(ctx, embedder); err != nil {
		d.tell(checkMissing, "embedder", fmt.Sprintf("%s does not answer: %s", embedder.Model(), friendly(err)))
		return
	}
	d.tell(checkFine, "embedder", embedder.Model()+" answers")
}

func (d *doctor) embed(ctx context.Context, e embed.Embedder) error {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	_, err := e.Embed(ctx, []string{"hello"})
	return err
}

// server asks the server that was named, or the one that left its address.
func (d *doctor) server(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	if d.c.Server != "" {
		if _, err := newRemote(d.c.Server, string(d.c.Key)).me(ctx); err != nil {
			d.tell(checkMissing, "server", fmt.Sprintf("%s: %s", d.c.Server, friendly(err)))
			return
		}
		d.tell(checkFine, "server", d.c.Server+" answers")
		return
	}
	running, err := readRunning(d.c.Data)
	if err != nil {
		d.tell(checkNote, "server", "none runs on the data folder; commands work without one")
		return
	}
	if _, err := newRemote(running.URL, running.Token).me(ctx); err != nil {
		d.tell(checkNote, "server", "one ran at "+running.URL+" and was not ended properly; nothing is lost")
		return
	}
	d.tell(checkFine, "server", "runs at "+running.URL)
}
