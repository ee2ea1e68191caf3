package gemini

import (
	"encoding/json"
	"fmt"

	"google.golang.org/genai"

	"confidant/internal/chat"
	"confidant/internal/llm"
)

// blocked is the finish reason of a question that was not let in.
const blocked genai.FinishReason = "BLOCKED"

// answer is what has been received so far.
type answer struct {
	finish genai.FinishReason
	usage  chat.Usage
	state  llm.State
}

// response takes in one piece of the answer and passes its parts on.
func (a *answer) response(r *genai.GenerateContentResponse, out *llm.Emitter) {
	if u := r.UsageMetadata; u != nil {
		a.usage = chat.Usage{
			Input:  int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
			Cached: int(u.CachedContentTokenCount),
			Output: int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
		}
		a.usage.Total = a.usage.Input + a.usage.Output
	}
	if r.PromptFeedback != nil && r.PromptFeedback.BlockReason != "" {
		a.finish = blocked
	}
	if len(r.Candidates) == 0 {
		return
	}
	candidate := r.Candidates[0]
	if candidate.Content != nil {
		for _, part := range candidate.Content.Parts {
			a.part(part, out)
		}
	}
	if candidate.FinishReason != "" {
		a.finish = candidate.FinishReason
	}
}

// part passes one part on. A thought signature belongs to the call or the text
// in whose part it came.
func (a *answer) part(p *genai.Part, out *llm.Emitter) {
	if p.Thought {
		out.Reasoning(p.Text)
		return
	}
	if len(p.ThoughtSignature) > 0 {
		signature, _ := json.Marshal(p.ThoughtSignature) // bytes always encode
		a.state.Add(signature)
	}
	if call := p.FunctionCall; call != nil {
		arguments, err := json.Marshal(call.Args)
		if err != nil || call.Args == nil {
			arguments = []byte("{}")
		}
		a.state.LedTo(out.Call(chat.Call{ID: call.ID, Name: call.Name, Arguments: string(arguments)}))
		return
	}
	a.state.LedTo("")
	out.Text(p.Text)
}

// end yields the end of the answer.
func (a *answer) end(model string, out *llm.Emitter) {
	done := llm.Done{Stop: llm.StopEnd, Usage: a.usage, State: a.state.Encode()}
	switch a.finish {
	case genai.FinishReasonMaxTokens:
		done.Stop = llm.StopLength
	case blocked, genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonLanguage:
		done.Stop = llm.StopRefused
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall:
		out.Fail(&llm.Error{Kind: llm.Malformed, Model: model, Err: fmt.Errorf("the model stopped with %s", a.finish)})
		return
	}
	out.Done(done)
}
