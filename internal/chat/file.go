package chat

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// FileState is where a file of the library is in its life.
type FileState string

// The states of a file (facts/o3chat.md section 6).
const (
	FileInProgress FileState = "in_progress"
	FileSuccess    FileState = "success"
	FileFailed     FileState = "failed" // Reason says why
)

// FileStage is what is being done to a file in progress.
type FileStage string

// The stages, in their order. A file can be found by its words from StageEmbed on.
const (
	StageQueued  FileStage = "queued"
	StageExtract FileStage = "extract" // reading pages
	StageIndex   FileStage = "index"   // cutting pages into chunks
	StageEmbed   FileStage = "embed"   // reading chunks for their meaning
	StageDone    FileStage = "done"
)

// File is a document of a person's library. Its bytes are kept under Hash.
type File struct {
	ID     string `json:"file_id"`
	UserID string `json:"-"`
	// Name is what the person calls it: never a path, and never used as one.
	Name string `json:"name"`
	// Type is the MIME type that the content has, whatever the name says.
	Type string `json:"type"`
	Size int64  `json:"size"`   // in bytes
	Hash string `json:"sha256"` // of the content, hexadecimal

	State FileState `json:"state"`
	Stage FileStage `json:"stage"`
	// Done of Total pages or chunks are through the stage; Total is 0 when it is not known.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// Reason is a sentence for a person: why the file failed.
	Reason string `json:"reason,omitempty"`
	// Notes say what could not be read of a file that could, such as pages that are pictures.
	Notes []string `json:"notes,omitempty"`

	Pages   int    `json:"page_count"`
	Chunks  int    `json:"chunk_count"`
	Title   string `json:"title,omitempty"` // what the document calls itself
	Summary string `json:"summary,omitempty"`
	// SummarizedBy is the version of the prompt that made the summary, empty when
	// it was taken from the text.
	SummarizedBy string `json:"summarized_by,omitempty"`
	// ChatID is the chat that it was sent to, or PendingChat; empty for what belongs to
	// the library.
	ChatID string `json:"chat_id,omitempty"`

	// Generation names the set of pages and chunks that readers see; empty before
	// there is one.
	Generation string    `json:"-"`
	Modified   time.Time `json:"modified_at,omitzero"` // when the document was last written, where that is known
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
}

// At is the time of what a file says, as far as it is known.
func (f File) At() time.Time {
	if f.Modified.IsZero() {
		return f.CreatedAt
	}
	return f.Modified
}

// PendingChat is the ChatID of a file that was sent to a chat before it was known to
// which: the first question about it tells.
const PendingChat = "pending"

// FilePage is one page of a file, as Markdown. What has no pages (a web page, a
// note) has one; slides and sheets are pages.
type FilePage struct {
	Number int    `json:"page"` // from 1
	Label  string `json:"label,omitempty"`
	Text   string `json:"text"`
	// Note says why a page has no text, or not all of it.
	Note string `json:"note,omitempty"`
}

// ChunkType is one of the five that the knowledge base tells apart
// (facts/o3chat.md section 4).
type ChunkType string

// The types of chunks.
const (
	ChunkDefinition     ChunkType = "Definitions and Properties"
	ChunkQuestion       ChunkType = "Question"
	ChunkAnswer         ChunkType = "Answer"
	ChunkQuestionAnswer ChunkType = "Question and Answer"
	ChunkOther          ChunkType = "Others"
)

// ChunkTypes lists them.
var ChunkTypes = []ChunkType{ChunkDefinition, ChunkQuestion, ChunkAnswer, ChunkQuestionAnswer, ChunkOther}

// Chunk is a stretch of a page, the unit that is found and cited.
type Chunk struct {
	// Position counts the chunks of a file from 0.
	Position int       `json:"position"`
	Page     int       `json:"page"`
	Start    int       `json:"start"` // of Text in the page's text, in bytes
	End      int       `json:"end"`
	Headings []string  `json:"headings,omitempty"` // it stands under, the outermost first
	Text     string    `json:"text"`
	Type     ChunkType `json:"type"`
}

