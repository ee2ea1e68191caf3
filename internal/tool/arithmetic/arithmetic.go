// Package arithmetic has the tool for sums, of seeds/o3-chat-architecture.txt.
package arithmetic

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"confidant/internal/tool"
)

// AddNumbers adds two numbers; its result is a bare number.
type AddNumbers struct{}

var _ tool.Tool = AddNumbers{}

// Spec implements tool.Tool.
func (AddNumbers) Spec() tool.Spec {
	return tool.Spec{
		Name:        "addNumbers",
		Description: "Adds two numbers and returns their sum. Use it for every addition instead of adding yourself.",
		Label:       "Adding numbers",
		Idempotent:  true,
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"a":{"type":"number","description":"The first number."},` +
			`"b":{"type":"number","description":"The second number."}},` +
			`"required":["a","b"],"additionalProperties":false}`),
	}
}

// Run implements tool.Tool.
func (AddNumbers) Run(_ context.Context, call tool.Call) (tool.Result, error) {
	var args struct{ A, B float64 }
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("read arguments: %w", err)
	}
	sum := args.A + args.B
	if math.IsInf(sum, 0) {
		return tool.Result{}, tool.Problem("The sum is too large for a 64-bit floating-point number.")
	}
	return tool.Result{Content: sum, Display: true}, nil
}
