package upload

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"confidant/internal/chat"
	"confidant/internal/library"
)

// taker is a library that keeps what it takes in, or refuses it.
type taker struct {
	mu    sync.Mutex
	err   error
	taken map[string]string // content by name
}

func (k *taker) Add(_ context.Context, userID string, a library.Arrival) (chat.File, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return chat.File{}, false, k.err
	}
	content, err := os.ReadFile(a.Path)
	if k.taken == nil {
		k.taken = map[string]string{}
	}
	_, there := k.taken[a.Name]
	k.taken[a.Name] = string(content)
	return chat.File{ID: "file-" + a.Name, UserID: userID, ChatID: a.ChatID}, !there, err
}

func newDesk(t *testing.T) (*Desk, *taker) {
	t.Helper()
	k := &taker{}
	d, err := Open(filepath.Join(t.TempDir(), "uploads"), k, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return d, k
}

func begin(t *testing.T, d *Desk, name string, size int64) Upload {
	t.Helper()
	u, err := d.Begin("ana", name, "", size)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// left are the files of the desk.
func left(t *testing.T, d *Desk) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func code(err error) chat.Code {
	if err == nil {
		return ""
	}
	return chat.AsError(err).Code
}

func TestPieces(t *testing.T) {
	d, k := newDesk(t)
	u := begin(t, d, "a.txt", 10)
	for _, c := range []struct {
		name   string
		user   string
		offset int64
		piece  string
		code   chat.Code
		then   int64 // how much has arrived
	}{
		{"of somebody else", "bob", 0, "0123", chat.CodeNotFound, 0},
		{"too early", "ana", 4, "4567", chat.CodeConflict, 0},
		{"the first", "ana", 0, "0123", "", 4},
		{"again", "ana", 0, "0123", chat.CodeConflict, 4},
		{"nothing", "ana", 4, "", "", 4},
		{"too much", "ana", 4, "4567890", chat.CodeInvalid, 4},
		{"much too much", "ana", 4, strings.Repeat("x", 100_000), chat.CodeInvalid, 4},
		{"a negative offset", "ana", -1, "0", chat.CodeConflict, 4},
		{"the last", "ana", 4, "456789", "", 10},
		{"after the end", "ana", 10, "", "", 10},
		{"after the end, from the beginning", "ana", 0, "0123456789", chat.CodeConflict, 10},
	} {
		if _, err := d.Append(t.Context(), c.user, u.ID, c.offset, strings.NewReader(c.piece)); code(err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
		if now, err := d.Find("ana", u.ID); err != nil || now.Offset != c.then {
			t.Errorf("%s: %+v, %v; want %d bytes", c.name, now, err, c.then)
		}
	}
	if k.taken["a.txt"] != "0123456789" {
		t.Errorf("taken %v", k.taken)
	}
	if now, err := d.Find("ana", u.ID); err != nil || now.FileID != "file-a.txt" || now.Duplicate {
		t.Errorf("%+v, %v", now, err)
	}
}

// What came before a failure is kept; a new desk over the folder, as after a crash,
// goes on with it.
func TestGoingOn(t *testing.T) {
	d, k := newDesk(t)
	u := begin(t, d, "a.txt", 10)
	cut := errors.New("the connection broke")
	if now, err := d.Append(t.Context(), "ana", u.ID, 0, io.MultiReader(strings.NewReader("012345"), iotest.ErrReader(cut))); !errors.Is(err, cut) || now.Offset != 6 {
		t.Errorf("%+v, %v", now, err)
	}
	d, err := Open(d.folder, k, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := d.Append(t.Context(), "ana", u.ID, 6, iotest.OneByteReader(strings.NewReader("6789"))); err != nil || now.FileID == "" || k.taken["a.txt"] != "0123456789" {
		t.Errorf("%+v, %v, %v", now, err, k.taken)
	}
}

func TestTwoConnectionsAtOnce(t *testing.T) {
	d, k := newDesk(t)
	u := begin(t, d, "a.txt", 10)
	r, w := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := d.Append(t.Context(), "ana", u.ID, 0, r)
		done <- err
	}()
	if _, err := w.Write([]byte("01234")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Append(t.Context(), "ana", u.ID, 0, strings.NewReader("xxxxx")); code(err) != chat.CodeConflict {
		t.Errorf("the second: %v", err)
	}
	if _, err := w.Write([]byte("56789")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), <-done); err != nil || k.taken["a.txt"] != "0123456789" {
		t.Errorf("%v, %v", err, k.taken)
	}
}

func TestWhatTheLibrarySays(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code chat.Code
		left int64 // how much is kept, -1 when the upload is gone
	}{
		"refused":     {chat.Fail(chat.CodeUnsupported, "No."), chat.CodeUnsupported, -1},
		"no room":     {chat.ErrStorageFull, chat.CodeStorageFull, 10},
		"a failure":   {errors.New("the disk coughed"), chat.CodeInternal, 10},
		"a full disk": {full(syscall.EDQUOT), chat.CodeStorageFull, 10},
	} {
		t.Run(name, func(t *testing.T) {
			d, k := newDesk(t)
			u := begin(t, d, "a.txt", 10)
			k.err = c.err
			if _, err := d.Append(t.Context(), "ana", u.ID, 0, strings.NewReader("0123456789")); code(err) != c.code {
				t.Errorf("%v", err)
			}
			now, err := d.Find("ana", u.ID)
			if c.left < 0 {
				if code(err) != chat.CodeNotFound || len(left(t, d)) > 0 {
					t.Errorf("%+v, %v, left %v", now, err, left(t, d))
				}
				return
			}
			if err != nil || now.Offset != c.left || now.FileID != "" {
				t.Errorf("%+v, %v", now, err)
			}
			k.err = nil
			if now, err := d.Append(t.Context(), "ana", u.ID, 10, strings.NewReader("")); err != nil || now.FileID == "" {
				t.Errorf("the next time: %+v, %v", now, err)
			}
		})
	}
}

func TestInOnePiece(t *testing.T) {
	for name, c := range map[string]struct {
		content io.Reader
		code    chat.Code
	}{
		"a file":          {strings.NewReader("The tide rises."), ""},
		"nothing":         {strings.NewReader(""), ""},
		"as much as goes": {strings.NewReader(strings.Repeat("x", 1000)), ""},
		"one byte more":   {strings.NewReader(strings.Repeat("x", 1001)), chat.CodeTooLarge},
		"without end":     {endless{}, chat.CodeTooLarge},
		"broken off":      {io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrUnexpectedEOF)), chat.CodeInternal},
		"no room":         {io.MultiReader(strings.NewReader("x"), iotest.ErrReader(syscall.ENOSPC)), chat.CodeStorageFull},
	} {
		t.Run(name, func(t *testing.T) {
			d, k := newDesk(t)
			f, created, err := d.Receive(t.Context(), "ana", "a.txt", "c1", c.content)
			if code(err) != c.code || err == nil && (!created || f.ChatID != "c1") || err != nil && len(k.taken) > 0 {
				t.Errorf("%+v %v, %v", f, created, err)
			}
			if names := left(t, d); len(names) > 0 {
				t.Errorf("left %v", names)
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestSizes(t *testing.T) {
	d, _ := newDesk(t)
	for size, want := range map[int64]chat.Code{-1: chat.CodeInvalid, 0: "", 1000: "", 1001: chat.CodeTooLarge, 1 << 62: chat.CodeTooLarge} {
		if _, err := d.Begin("ana", "a.txt", "", size); code(err) != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	for _, id := range []string{"", "..", "../../etc/passwd", "nothing", "01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		if _, err := d.Find("ana", id); code(err) != chat.CodeNotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// What nobody goes on with is kept for a day; what was left by a crash goes with it.
func TestSweeping(t *testing.T) {
	d, _ := newDesk(t)
	old, idle, slow, done := begin(t, d, "old", 10), begin(t, d, "idle", 10), begin(t, d, "slow", 10), begin(t, d, "done", 4)
	if _, err := d.Append(t.Context(), "ana", done.ID, 0, strings.NewReader("done")); err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(d.folder, "123.whole")
	if err := os.WriteFile(crashed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	age := func(path string, by time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, now.Add(-by), now.Add(-by)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{d.record(old.ID), d.part(old.ID), d.record(done.ID), crashed, d.record(slow.ID)} {
		age(path, 25*time.Hour) // of the slow one a piece has come since
	}
	for _, path := range []string{d.record(idle.ID), d.part(idle.ID), d.part(slow.ID)} {
		age(path, 23*time.Hour)
	}
	if err := d.Sweep(now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		u    Upload
		want chat.Code
	}{{old, chat.CodeNotFound}, {done, chat.CodeNotFound}, {idle, ""}, {slow, ""}} {
		if _, err := d.Find("ana", c.u.ID); code(err) != c.want {
			t.Errorf("%s: %v", c.u.Name, err)
		}
	}
	if names := left(t, d); len(names) != 4 {
		t.Errorf("left %v", names)
	}
}

func TestForgetting(t *testing.T) {
	d, _ := newDesk(t)
	begin(t, d, "a.txt", 10)
	begin(t, d, "b.txt", 10)
	other, err := d.Begin("bob", "c.txt", "", 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Forget("ana"); err != nil {
		t.Fatal(err)
	}
	if names := left(t, d); len(names) != 2 {
		t.Errorf("left %v", names)
	}
	if err := d.Cancel("ana", other.ID); code(err) != chat.CodeNotFound {
		t.Errorf("ana ends what is bob's: %v", err)
	}
	if err := d.Cancel("bob", other.ID); err != nil || len(left(t, d)) > 0 {
		t.Errorf("%v, left %v", err, left(t, d))
	}
}

func TestWhatBrokeOffIsRemovedAtTheNextStart(t *testing.T) {
	folder := t.TempDir()
	broken, begun := filepath.Join(folder, "123.whole"), filepath.Join(folder, "01JCZ0000000000000000TIDES.part")
	for _, path := range []string{broken, begun} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(folder, nil, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(broken); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what broke off: %v", err)
	}
	if _, err := os.Stat(begun); err != nil {
		t.Errorf("what can be gone on with: %v", err)
	}
}
