package prompt

import (
	"errors"
	"fmt"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// Loggable returns the part of an error that may be logged where a model or a
// file of a person was asked: of a model's error its kind, since the provider's
// reason may quote the request; a BadAnswer whole, and the code and the detail of
// a chat.Error, since neither quotes anybody; of any other error only its Go type.
func Loggable(err error) string {
	if failed, ok := errors.AsType[*llm.Error](err); ok {
		return "model " + string(failed.Kind)
	}
	if bad, ok := errors.AsType[BadAnswer](err); ok {
		return bad.Error()
	}
	if known, ok := errors.AsType[*chat.Error](err); ok {
		return string(known.Code) + ": " + known.Detail
	}
	return fmt.Sprintf("%T", err)
}