// Heading is where the chunk stands, as a line.
func (c Chunk) Heading() string { return strings.Join(c.Headings, " › ") }

// ChunkRange selects chunks of a file by position, from ≤ p < until, and by page,
// first ≤ p ≤ last; an upper bound of 0 is none.
type ChunkRange struct{ From, Until, FirstPage, LastPage int }

// ChunkID names the chunk at a position of a file.
func ChunkID(fileID string, position int) string { return fileID + "." + strconv.Itoa(position) }

// ChunkPosition reads the position back, false when id is no chunk's.
func ChunkPosition(id string) (int, bool) { return SegmentPosition(id) }

// FileQuery selects files, the newest first.
type FileQuery struct {
	// Text, when set, is in the name or the title.
	Text   string
	States []FileState
	// Types are beginnings of MIME types, such as "application/pdf" or "image/".
	Types []string
	// ChatID selects the files of a chat; empty means all.
	ChatID string
	Limit  int
	// Before is the id that ended the previous page.
	Before string
}

// Files keeps what is known of files, not their bytes. A file of another person
// is ErrNotFound.
type Files interface {
	// AddFile stores a file with the job that reads it. When the person has one of
	// the same Hash it returns that one, false, and stores nothing. ErrConflict when
	// there is a file of that id.
	AddFile(ctx context.Context, f File, job Job) (File, bool, error)
	File(ctx context.Context, userID, id string) (File, error)
	// Files also counts all that the query selects, whatever its Limit and Before.
	Files(ctx context.Context, userID string, q FileQuery) ([]File, int, error)
	// SaveFile stores a changed file with its revision checked; Generation is left
	// as it is.
	SaveFile(ctx context.Context, f File) (File, error)
	// DeleteFile removes it with its pages and chunks. Its bytes are the caller's.
	DeleteFile(ctx context.Context, userID, id string) error
}

// Pages keeps what files say, in generations. Readers see the one that was
// published last, whole; a new one grows beside it.
type Pages interface {
	// PutPages adds pages to a generation; one that is there is replaced. ErrNotFound
	// when the file was deleted.
	PutPages(ctx context.Context, f File, generation string, pages []FilePage) error
	// PutChunks likewise adds chunks, at positions that continue those there.
	PutChunks(ctx context.Context, f File, generation string, chunks []Chunk) error
	// Publish makes a generation the one that readers see, and saves the file, in one
	// transaction.
	Publish(ctx context.Context, f File, generation string) (File, error)
	// FilePages returns the published pages from ≤ number ≤ until.
	FilePages(ctx context.Context, userID, fileID string, from, until int) ([]FilePage, error)
	// FileChunks returns the published chunks of a file that are in the range.
	FileChunks(ctx context.Context, userID, fileID string, r ChunkRange) ([]Chunk, error)
}

// FileUpkeep is what the library needs to set right what a crash, or a better
// reading, leaves.
type FileUpkeep interface {
	// RetypeChunks changes the types of chunks of a generation, by position.
	RetypeChunks(ctx context.Context, generation string, types map[int]ChunkType) error
	// HasContent reports whether the person has a file of that hash.
	HasContent(ctx context.Context, userID, hash string) (bool, error)
	// Stranded returns files in progress that have no job that has not ended.
	Stranded(ctx context.Context) ([]File, error)
}

// Generations are what the reading of a file leaves behind and goes on from.
type Generations interface {
	// Grown returns how far a generation has come: the last of its pages and the
	// number of its chunks.
	Grown(ctx context.Context, generation string) (lastPage, chunks int, err error)
	// GenerationPages reads the pages of any generation.
	GenerationPages(ctx context.Context, generation string, from, until int) ([]FilePage, error)
	// UnembeddedChunks counts the chunks of a generation that have no vector of the model.
	UnembeddedChunks(ctx context.Context, generation, model string) (int, error)
	// Abandon gives a generation up that was not published.
	Abandon(ctx context.Context, generation string) error
	// Sweep deletes a part of the generations that nobody reads or writes any more,
	// and reports whether there is more.
	Sweep(ctx context.Context) (more bool, err error)
}
