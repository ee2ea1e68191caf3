package process

import (
	"context"
	"fmt"
	"strings"

	"confidant/internal/chat"
)

// folderConfidence is what a model must be sure of to move a conversation (facts/omi.md section 7).
const folderConfidence = 0.7

// folder puts the conversation where it belongs, if there are folders, and if no
// person has put it somewhere.
func (r *run) folder(ctx context.Context) (result, error) {
	if r.c.Discarded {
		return skipped("Discarded."), nil
	}
	folders, err := r.store.Folders(ctx, r.job.UserID)
	if err != nil {
		return result{}, err
	}
	if len(folders) == 0 {
		return skipped("There are no folders."), nil
	}
	if r.c.FolderID != "" {
		return skipped("It is in a folder."), nil
	}
	if r.opt.Model == nil {
		return waiting(chat.Outcome{}), nil
	}
	var list strings.Builder
	for i, f := range folders {
		fmt.Fprintf(&list, "%d. %s: %s\n", i+1, f.Name, f.Description)
	}
	text := r.c.Title + "\n" + r.c.Overview
	if r.c.Overview == "" {
		text = windows(r.segments)[0].text
	}
	answer, err := ask[struct {
		Folder     int     `json:"folder"`
		Confidence float64 `json:"confidence"`
	}](ctx, r, folderPrompt, map[string]any{"Folders": list.String()}, text)
	if err != nil {
		return result{}, err
	}
	res := result{state: chat.StepDone, prompt: folderPrompt.Name}
	if answer.Confidence < folderConfidence || answer.Folder < 1 || answer.Folder > len(folders) {
		res.detail = "None of the folders fits."
		return res, nil
	}
	c := r.c
	c.FolderID = folders[answer.Folder-1].ID
	res.outcome.Conversation = &c
	return res, nil
}
