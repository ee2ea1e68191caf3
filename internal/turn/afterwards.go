package turn

import (
	"context"
	"log/slog"

	"confidant/internal/chat"
	"confidant/internal/prompt"
	"confidant/internal/turn/after"
)

// afterwards returns what else there is to tell. Nothing here can fail the turn.
func (r *run) afterwards(ctx context.Context, answer chat.Message) (chat.Metadata, chat.Suggestions, chat.Usage) {
	var metadata chat.Metadata
	suggestions := chat.Suggestions{FollowUps: []string{}, NewChat: []string{}}
	var usage chat.Usage
	if c, err := r.store.Chat(ctx, r.job.UserID, r.job.Lane); err != nil {
		slog.ErrorContext(ctx, "read chat", "turn", r.job.ID, "error", err)
	} else {
		metadata.Title = c.Title
	}
	if r.opt.Fast == nil {
		return metadata, suggestions, usage
	}
	question, err := r.store.Message(ctx, r.job.UserID, r.order.MessageID)
	if err != nil {
		slog.ErrorContext(ctx, "read question", "turn", r.job.ID, "error", err)
		return metadata, suggestions, usage
	}
	ctx, cancel := context.WithTimeout(ctx, r.opt.AfterTime)
	defer cancel()
	summarised := make(chan chat.Usage, 1)
	go func() { summarised <- r.prepareNext(ctx) }()
	suggestions, usage, err = after.Suggest(ctx, r.opt.Fast, question.Content, answer.Content)
	if err != nil {
		slog.WarnContext(ctx, "no suggestions", "turn", r.job.ID, "error", prompt.Loggable(err))
	}
	return metadata, suggestions, usage.Add(<-summarised)
}

// prepareNext summarises what the next question will not see, if there is such.
func (r *run) prepareNext(ctx context.Context) chat.Usage {
	if !r.filled {
		return chat.Usage{}
	}
	usage, err := r.router.Prepare(ctx, r.job.UserID, r.job.Lane)
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "no summary for the next question", "turn", r.job.ID, "error", prompt.Loggable(err))
	}
	return usage
}
