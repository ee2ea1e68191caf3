package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"confidant/internal/chat"
)

const (
	// soonest is how long after the first upload a kill comes at the earliest.
	soonest = 50 * time.Millisecond
	// recovery is how long after a restart a second kill comes at the latest.
	recovery = 2 * time.Second
	// embeddingEvery is how many rounds there are for one with an embedder.
	embeddingEvery = 5
	// earlyEvery is how many rounds there are for one whose kill comes early: files
	// arrive in an instant.
	earlyEvery = 3
)

// Files kills a server that reads files, in so many rounds, each on a folder of its
// own, and returns what the kills hit. Half of the rounds kill it a second time
// while it recovers.
func Files(ctx context.Context, binary, dir, pdfs string, rounds int, random *rand.Rand) (FileTally, error) {
	tally := FileTally{hit: map[string]int{}}
	whole, err := words(pdfs)
	if err != nil {
		return tally, err
	}
	short := meaning()
	library := libraries{binary: binary, dir: dir, tally: tally}
	if err := library.warm(ctx, whole); err != nil {
		return tally, fmt.Errorf("compile what reads PDFs: %w", err)
	}
	longest := map[*shelf]time.Duration{}
	for i := range rounds {
		s := whole
		if i%embeddingEvery == 1 {
			s = short
		}
		if s.want == nil {
			began := time.Now()
			if s.want, err = library.fill(ctx, fmt.Sprint("calm-", i), s, nil); err != nil {
				return tally, fmt.Errorf("undisturbed: %w", err)
			}
			longest[s] = time.Since(began)
		}
		kills := []time.Duration{moment(random, longest[s], i%earlyEvery == 0)}
		if i%2 == 1 {
			kills = append(kills, time.Duration(random.Int64N(int64(recovery))))
		}
		got, err := library.fill(ctx, fmt.Sprint("files-", i), s, kills)
		if err != nil {
			return tally, fmt.Errorf("files %d, killed after %v: %w", i, kills, err)
		}
		if at, same := difference(s.want, got); !same {
			return tally, fmt.Errorf("files %d, killed after %v, left something else: %s", i, kills, at)
		}
		tally.files += len(s.files)
		tally.rounds++
	}
	return tally, nil
}

// moment is when to kill: any time up to the usual one, or, when it is to be early,
// the likelier the earlier.
func moment(random *rand.Rand, usual time.Duration, early bool) time.Duration {
	if early {
		return time.Duration(float64(soonest) * math.Pow(float64(usual)/float64(soonest), random.Float64()))
	}
	return soonest + time.Duration(random.Int64N(int64(usual)))
}

// FileTally counts the kills by what the server was doing.
type FileTally struct {
	rounds, files int
	hit           map[string]int
}

// The phases of reading files, in their order.
var filePhases = []string{"files arrived", "pages were read", "chunks were cut", "chunks were embedded", "nothing was left to do"}

// String implements fmt.Stringer.
func (t FileTally) String() string {
	var b strings.Builder
	for _, phase := range filePhases {
		fmt.Fprintf(&b, "%4d killed while %s\n", t.hit[phase], phase)
	}
	fmt.Fprintf(&b, "%4d rounds with %d files: each left the files, pages, chunks and results of an undisturbed one, and nothing else", t.rounds, t.files)
	return b.String()
}

// libraries are those of the rounds, each in a folder of its own.
type libraries struct {
	binary, dir string
	tally       FileTally
}

// cache is where a server keeps what it has compiled, in its data folder. All have a
// copy of the same, because compiling takes longer than reading.
const cache = "cache"

// warm fills the cache, by reading a PDF.
func (l libraries) warm(ctx context.Context, files *shelf) error {
	s, err := l.open(ctx, "warm", files)
	if err != nil {
		return err
	}
	defer s.close()
	i := slices.IndexFunc(files.files, func(f content) bool { return strings.HasSuffix(f.name, ".pdf") && f.name != broken })
	if err := uploadAll(ctx, s, files.files[i:i+1]); err != nil {
		return err
	}
	if err := allRead(ctx, s); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(l.dir, cache), os.DirFS(filepath.Join(s.data, cache)))
}

func (l libraries) open(ctx context.Context, name string, files *shelf) (*server, error) {
	folder := filepath.Join(l.dir, name)
	return newServer(ctx, &server{binary: l.binary, data: filepath.Join(folder, "data"), probe: filepath.Join(folder, "probe"), env: files.env})
}

// fill uploads the files of a shelf to a server on an empty folder, kills it so long
// after the start or the restart before, waits until all are read, and returns what
// there is.
func (l libraries) fill(ctx context.Context, name string, files *shelf, kills []time.Duration) (account, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := os.CopyFS(filepath.Join(l.dir, name, "data", cache), os.DirFS(filepath.Join(l.dir, cache))); err != nil {
		return nil, err
	}
	s, err := l.open(ctx, name, files)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var arrived atomic.Bool
	killed := make(chan error, 1)
	go func() {
		for _, after := range kills {
			time.Sleep(after)
			l.tally.hit[phase(ctx, s, &arrived)]++
			s.kill()
			if err := s.start(); err != nil {
				killed <- err
				return
			}
		}
		killed <- nil
	}()
	err = uploadAll(ctx, s, files.files)
	arrived.Store(true)
	if err := errors.Join(err, <-killed); err != nil {
		return nil, err
	}
	if err := allRead(ctx, s); err != nil {
		return nil, fmt.Errorf("%w\nthe server said:\n%s", err, s.output.String())
	}
	got, err := look(ctx, s, files.embedded)
	if err != nil {
		err = fmt.Errorf("%w\nthe server said:\n%s", err, s.output.String())
	}
	return got, err
}

// phase is what the server is about to be killed in.
func phase(ctx context.Context, s *server, arrived *atomic.Bool) string {
	if !arrived.Load() {
		return filePhases[0]
	}
	working, err := inProgress(ctx, s)
	if err != nil || len(working) == 0 {
		return filePhases[4]
	}
	furthest := 1
	for _, f := range working {
		switch f.Stage {
		case chat.StageIndex:
			furthest = max(furthest, 2)
		case chat.StageEmbed:
			furthest = max(furthest, 3)
		}
	}
	return filePhases[furthest]
}

// uploadAll uploads every file, the same again when the server went away: whoever
// uploads does not know whether it arrived.
func uploadAll(ctx context.Context, s *server, files []content) error {
	for _, f := range files {
		for {
			err := upload(ctx, s, f)
			if err == nil {
				break
			}
			if !errors.Is(err, errDown) {
				return fmt.Errorf("upload %s: %w", f.name, err)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			time.Sleep(10 * time.Millisecond) // it is on its way back
		}
	}
	return nil
}

func upload(ctx context.Context, s *server, f content) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", f.name)
	if err != nil {
		return err
	}
	if _, err := part.Write(f.data); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.addr+"/api/files", &body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: %s", resp.Status, said)
	}
	return nil
}

// inProgress are the files that are not read yet.
func inProgress(ctx context.Context, s *server) ([]chat.File, error) {
	var page struct{ Files []chat.File }
	err := s.call(ctx, http.MethodGet, "/api/files?limit=200&state="+string(chat.FileInProgress), "", nil, &page)
	return page.Files, err
}

// allRead waits until no file is in progress.
func allRead(ctx context.Context, s *server) error {
	for ctx.Err() == nil {
		working, err := inProgress(ctx, s)
		if err != nil {
			return err
		}
		if len(working) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the files are not read to their end")
}
