package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"confidant/internal/chat"
	"confidant/internal/tool"
)

// The results that the loop itself gives to a call.
const (
	outcomeUnknown = "The server stopped while this was running. It may or may not have happened, and it will not be repeated by itself. Tell the person so, or find out with another tool."
	overLimit      = "This call was not made: the limit of tool calls for one question is reached. Answer with what you have."
	declined       = "The person declined this action. Do not try it again."
	toolFailed     = "The tool failed. Try something else, or tell the person."
)

// finishCalls brings every open call to a result: side by side, a few at a time.
func (l *Loop) finishCalls(ctx context.Context, s *state) error {
	if len(s.open) == 0 {
		return nil
	}
	// Before anything happens in the world the log says that it is about to.
	if err := l.Log.Flush(ctx); err != nil {
		return err
	}
	calls := slices.Clone(s.open)
	before := len(s.made) - len(s.messages[len(s.messages)-1].Calls)
	results := make(chan chat.ToolFinished, len(calls))
	places := make(chan struct{}, l.Limits.Parallel)
	var running sync.WaitGroup
	for _, c := range calls {
		allowed := before+l.place(s, c) < l.Limits.ToolCalls
		running.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			results <- l.finishCall(ctx, s, c, allowed)
		})
	}
	go func() { running.Wait(); close(results) }()

	// The loop's goroutine alone writes the state and the log.
	var failed error
	for r := range results {
		if failed != nil || ctx.Err() != nil {
			continue
		}
		if _, err := l.Log.Append(l.Agent, r); err != nil {
			failed = fmt.Errorf("log tool result: %w", err)
			continue
		}
		s.result(r)
	}
	s.resumed = false
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failed
}

// place is the position of a call within its step.
func (l *Loop) place(s *state, c chat.Call) int {
	return slices.IndexFunc(s.messages[len(s.messages)-1].Calls, func(o chat.Call) bool { return o.ID == c.ID })
}

// finishCall runs one call, unless there is a reason not to. It reads the state
// and does not write it.
func (l *Loop) finishCall(ctx context.Context, s *state, c chat.Call, allowed bool) chat.ToolFinished {
	done := chat.ToolFinished{CallID: c.ID, Name: c.Name}
	t, ok := l.Tools.Find(c.Name)
	if !ok {
		done.Error = "Unknown tool: " + c.Name
		return done
	}
	spec := t.Spec()
	if !allowed {
		done.Error = overLimit
		return done
	}
	arguments, err := l.Tools.Check(c.Name, c.Arguments)
	if err != nil {
		done.Error = err.Error()
		return done
	}
	// A call that waits for the person has not begun. Of a tool that decides by
	// itself and has not asked, nobody knows.
	why, asked := s.asked[c.ID]
	begun := s.resumed && (spec.Consent == "" && !asked || s.consent[c.ID])
	if begun && !spec.Idempotent {
		done.Error = outcomeUnknown
		return done
	}
	if !asked {
		if why, err = l.why(ctx, t, c, arguments); err != nil {
			l.blame(ctx, &done, err)
			return done
		}
	}
	if why != "" || asked {
		approved, err := l.consent(ctx, s, c, why)
		if err != nil || !approved {
			done.Error = declined
			return done
		}
	}
	return l.call(ctx, s.book, t, c, arguments, why)
}

// why is the reason to ask the person before a call, "" when there is none.
func (l *Loop) why(ctx context.Context, t tool.Tool, c chat.Call, arguments json.RawMessage) (why string, err error) {
	asker, ok := t.(tool.Asker)
	if static := t.Spec().Consent; static != "" || !ok {
		return static, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, l.limit(t))
	defer cancel()
	return asker.Consent(ctx, l.frame(c, arguments))
}

// frame is a call with the circumstances of the turn.
func (l *Loop) frame(c chat.Call, arguments json.RawMessage) tool.Call {
	frame := l.Frame
	frame.TurnID, frame.ID, frame.Arguments = l.Frame.ID, c.ID, arguments
	return frame
}

// limit is how long a call may take.
func (l *Loop) limit(t tool.Tool) time.Duration {
	if limit := t.Spec().Timeout; limit > 0 {
		return limit
	}
	return l.Limits.CallTime
}

// consent asks the person, or takes the answer that is in the log.
func (l *Loop) consent(ctx context.Context, s *state, c chat.Call, why string) (bool, error) {
	if answer, given := s.consent[c.ID]; given {
		return answer, nil
	}
	if _, asked := s.asked[c.ID]; !asked {
		if _, err := l.Log.Append(l.Agent, chat.ApprovalAsked{CallID: c.ID, Why: why}); err != nil {
			return false, err
		}
	}
	answer, err := l.Consent(ctx, c.ID)
	if err != nil {
		return false, err
	}
	if _, err := l.Log.Append(l.Agent, chat.ApprovalGiven{CallID: c.ID, Approve: answer}); err != nil {
		return false, err
	}
	return answer, l.Log.Flush(ctx)
}

// call runs the tool within its time and turns whatever comes of it into a result.
func (l *Loop) call(ctx context.Context, book *book, t tool.Tool, c chat.Call, arguments json.RawMessage, approved string) (done chat.ToolFinished) {
	limit := l.limit(t)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx, span := watchTool(ctx, c)
	defer func() { endTool(span, done) }()

	cited := &citing{book: book}
	frame := l.frame(c, arguments)
	frame.Cite, frame.Approved = cited.cite, approved
	start := time.Now()
	result, err := protect(ctx, t, frame)
	done = chat.ToolFinished{
		CallID: c.ID, Name: c.Name, Display: result.Display,
		ElapsedMS: time.Since(start).Milliseconds(), Sources: cited.sources,
	}
	if errors.Is(err, context.DeadlineExceeded) {
		done.Error = fmt.Sprintf("The tool did not answer within %s.", limit)
		return done
	}
	if err == nil {
		done.Result, err = json.Marshal(result.Content)
	}
	if err != nil {
		l.blame(ctx, &done, err)
	}
	return done
}

// blame makes an error the result of a call: in the tool's own words when it has
// some for the model.
func (l *Loop) blame(ctx context.Context, done *chat.ToolFinished, err error) {
	var problem tool.Problem
	if errors.As(err, &problem) {
		done.Error = problem.Error()
		return
	}
	slog.ErrorContext(ctx, "tool failed", "tool", done.Name, "turn", l.Frame.ID, "error", err)
	done.Error = toolFailed
}

// protect keeps a panicking tool from taking the turn with it.
func protect(ctx context.Context, t tool.Tool, call tool.Call) (result tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return t.Run(ctx, call)
}

// circling reports whether the model repeats itself: among the last three calls
// two of the same tool with at least 80 % of their arguments equal (Omi's guard).
func circling(made []chat.Call) bool {
	last := made[max(0, len(made)-3):]
	for i, a := range last {
		for _, b := range last[i+1:] {
			if a.Name == b.Name && alike(a.Arguments, b.Arguments) >= 0.8 {
				return true
			}
		}
	}
	return false
}

// alike is the share of arguments, by name, that two calls have in common.
func alike(a, b string) float64 {
	var x, y map[string]json.RawMessage
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		if a == b {
			return 1
		}
		return 0
	}
	names := map[string]bool{}
	for n := range x {
		names[n] = true
	}
	for n := range y {
		names[n] = true
	}
	if len(names) == 0 {
		return 1
	}
	equal := 0
	for n := range names {
		if v, ok := x[n]; ok && string(v) == string(y[n]) {
			equal++
		}
	}
	return float64(equal) / float64(len(names))
}
