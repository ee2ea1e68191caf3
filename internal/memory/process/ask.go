package process

import (
	"context"
	"embed"
	"io/fs"

	"confidant/internal/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// The prompts in use. Another version is another pair of files and another name here.
var (
	discardPrompt   = read("discard.v1")
	digestPrompt    = read("digest.v1")
	structurePrompt = read("structure.v1")
	folderPrompt    = read("folder.v1")
	metadataPrompt  = read("metadata.v1")
	factsPrompt     = read("facts.v1")
	meetPrompt      = read("meet.v1")
	tasksPrompt     = read("tasks.v1")
)

func read(name string) prompt.Prompt {
	files, err := fs.Sub(promptFiles, "prompts")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return prompt.Must(files, name)
}

// ask puts a prompt about a text to the model and counts what that costs. It
// fails with an *llm.Error, or with a prompt.BadAnswer.
func ask[T any](ctx context.Context, r *run, p prompt.Prompt, data any, text string) (T, error) {
	answer, usage, err := prompt.Ask[T](ctx, r.opt.Model, p, data, text)
	r.usage = r.usage.Add(usage)
	return answer, err
}
