package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

type askCommand struct {
	JSON     bool     `name:"json" help:"Print the events of the turn, one JSON object a line."`
	Files    []string `name:"file" short:"f" type:"existingfile" placeholder:"FILE" help:"Ask about this file, which becomes part of the library; may be repeated."`
	Question []string `arg:"" help:"What you want to know."`
}

// Run asks one question and shows the answer.
func (q *askCommand) Run(ctx context.Context, c *commands) (err error) {
	a, release, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	ask := chat.Ask{Text: strings.Join(q.Question, " "), Zone: c.Config.Zone, IdempotencyKey: ident.New()}
	for _, path := range q.Files {
		f, _, err := a.AddFile(ctx, path, time.Time{})
		if err == nil {
			f, err = waitRead(ctx, a, f)
		}
		if err != nil {
			return fmt.Errorf("%s: %s", path, friendly(err))
		}
		ask.FileIDs = append(ask.FileIDs, f.ID)
	}
	turn, err := a.Ask(ctx, ask)
	if err != nil {
		return err
	}
	if q.JSON {
		return events(ctx, c.streams.out, a, turn.ID)
	}
	shown, err := c.answer()
	if err != nil {
		return err
	}
	return shown.follow(ctx, a, turn.ID)
}

// answer shows a turn on the command's streams: status lines go to a terminal only.
func (c *commands) answer() (*answer, error) {
	zone, err := c.Config.Location()
	if err != nil {
		return nil, err
	}
	a := &answer{out: c.streams.out, zone: zone}
	if isTerminal(c.streams.err) {
		a.status = c.streams.err
	}
	return a, nil
}
