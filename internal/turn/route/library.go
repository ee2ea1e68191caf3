package route

import (
	"context"
	"fmt"
	"strings"

	"confidant/internal/chat"
)

// libraryTools are those that a person without files has no use for.
var libraryTools = []string{"search_knowledge_base", "read_file", "list_files", "search_files_tool"}

// shelf is what the prompt tells of the person's files.
type shelf struct {
	Total int
	Lines string // "name (ID: id)", one a line
	// Left is how many are not in Lines.
	Left int
	// Asked are those that the question is about, likewise.
	Asked string
}

const (
	// shelfFiles is how many files the prompt names: the newest, because people ask
	// about what they have just put there. list_files has all.
	shelfFiles = 20
	nameRunes  = 100
)

// files lists the newest files, and those that the question is about. One that was
// deleted meanwhile is left out.
func (r *Router) files(ctx context.Context, w Wish) (shelf, error) {
	newest, total, err := r.Files.Files(ctx, w.UserID, chat.FileQuery{Limit: shelfFiles})
	if err != nil {
		return shelf{}, fmt.Errorf("list files: %w", err)
	}
	s := shelf{Total: total, Left: total - len(newest)}
	var lines []string
	for _, f := range newest {
		lines = append(lines, line(f))
	}
	s.Lines = strings.Join(lines, "\n")
	var asked []string
	for _, id := range w.FileIDs {
		f, err := r.Files.File(ctx, w.UserID, id)
		if chat.AsError(err).Code == chat.CodeNotFound {
			continue
		}
		if err != nil {
			return shelf{}, fmt.Errorf("read a file: %w", err)
		}
		asked = append(asked, line(f))
	}
	s.Asked = strings.Join(asked, "\n")
	return s, nil
}

func line(f chat.File) string {
	state := ""
	switch {
	case f.State == chat.FileFailed && f.Generation == "":
		state = ", could not be read"
	case f.State == chat.FileInProgress && f.Generation == "":
		state = ", is being read"
	case f.Pages > 1:
		state = fmt.Sprintf(", %d pages", f.Pages)
	}
	return "- " + cut(strings.Join(strings.Fields(f.Name), " "), nameRunes) + " (ID: " + f.ID + state + ")"
}
