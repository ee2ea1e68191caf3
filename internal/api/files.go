package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library"
	"confidant/internal/search"
)

// Library is what the surface may do with files; see library.Library.
type Library interface {
	Rename(ctx context.Context, userID, id, name string, revision int64) (chat.File, error)
	Delete(ctx context.Context, userID, id string) error
	Retry(ctx context.Context, userID, id string) (chat.File, error)
	Reprocess(ctx context.Context, userID, id string) (chat.File, error)
	// Content opens the bytes of a file.
	Content(ctx context.Context, f chat.File) (io.ReadSeekCloser, error)
}

// Pictures shows pages as they look; see library.Pictures.
type Pictures interface {
	// Picture returns a PNG of a page, so many pixels wide, or ErrNotFound for a file
	// that has no look of its own.
	Picture(ctx context.Context, f chat.File, page, width int) ([]byte, error)
	// Marks returns where a passage stands on the picture of a page.
	Marks(ctx context.Context, f chat.File, page int, passage string) ([]library.Mark, error)
}

// Finder finds chunks of files; see library.Finder.
type Finder interface {
	Similar(ctx context.Context, q library.SimilarQuery) ([]library.Similar, search.Receipt, error)
}

// Files are the rooms behind the library's endpoints.
type Files struct {
	Records  chat.Files
	Pages    chat.Pages
	Library  Library
	Pictures Pictures
	Finder   Finder
	Uploads  Uploads
	// Jobs are the readings.
	Jobs chat.Queue
}

// fileRoutes are the handlers of files. Where a path is also one of the O3 family
// (facts/o3chat.md section 6) a record has both families' names.
func (s *Server) fileRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/files":                         s.listFiles,
		"POST /api/files":                        s.addFiles,
		"POST /api/files/batch":                  s.addFiles,
		"GET /api/files/search":                  s.searchFiles,
		"GET /api/files/processing-status":       s.processingStatus,
		"GET /api/files/{id}":                    s.getFile,
		"PATCH /api/files/{id}":                  s.renameFile,
		"DELETE /api/files/{id}":                 s.deleteFile,
		"GET /api/files/{id}/poll":               s.pollFile,
		"POST /api/files/{id}/retry-processing":  s.retryFile,
		"POST /api/files/{id}/reprocess":         s.reprocessFile,
		"GET /api/files/{id}/pages":              s.listPages,
		"GET /api/files/{id}/chunks":             s.listChunks,
		"GET /api/files/{id}/pages/{page}/marks": s.pageMarks,
	}
}

// fileRecord is a file as both families name its parts.
type fileRecord struct {
	chat.File
	ID         string         `json:"id"`
	UserID     string         `json:"userId"`
	StorageURL string         `json:"storageUrl"`
	FileType   string         `json:"fileType"`
	Embeddings chat.FileState `json:"embeddingsStatus"`
	Lines      any            `json:"linesJsonPages"` // MathPix's, which nobody makes here
	Created    time.Time      `json:"createdAt"`
	Updated    time.Time      `json:"updatedAt"`
}

func recordOf(f chat.File) fileRecord {
	return fileRecord{
		File: f, ID: f.ID, UserID: f.UserID, StorageURL: "/api/files/" + f.ID + "/download", FileType: f.Type,
		Embeddings: f.State, Created: f.CreatedAt, Updated: f.UpdatedAt,
	}
}

// success is how the O3 family begins its answers.
func success(name string, value any) map[string]any {
	return map[string]any{"success": true, name: value}
}

func (s *Server) listFiles(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, 50, 200)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	query := chat.FileQuery{Text: q.Get("q"), Types: q["type"], ChatID: q.Get("chat_id"), Limit: page.Limit + 1, Before: page.Cursor}
	for _, state := range q["state"] {
		if !slices.Contains([]chat.FileState{chat.FileInProgress, chat.FileSuccess, chat.FileFailed}, chat.FileState(state)) {
			return nil, chat.Fail(chat.CodeInvalid, "state is in_progress, success or failed.")
		}
		query.States = append(query.States, chat.FileState(state))
	}
	found, total, err := s.files.Records.Files(r.Context(), user.ID, query)
	if err != nil {
		return nil, err
	}
	next := ""
	if len(found) > page.Limit {
		found = found[:page.Limit]
		next = found[page.Limit-1].ID
	}
	records := make([]fileRecord, len(found))
	for i, f := range found {
		records[i] = recordOf(f)
	}
	body := list("files", records, next)
	body["success"], body["total"] = true, total
	return body, nil
}

// fileOf reads the file that the path names.
func (s *Server) fileOf(r *http.Request, user chat.User) (chat.File, error) {
	return s.files.Records.File(r.Context(), user.ID, r.PathValue("id"))
}

func (s *Server) getFile(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.fileOf(r, user)
	return success("file", recordOf(f)), err
}

func (s *Server) pollFile(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.fileOf(r, user)
	body := success("file", recordOf(f))
	body["status"] = f.State
	return body, err
}

