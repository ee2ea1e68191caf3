package ident

import (
	"crypto/sha256"

	"github.com/oklog/ulid/v2"
)

// Derive returns the identifier of what comes of base by that name: always the
// same one, so that doing something again finds what was done before. It has the
// time of base when that is a ULID, else none.
func Derive(base, name string) string {
	sum := sha256.Sum256([]byte(base + "\x00" + name))
	var id ulid.ULID
	copy(id[:], sum[:])
	var at uint64
	if parsed, err := ulid.ParseStrict(base); err == nil {
		at = parsed.Time()
	}
	if err := id.SetTime(at); err != nil {
		panic(err) // the time of a ULID fits into a ULID
	}
	return id.String()
}
