// Package blobs keeps the bytes of files in a bucket: a folder, or S3 by its URL.
// A file is named by its person and the hash of its content, never by the name
// that a client gave it, so that the same content of one person is stored once.
package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3:// URLs
	"gocloud.dev/gcerrors"

	"confidant/internal/chat"
)

// Store is a bucket.
type Store struct {
	bucket *blob.Bucket
	// folder is where the bucket's objects lie as files, "" when they do not.
	folder string
}

// Open opens the bucket of a URL, such as s3://bucket?region=eu-central-1, or a
// folder, which is made when it is not there.
func Open(ctx context.Context, place string) (*Store, error) {
	if u, err := url.Parse(place); err == nil && u.Scheme != "" && len(u.Scheme) > 1 {
		bucket, err := blob.OpenBucket(ctx, place)
		if err != nil {
			// The query may have keys, and the error repeats the URL.
			return nil, fmt.Errorf("open bucket: %s", strings.ReplaceAll(err.Error(), "?"+u.RawQuery, "?…"))
		}
		return &Store{bucket: bucket}, nil
	}
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of files: %w", err)
	}
	bucket, err := fileblob.OpenBucket(place, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("open the folder of files: %w", err)
	}
	return &Store{bucket: bucket, folder: place}, nil
}

// Close gives the bucket back.
func (s *Store) Close() error { return s.bucket.Close() }

func key(userID, hash string) string { return userID + "/" + hash }

// Put stores content, unless it is there. It is there whole or not at all.
func (s *Store) Put(ctx context.Context, userID, hash string, content io.Reader) error {
	there, err := s.bucket.Exists(ctx, key(userID, hash))
	if err != nil {
		return fmt.Errorf("look for the bytes of a file: %w", err)
	}
	if there {
		return nil
	}
	if err := s.write(ctx, key(userID, hash), content); err != nil {
		return fmt.Errorf("store the bytes of a file: %w", full(err))
	}
	return nil
}

// write is the bucket's Upload, which keeps what was written when the rest cannot be:
// only a writer whose context has ended forgets it.
func (s *Store) write(ctx context.Context, key string, content io.Reader) error {
	ctx, forget := context.WithCancel(ctx)
	defer forget()
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, content); err != nil {
		forget()
		_ = w.Close() // it says that its context has ended
		return err
	}
	return w.Close()
}

// Open reads content, or fails with chat.ErrNotFound.
func (s *Store) Open(ctx context.Context, userID, hash string) (io.ReadSeekCloser, error) {
	r, err := s.bucket.NewReader(ctx, key(userID, hash), nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, chat.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open the bytes of a file: %w", err)
	}
	return r, nil
}

// Local returns the path of a file with the content, to be read until done is
// called: the file itself where the bucket is a folder, else a copy.
func (s *Store) Local(ctx context.Context, userID, hash string) (path string, done func() error, err error) {
	if s.folder != "" {
		path = filepath.Join(s.folder, userID, hash)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return "", nil, chat.ErrNotFound
		} else if err != nil {
			return "", nil, fmt.Errorf("open the bytes of a file: %w", err)
		}
		return path, func() error { return nil }, nil
	}
	content, err := s.Open(ctx, userID, hash)
	if err != nil {
		return "", nil, err
	}
	defer content.Close()
	file, err := os.CreateTemp("", "confidant-file-*")
	if err != nil {
		return "", nil, fmt.Errorf("copy the bytes of a file: %w", full(err))
	}
	_, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", nil, fmt.Errorf("copy the bytes of a file: %w", errors.Join(full(err), os.Remove(file.Name())))
	}
	return file.Name(), func() error { return os.Remove(file.Name()) }, nil
}

// Delete removes content. Removing what is not there is no error.
func (s *Store) Delete(ctx context.Context, userID, hash string) error {
	err := s.bucket.Delete(ctx, key(userID, hash))
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("delete the bytes of a file: %w", err)
	}
	return nil
}

// Each calls do with everything that is stored, until it fails.
func (s *Store) Each(ctx context.Context, do func(userID, hash string) error) error {
	objects := s.bucket.List(nil)
	for {
		o, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list the bytes of files: %w", err)
		}
		if userID, hash, ok := strings.Cut(o.Key, "/"); ok {
			if err := do(userID, hash); err != nil {
				return err
			}
		}
	}
}

// Hashes returns what a person has.
func (s *Store) Hashes(ctx context.Context, userID string) ([]string, error) {
	var list []string
	objects := s.bucket.List(&blob.ListOptions{Prefix: userID + "/"})
	for {
		o, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, fmt.Errorf("list the bytes of files: %w", err)
		}
		list = append(list, strings.TrimPrefix(o.Key, userID+"/"))
	}
}

// DeleteAll removes everything of a person.
func (s *Store) DeleteAll(ctx context.Context, userID string) error {
	list, err := s.Hashes(ctx, userID)
	if err != nil {
		return err
	}
	for _, hash := range list {
		if err := s.Delete(ctx, userID, hash); err != nil {
			return err
		}
	}
	if s.folder != "" {
		if err := os.Remove(filepath.Join(s.folder, userID)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("delete the folder of a person's files: %w", err)
		}
	}
	return nil
}
