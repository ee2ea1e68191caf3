package library

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// fingerprint is the SHA-256 of a file's content and its size in bytes.
func fingerprint(path string) (hash string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, fmt.Errorf("open what arrived: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if size, err = io.Copy(sum, f); err != nil {
		return "", 0, fmt.Errorf("read what arrived: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), size, nil
}
