package main

import (
	"context"
	"errors"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

type askCommand struct {
	JSON     bool     `name:"json" help:"Print the events of the turn, one JSON object a line."`
	Question []string `arg:"" help:"What you want to know."`
}

// Run asks one question and shows the answer.
func (q *askCommand) Run(ctx context.Context, c *commands) (err error) {
	a, release, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	turn, err := a.Ask(ctx, chat.Ask{Text: strings.Join(q.Question, " "), Zone: c.Config.Zone, IdempotencyKey: ident.New()})
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
