package library

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"confidant/internal/chat"
	"confidant/internal/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// The prompts in use. Another version is another pair of files and another name here.
var (
	classifyPrompt = read("classify.v1")
	summaryPrompt  = read("summary.v1")
)

func read(name string) prompt.Prompt {
	files, err := fs.Sub(promptFiles, "prompts")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return prompt.Must(files, name)
}

const (
	// askedAtOnce is how many passages one question to the model has, and
	// asksAtOnce how many questions are put side by side.
	askedAtOnce = 40
	asksAtOnce  = 4
	// summaryBytes is how much of the beginning of a file its summary is made of.
	summaryBytes = 12_000
	// summaryHeadings is how many headings go with it.
	summaryHeadings = 60
)

// refine has the model say again what rules said first. That it cannot be asked is
// no fault of the file: then what the rules said stays.
func (r *reading) refine(ctx context.Context) error {
	if r.opt.Model == nil || r.file.Chunks == 0 || r.file.SummarizedBy != "" {
		return nil
	}
	summary, headings, err := r.beginning(ctx)
	if err != nil {
		return err
	}
	text, err := r.summarise(ctx, summary, headings)
	if err == nil {
		err = r.classify(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		slog.WarnContext(ctx, "a file keeps the types and the summary of the rules", "file", r.file.ID, "error", prompt.Loggable(err))
		return nil
	}
	return r.save(ctx, func(f *chat.File) { f.Summary, f.SummarizedBy = text, summaryPrompt.Name })
}

// beginning is the text that a file begins with, and its first headings.
func (r *reading) beginning(ctx context.Context) (text string, headings []string, err error) {
	var b strings.Builder
	err = r.eachPage(ctx, min(r.file.Pages, 200), func(p chat.FilePage) error {
		if room := summaryBytes - b.Len(); room > 0 {
			b.WriteString(strings.ToValidUTF8(p.Text[:min(room, len(p.Text))], ""))
			b.WriteString("\n\n")
		}
		for line := range strings.Lines(p.Text) {
			if strings.HasPrefix(line, "#") && len(headings) < summaryHeadings {
				headings = append(headings, strings.TrimSpace(line))
			}
		}
		return nil
	})
	return b.String(), headings, err
}

func (r *reading) summarise(ctx context.Context, text string, headings []string) (string, error) {
	answer, usage, err := prompt.Ask[struct {
		Summary string `json:"summary"`
	}](ctx, r.opt.Model, summaryPrompt, nil, text+"\n\nHEADINGS\n"+strings.Join(headings, "\n"))
	r.usage = r.usage.Add(usage)
	return strings.TrimSpace(answer.Summary), err
}

// passage is a chunk as the model sees it.
type passage struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// classify asks for the types of the chunks, and stores those that are others than
// the rules said.
func (r *reading) classify(ctx context.Context) error {
	chunks, err := r.store.FileChunks(ctx, r.file.UserID, r.file.ID, chat.ChunkRange{Until: min(r.file.Chunks, r.opt.ModelChunks)})
	if err != nil {
		return err
	}
	groups := slices.Collect(slices.Chunk(chunks, askedAtOnce))
	types := make([]map[int]chat.ChunkType, len(groups))
	usages := make([]chat.Usage, len(groups))
	var asked errgroup.Group
	asked.SetLimit(asksAtOnce)
	for i, group := range groups {
		asked.Go(func() (err error) {
			types[i], usages[i], err = r.typesOf(ctx, group)
			return err
		})
	}
	err = asked.Wait()
	changed := map[int]chat.ChunkType{}
	for i, group := range groups {
		r.usage = r.usage.Add(usages[i])
		for _, c := range group {
			if t, ok := types[i][c.Position]; ok && t != c.Type {
				changed[c.Position] = t
			}
		}
	}
	if len(changed) == 0 {
		return err
	}
	if stored := r.store.RetypeChunks(ctx, r.generation, changed); stored != nil {
		return stored
	}
	if r.opt.Index != nil {
		r.opt.Index.Forget(r.file.UserID) // it knows the old types
	}
	return err
}

func (r *reading) typesOf(ctx context.Context, chunks []chat.Chunk) (map[int]chat.ChunkType, chat.Usage, error) {
	passages := make([]passage, len(chunks))
	for i, c := range chunks {
		passages[i] = passage{c.Position, c.Text}
	}
	data, err := json.Marshal(passages)
	if err != nil {
		return nil, chat.Usage{}, fmt.Errorf("ask for types: %w", err)
	}
	answer, usage, err := prompt.Ask[struct {
		Passages []struct {
			Number int            `json:"number"`
			Type   chat.ChunkType `json:"type"`
		} `json:"passages"`
	}](ctx, r.opt.Model, classifyPrompt, nil, string(data))
	types := map[int]chat.ChunkType{}
	for _, p := range answer.Passages {
		types[p.Number] = p.Type
	}
	return types, usage, err
}
