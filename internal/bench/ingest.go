package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"confidant/internal/chat"
)

const (
	ordinaryPages = 20
	thickPages    = 1000
	// ingestTimes is how often the ordinary file is taken in, another text each time.
	ingestTimes = 3
	// embeddingTogether is how long the thick file's embedding goes on while memory
	// is watched, after it was read; all of it takes minutes.
	embeddingTogether = 10 * time.Second
)

// measureIngestion uploads PDFs to a server that is as people start it, and looks
// how long it takes until they are found, and what memory it needs.
func measureIngestion(ctx context.Context, b *bench) ([]figure, error) {
	binary, err := b.build(ctx, "confidant/cmd/confidant", true)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.dir, "ingest")
	token, err := exec.CommandContext(ctx, binary, "token", "--data", folder).Output()
	if err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	r := &receiver{binary: binary, folder: folder, token: strings.TrimSpace(string(token)), dir: b.dir, corpus: newCorpus(19)}
	defer func() {
		if r.process != nil {
			r.process.stop()
		}
	}()
	if err := r.restart(); err != nil {
		return nil, err
	}
	if _, err := r.take(ctx, "first.pdf", 1, chat.StageDone); err != nil { // PDFium is compiled
		return nil, err
	}
	compiled, err := r.process.peak()
	if err != nil {
		return nil, err
	}
	if err := r.restart(); err != nil {
		return nil, err
	}
	if _, err := r.take(ctx, "second.pdf", 1, chat.StageDone); err != nil { // warm
		return nil, err
	}
	var words, meaning []time.Duration
	for i := range ingestTimes {
		found, err := r.take(ctx, fmt.Sprintf("ordinary-%d.pdf", i), ordinaryPages, chat.StageDone)
		if err != nil {
			return nil, err
		}
		words, meaning = append(words, found.words), append(meaning, found.meaning)
	}
	if err := r.restart(); err != nil {
		return nil, err
	}
	idle, err := r.process.peak()
	if err != nil {
		return nil, err
	}
	thick, err := r.take(ctx, "thick.pdf", thickPages, chat.StageEmbed)
	if err != nil {
		return nil, err
	}
	time.Sleep(embeddingTogether)
	peak, err := r.process.peak()
	if err != nil {
		return nil, err
	}
	return []figure{
		{Name: "files: from the upload of 20 pages to found by their words, median", Value: ms(median(words)), Unit: "ms"},
		{Name: "files: the same, to found by their meaning", Value: ms(median(meaning)), Baseline: ms(median(words)), BaselineName: "by their words", Unit: "ms"},
		{Name: "files: from the upload of 1,000 pages to found by their words", Value: thick.words.Seconds(), Unit: "s"},
		{Name: "files: peak memory of the server meanwhile", Value: peak, Baseline: idle, BaselineName: "at its start", Unit: "MB", Target: 300},
		{Name: "files: peak memory of one that compiles PDFium, once in a folder's life", Value: compiled, Baseline: idle, BaselineName: "at its start", Unit: "MB"},
	}, nil
}

// receiver is a server that files are sent to.
type receiver struct {
	binary, folder, token, dir string
	corpus                     *corpus
	process                    *process
}

// restart starts the server, after ending the one that runs.
func (r *receiver) restart() error {
	if r.process != nil {
		r.process.stop()
		r.process = nil
	}
	addr, err := freeAddress()
	if err != nil {
		return err
	}
	r.process, err = spawn(r.binary, addr, "/readyz", []string{"CONFIDANT_EMBEDDER=builtin"}, "serve", "--data", r.folder, "--listen", addr)
	return err
}

// taken is how long after its upload began a file was found by its words, and by
// its meaning.
type taken struct{ words, meaning time.Duration }

// take uploads a PDF of so many pages and waits until it has come to a stage,
// StageEmbed or StageDone.
func (r *receiver) take(ctx context.Context, name string, pages int, until chat.FileStage) (taken, error) {
	var t taken
	path, err := r.corpus.writePDF(r.dir, name, pages)
	if err != nil {
		return t, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return t, err
	}
	if _, err := part.Write(content); err != nil {
		return t, err
	}
	if err := form.Close(); err != nil {
		return t, err
	}
	start := time.Now()
	var answer struct {
		File chat.File `json:"file"`
	}
	if err := r.call(ctx, http.MethodPost, "/api/files", form.FormDataContentType(), &body, &answer); err != nil {
		return t, err
	}
	for path := "/api/files/" + answer.File.ID; ; time.Sleep(5 * time.Millisecond) {
		if err := r.call(ctx, http.MethodGet, path, "", nil, &answer); err != nil {
			return t, err
		}
		f := answer.File
		if f.State == chat.FileFailed {
			return t, fmt.Errorf("%s: %s", name, f.Reason)
		}
		if t.words == 0 && (f.Stage == chat.StageEmbed || f.Stage == chat.StageDone) {
			t.words = time.Since(start)
		}
		if f.Stage == until || f.Stage == chat.StageDone {
			t.meaning = time.Since(start)
			return t, nil
		}
	}
}

func (r *receiver) call(ctx context.Context, method, path, kind string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+r.process.addr+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	return json.Unmarshal(data, into)
}
