package blobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"confidant/internal/chat"
	"confidant/internal/store/blobs"
)

// places are the kinds of buckets. Each test of the suite runs over each.
var places = map[string]func(t *testing.T) *blobs.Store{
	"folder": func(t *testing.T) *blobs.Store { return open(t, filepath.Join(t.TempDir(), "files")) },
	"S3": func(t *testing.T) *blobs.Store {
		backend := s3mem.New()
		if err := backend.CreateBucket("files"); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(gofakes3.New(backend).Server())
		t.Cleanup(server.Close)
		t.Setenv("AWS_ACCESS_KEY_ID", "key")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		return open(t, "s3://files?region=eu-central-1&s3ForcePathStyle=true&endpoint="+server.URL)
	},
}

func open(t *testing.T, place string) *blobs.Store {
	t.Helper()
	s, err := blobs.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func everywhere(t *testing.T, test func(t *testing.T, s *blobs.Store)) {
	t.Helper()
	for name, place := range places {
		t.Run(name, func(t *testing.T) { test(t, place(t)) })
	}
}

func put(t *testing.T, s *blobs.Store, userID, hash, content string) {
	t.Helper()
	if err := s.Put(t.Context(), userID, hash, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

// stored is what is under a hash, and whether anything is.
func stored(t *testing.T, s *blobs.Store, userID, hash string) (string, bool) {
	t.Helper()
	r, err := s.Open(t.Context(), userID, hash)
	if errors.Is(err, chat.ErrNotFound) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data), true
}

// all lists everything there is.
func all(t *testing.T, s *blobs.Store) []string {
	t.Helper()
	list := []string{}
	if err := s.Each(t.Context(), func(userID, hash string) error {
		list = append(list, userID+"/"+hash)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func TestWhatIsPutIsRead(t *testing.T) {
	everywhere(t, func(t *testing.T, s *blobs.Store) {
		large := strings.Repeat("The tide rises. ", 1<<20) // more than S3 takes in one part
		for hash, content := range map[string]string{"aa": "The tide rises.", "bb": large, "cc": ""} {
			put(t, s, "ana", hash, content)
			if got, ok := stored(t, s, "ana", hash); !ok || got != content {
				t.Errorf("%s: %d of %d bytes", hash, len(got), len(content))
			}
		}
		r, err := s.Open(t.Context(), "ana", "bb")
		if err != nil {
			t.Fatal(err)
		}
		part := make([]byte, 4)
		end, err := r.Seek(0, io.SeekEnd)
		_, again := r.Seek(int64(len(large))-12, io.SeekStart)
		_, read := io.ReadFull(r, part)
		if err := errors.Join(err, again, read, r.Close()); err != nil || end != int64(len(large)) || string(part) != "tide" {
			t.Errorf("from the middle: %q of %d bytes, %v", part, end, err)
		}
		if _, ok := stored(t, s, "bob", "aa"); ok {
			t.Error("it is another person's, too")
		}
		if got := all(t, s); !slices.Equal(got, []string{"ana/aa", "ana/bb", "ana/cc"}) {
			t.Errorf("all: %v", got)
		}
	})
}

func TestWhatIsThereIsNotStoredAgain(t *testing.T) {
	everywhere(t, func(t *testing.T, s *blobs.Store) {
		put(t, s, "ana", "aa", "The tide rises.")
		if err := s.Put(t.Context(), "ana", "aa", iotest.ErrReader(errors.New("it was read"))); err != nil {
			t.Errorf("the second time: %v", err)
		}
		var putting sync.WaitGroup
		for i := range 16 {
			hash := fmt.Sprint("c", i%2)
			putting.Go(func() {
				if err := s.Put(t.Context(), "ana", hash, strings.NewReader(strings.Repeat(hash, 50_000))); err != nil {
					t.Errorf("at once: %v", err)
				}
			})
		}
		putting.Wait()
		for _, hash := range []string{"c0", "c1"} {
			if got, _ := stored(t, s, "ana", hash); got != strings.Repeat(hash, 50_000) {
				t.Errorf("%s: %d bytes", hash, len(got))
			}
		}
		if got := all(t, s); len(got) != 3 {
			t.Errorf("all: %v", got)
		}
	})
}

// A put that breaks off leaves nothing, so that the next one is not taken for done.
func TestAPutThatBreaksOff(t *testing.T) {
	everywhere(t, func(t *testing.T, s *blobs.Store) {
		begun := func(n int, err error) io.Reader {
			return io.MultiReader(bytes.NewReader(make([]byte, n)), iotest.ErrReader(err))
		}
		broken := errors.New("the connection broke")
		for _, n := range []int{0, 10, 12 << 20} {
			if err := s.Put(t.Context(), "ana", "aa", begun(n, broken)); !errors.Is(err, broken) {
				t.Errorf("after %d bytes: %v", n, err)
			}
			if err := s.Put(t.Context(), "ana", "aa", begun(n, syscall.ENOSPC)); !errors.Is(err, chat.ErrStorageFull) {
				t.Errorf("without room after %d bytes: %v", n, err)
			}
			ctx, leave := context.WithCancel(t.Context())
			if err := s.Put(ctx, "ana", "aa", io.MultiReader(bytes.NewReader(make([]byte, n)), leaving(leave))); err == nil {
				t.Errorf("left after %d bytes: stored", n)
			}
			if _, ok := stored(t, s, "ana", "aa"); ok || len(all(t, s)) > 0 {
				t.Fatalf("after %d bytes there is %v", n, all(t, s))
			}
		}
		put(t, s, "ana", "aa", "The tide rises.")
		if got, _ := stored(t, s, "ana", "aa"); got != "The tide rises." {
			t.Errorf("afterwards %q", got)
		}
	})
}

// leaving ends the context of who reads it.
type leaving context.CancelFunc

func (l leaving) Read([]byte) (int, error) {
	l()
	return 0, io.EOF
}

func TestLocalCopies(t *testing.T) {
	everywhere(t, func(t *testing.T, s *blobs.Store) {
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)
		put(t, s, "ana", "aa", "The tide rises.")
		path, done, err := s.Local(t.Context(), "ana", "aa")
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "The tide rises." {
			t.Errorf("%q, %v", data, err)
		}
		if err := done(); err != nil {
			t.Errorf("done: %v", err)
		}
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		if got, ok := stored(t, s, "ana", "aa"); !ok || got != "The tide rises." {
			t.Error("the original is gone")
		}
		for _, who := range []string{"ana", "bob"} {
			if _, _, err := s.Local(t.Context(), who, "bb"); !errors.Is(err, chat.ErrNotFound) {
				t.Errorf("of nothing: %v", err)
			}
		}
	})
}

func TestDeleting(t *testing.T) {
	everywhere(t, func(t *testing.T, s *blobs.Store) {
		for _, who := range []string{"ana", "anabel", "bob"} {
			put(t, s, who, "aa", "The tide rises.")
			put(t, s, who, "bb", "The tide falls.")
		}
		for range 2 { // what is not there is no error
			if err := s.Delete(t.Context(), "bob", "aa"); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
		if hashes, err := s.Hashes(t.Context(), "bob"); err != nil || !slices.Equal(hashes, []string{"bb"}) {
			t.Errorf("bob has %v, %v", hashes, err)
		}
		for range 2 {
			if err := s.DeleteAll(t.Context(), "ana"); err != nil {
				t.Errorf("delete all: %v", err)
			}
		}
		if got := all(t, s); !slices.Equal(got, []string{"anabel/aa", "anabel/bb", "bob/bb"}) {
			t.Errorf("left: %v", got)
		}
		// Each may delete what it comes by, and stops at an error.
		if err := s.Each(t.Context(), func(userID, hash string) error { return s.Delete(t.Context(), userID, hash) }); err != nil || len(all(t, s)) > 0 {
			t.Errorf("left %v, %v", all(t, s), err)
		}
		put(t, s, "ana", "aa", "The tide rises.")
		put(t, s, "ana", "bb", "The tide falls.")
		enough, times := errors.New("enough"), 0
		if err := s.Each(t.Context(), func(string, string) error { times++; return enough }); !errors.Is(err, enough) || times != 1 {
			t.Errorf("%d times, %v", times, err)
		}
	})
}

// A place that is none is said to be so, without what its URL may hold of keys.
func TestOpeningFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"nothing://bucket/x?secret=hush", "s3://bucket?nonsense=hush", file} {
		_, err := blobs.Open(t.Context(), place)
		if err == nil {
			t.Errorf("%s opened", place)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("it tells the secret: %v", err)
		}
	}
}