// progress is a file that is not ready, as the O3 family polls for it.
type progress struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Embeddings chat.FileState `json:"embeddingsStatus"`
	Stage      chat.FileStage `json:"stage"`
	Done       int            `json:"done"`
	Total      int            `json:"total"`
	Reason     string         `json:"reason,omitempty"`
}

// mostPolled is how many files one poll tells of.
const mostPolled = 500

func (s *Server) processingStatus(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	found, _, err := s.files.Records.Files(r.Context(), user.ID, chat.FileQuery{States: []chat.FileState{chat.FileInProgress, chat.FileFailed}, Limit: mostPolled})
	list := make([]progress, len(found))
	for i, f := range found {
		list[i] = progress{f.ID, f.Name, f.State, f.Stage, f.Done, f.Total, f.Reason}
	}
	return success("files", list), err
}

func (s *Server) renameFile(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var body struct {
		Name     string `json:"name"`
		Revision int64  `json:"revision"`
	}
	if err := s.readJSON(w, r, &body); err != nil {
		return nil, err
	}
	f, err := s.files.Library.Rename(r.Context(), user.ID, r.PathValue("id"), body.Name, body.Revision)
	return success("file", recordOf(f)), err
}

func (s *Server) deleteFile(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	return nil, s.files.Library.Delete(r.Context(), user.ID, r.PathValue("id"))
}

func (s *Server) retryFile(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.files.Library.Retry(r.Context(), user.ID, r.PathValue("id"))
	return success("file", recordOf(f)), err
}

func (s *Server) reprocessFile(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.files.Library.Reprocess(r.Context(), user.ID, r.PathValue("id"))
	return success("file", recordOf(f)), err
}

// mostPages is how many pages one answer has.
const mostPages = 50

func (s *Server) listPages(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.fileOf(r, user)
	if err != nil {
		return nil, err
	}
	from, err := numberOf(r, "from", 1)
	if err != nil {
		return nil, err
	}
	until, err := numberOf(r, "until", from+4)
	if err != nil {
		return nil, err
	}
	pages, err := s.files.Pages.FilePages(r.Context(), user.ID, f.ID, from, min(until, from+mostPages-1))
	return map[string]any{"pages": pages, "page_count": f.Pages}, err
}

// numberOf reads a number of the query that is at least 1.
func numberOf(r *http.Request, name string, standard int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, chat.Fail(chat.CodeInvalid, name+" must be a number from 1 on.")
	}
	return n, nil
}

// chunkRecord is a chunk with its id.
type chunkRecord struct {
	ID string `json:"chunk_id"`
	chat.Chunk
}

func (s *Server) listChunks(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.fileOf(r, user)
	if err != nil {
		return nil, err
	}
	page, err := numberOf(r, "page", 1)
	if err != nil {
		return nil, err
	}
	chunks, err := s.files.Pages.FileChunks(r.Context(), user.ID, f.ID, chat.ChunkRange{FirstPage: page, LastPage: page})
	records := make([]chunkRecord, len(chunks))
	for i, c := range chunks {
		records[i] = chunkRecord{chat.ChunkID(f.ID, c.Position), c}
	}
	return map[string]any{"chunks": records}, err
}

// similarRecord is a chunk that was found.
type similarRecord struct {
	chunkRecord
	FileID     string  `json:"file_id"`
	Name       string  `json:"name"`
	Similarity float64 `json:"similarity"`
}

func (s *Server) searchFiles(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	page, err := pageOf(r, library.DefaultResults, 50)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	if strings.TrimSpace(q.Get("q")) == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The query needs what to look for: /api/files/search?q=tides")
	}
	query := library.SimilarQuery{UserID: user.ID, Text: q.Get("q"), FileIDs: q["file_id"], Limit: page.Limit, Zone: s.zone}
	if len(query.FileIDs) > maxFilterValues {
		return nil, chat.Fail(chat.CodeTooLarge, fmt.Sprintf("The query names %d files; the limit is %d (filter_values).", len(query.FileIDs), maxFilterValues))
	}
	for _, id := range query.FileIDs {
		if _, err := s.files.Records.File(r.Context(), user.ID, id); err != nil {
			return nil, err
		}
	}
	for _, t := range q["type"] {
		if !slices.Contains(chat.ChunkTypes, chat.ChunkType(t)) {
			return nil, chat.Fail(chat.CodeInvalid, "type is one of Definitions and Properties, Question, Answer, Question and Answer, Others.")
		}
		query.Types = append(query.Types, chat.ChunkType(t))
	}
	found, receipt, err := s.files.Finder.Similar(r.Context(), query)
	results := make([]similarRecord, len(found))
	for i, f := range found {
		results[i] = similarRecord{chunkRecord{f.ID, f.Chunk}, f.FileID, f.Name, f.Similarity}
	}
	return map[string]any{"results": results, "receipt": receipt}, err
}
