package main

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"confidant/internal/chat"
)

// check looks at everything that the turn left behind.
func (r *round) check(ctx context.Context) error {
	if err := r.checkSeen(); err != nil {
		return err
	}
	// What was seen over two connections and two processes is the log, exactly.
	log, err := r.events(ctx, 0)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(log, r.seen) {
		return fmt.Errorf("the log has %d events and the follower saw %d, or they differ", len(log), len(r.seen))
	}
	ran, err := r.ran(r.token)
	if err != nil {
		return err
	}
	if ran > 1 {
		return fmt.Errorf("the tool, which must not be repeated, ran %d times", ran)
	}
	return r.checkMessages(ctx)
}

// checkSeen checks the events that the follower was shown.
func (r *round) checkSeen() error {
	ends := 0
	for i, e := range r.seen {
		if e.Seq != int64(i)+1 {
			return fmt.Errorf("event %d has the number %d", i+1, e.Seq)
		}
		if chat.Terminal(e.Body) {
			ends++
		}
	}
	if ends != 1 {
		return fmt.Errorf("the turn ended %d times", ends)
	}
	if _, finished := r.terminal().(chat.TurnFinished); !finished {
		return fmt.Errorf("the turn ended with %s, want an answer", r.terminal().Type())
	}
	return nil
}

func (r *round) terminal() chat.Body {
	for _, e := range r.seen {
		if chat.Terminal(e.Body) {
			return e.Body
		}
	}
	return nil
}

// checkMessages checks that the question and its answer are stored once.
func (r *round) checkMessages(ctx context.Context) error {
	var page struct {
		Messages []chat.Message `json:"messages"`
	}
	if err := r.call(ctx, http.MethodGet, "/api/chats/"+r.turn.ChatID+"/messages", "", nil, &page); err != nil {
		return err
	}
	if len(page.Messages) != 2 {
		return fmt.Errorf("the chat has %d messages, want a question and an answer", len(page.Messages))
	}
	answer, question := page.Messages[0], page.Messages[1]
	if question.Content != r.question() || question.Role != chat.RoleUser {
		return fmt.Errorf("the question is stored as %q", question.Content)
	}
	told := ""
	for _, e := range r.seen {
		if text, ok := e.Body.(chat.TextFinished); ok {
			told = text.Text
		}
	}
	if !answer.Ready || answer.ID != r.turn.AnswerID || answer.Content != told || told == "" {
		return fmt.Errorf("the answer is stored as %q (ready: %t), and was told as %q", answer.Content, answer.Ready, told)
	}
	return nil
}
