package api

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The disk of the uploads is full: this is the kernel's own error, which only Linux gives
// on demand.
func TestAFullDiskOfTheUploads(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, &script{})
	content := strings.Repeat("The tide rises. ", 1000)
	at := h.begin(t, "more.txt", len(content))
	part := filepath.Join(h.Shelf.uploads, filepath.Base(at)+".part")
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", part); err != nil {
		t.Fatal(err)
	}
	res := h.piece(t, at, 0, content)
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	checkFull(t, res.StatusCode, string(answer))
	if got := h.arrived(t, at); got != "0" {
		t.Errorf("arrived %s", got)
	}
}
