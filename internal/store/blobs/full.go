package blobs

import (
	"errors"
	"syscall"

	"confidant/internal/chat"
)

// full names the one failure of a disk that a person can do something about.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return chat.ErrStorageFull.With(err)
	}
	return err
}
