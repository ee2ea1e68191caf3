package prompt

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

func TestLoggable(t *testing.T) {
	quote := errors.New("what Ana said")
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("ask: %w", &llm.Error{Kind: llm.Rejected, Model: "m", Err: quote}), "model rejected"},
		{chat.Fail(chat.CodeModel, "It failed.").With(&llm.Error{Kind: llm.Stalled, Err: quote}), "model stalled"},
		{fmt.Errorf("%w: %w", BadAnswer("not JSON"), quote), "answer of the model: not JSON"},
		{fmt.Errorf("read: %w", chat.Fail(chat.CodeUnsupported, "It is damaged.").With(quote)), "unsupported_media: It is damaged."},
		{context.DeadlineExceeded, "context.deadlineExceededError"},
		{fmt.Errorf("ask: %w", quote), "*fmt.wrapError"},
		{quote, "*errors.errorString"},
	} {
		if got := Loggable(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
