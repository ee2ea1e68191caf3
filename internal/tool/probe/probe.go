// Package probe has a tool for tests that kill the server: it is slow, must not
// be repeated, and leaves a trace of every time that it ran.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"confidant/internal/tool"
)

// Probe appends a line to File before it waits. It is offered only when the
// server is started with --probe-file.
type Probe struct{ File string }

var _ tool.Tool = Probe{}

// Spec implements tool.Tool.
func (Probe) Spec() tool.Spec {
	return tool.Spec{
		Name:        "probe",
		Description: "Writes a token down and waits. For tests of the server only.",
		Label:       "Probing",
		Parameters: json.RawMessage(`{"type":"object","properties":{"token":{"type":"string"},` +
			`"millis":{"type":"integer","minimum":0,"maximum":10000}},"required":["token","millis"],"additionalProperties":false}`),
	}
}

// Run implements tool.Tool.
func (p Probe) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		Token  string `json:"token"`
		Millis int    `json:"millis"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("read arguments: %w", err)
	}
	if err := note(p.File, args.Token); err != nil {
		return tool.Result{}, err
	}
	select {
	case <-time.After(time.Duration(args.Millis) * time.Millisecond):
		return tool.Result{Content: "noted " + args.Token, Display: true}, nil
	case <-ctx.Done():
		return tool.Result{}, ctx.Err()
	}
}

// note appends a line that survives the death of the process.
func note(file, token string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open probe file: %w", err)
	}
	if _, err := fmt.Fprintln(f, token); err != nil {
		return errors.Join(fmt.Errorf("write probe file: %w", err), f.Close())
	}
	return f.Close()
}
