package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/term"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

type chatCommand struct{}

// Run talks until /quit, the end of the input, or an interrupt at the prompt. An
// interrupt during an answer cancels that answer only.
func (chatCommand) Run(ctx context.Context, c *commands) (err error) {
	a, release, err := connect(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	lines := newPrompt(c.streams)
	defer lines.close()
	chatID := ""
	for {
		text, err := lines.read(ctx, interrupts)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		switch text = strings.TrimSpace(text); text {
		case "":
			continue
		case "/quit":
			return nil
		}
		if chatID, err = say(ctx, c, a, chatID, text); err != nil {
			fmt.Fprintln(c.streams.err, friendly(err))
		}
		select {
		case <-interrupts: // it was for the answer
		default:
		}
	}
}

// say sends one message, shows the answer, and returns the chat that it is in.
func say(ctx context.Context, c *commands, a assistant, chatID, text string) (string, error) {
	turning, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	turn, err := a.Ask(turning, chat.Ask{ChatID: chatID, Text: text, Zone: c.Config.Zone, IdempotencyKey: ident.New()})
	if err != nil {
		return chatID, err
	}
	shown, err := c.answer()
	if err != nil {
		return turn.ChatID, err
	}
	return turn.ChatID, shown.follow(turning, a, turn.ID)
}

// prompt reads lines: with editing and a history on a terminal, as they come
// elsewhere.
type prompt struct {
	streams streams
	editor  *term.Terminal // nil when it is no terminal
	lines   *bufio.Reader
	fd      int
	raw     *term.State
}

func newPrompt(s streams) *prompt {
	p := &prompt{streams: s, lines: bufio.NewReader(s.in), fd: int(s.in.Fd())}
	if isTerminal(s.in) && isTerminal(s.out) {
		p.editor = term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{s.in, s.out}, "> ")
	}
	return p
}

// read returns the next line; io.EOF when there is none, or when the person
// pressed Ctrl-C or Ctrl-D. It gives up waiting when ctx ends.
func (p *prompt) read(ctx context.Context, interrupts <-chan os.Signal) (string, error) {
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	if p.editor != nil {
		state, err := term.MakeRaw(p.fd)
		if err != nil {
			return "", fmt.Errorf("read from the terminal: %w", err)
		}
		p.raw = state
		defer p.close()
	}
	go func() {
		if p.editor != nil {
			text, err := p.editor.ReadLine()
			got <- line{text, err}
			return
		}
		text, err := p.lines.ReadString('\n')
		if errors.Is(err, io.EOF) && text != "" {
			err = nil
		}
		got <- line{text, err}
	}()
	select {
	case l := <-got:
		return l.text, l.err
	case <-interrupts:
		return "", io.EOF
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// close gives the terminal back as it was.
func (p *prompt) close() {
	if p.raw != nil {
		_ = term.Restore(p.fd, p.raw) // nothing is left to be done about it
		p.raw = nil
	}
}
