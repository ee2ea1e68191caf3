package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool/arithmetic"
)

// openaiClient is the official client, which knows nothing of Confidant.
func openaiClient(h *harness) openai.Client {
	return openai.NewClient(option.WithBaseURL(h.URL+"/v1"), option.WithAPIKey(h.Token), option.WithMaxRetries(0))
}

func openaiAsks(texts ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "gpt-5.1", Messages: texts}
}

func TestOpenAIClientCompletion(t *testing.T) {
	model := &script{steps: [][]any{asks("addNumbers", `{"a":42,"b":58}`), says("It is ", "100.")}}
	h := newHarness(t, model, arithmetic.AddNumbers{})
	client := openaiClient(h)
	got, err := client.Chat.Completions.New(t.Context(), openaiAsks(
		openai.SystemMessage("Be short."), openai.UserMessage("Hello"), openai.AssistantMessage("Hi"), openai.UserMessage("42 + 58?"),
	))
	if err != nil {
		t.Fatal(err)
	}
	choice := got.Choices[0]
	if choice.Message.Content != "It is 100." || choice.FinishReason != "stop" || got.Model != "gpt-5.1" || got.Usage.TotalTokens != 41 ||
		time.Since(time.Unix(got.Created, 0)).Abs() > time.Minute || !strings.Contains(got.RawJSON(), `"reasoning_content":"Let me see."`) {
		t.Errorf("completion %s", got.RawJSON())
	}
	request := model.requests()[0]
	if len(request.Messages) != 3 || request.Messages[1].Text != "Hi" || !strings.Contains(request.System, "Be short.") {
		t.Errorf("the model was asked %+v", request)
	}
	if chats, _, err := h.Store.Chats(t.Context(), h.User.ID, chat.Page{Limit: 5}); err != nil || len(chats) != 0 {
		t.Errorf("listed chats: %v, %v", chats, err)
	}
	models, err := client.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != "confidant" {
		t.Errorf("models %+v, %v", models, err)
	}
}

func TestOpenAIClientStream(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{asks("addNumbers", `{"a":42,"b":58}`), says("data: [DONE]\n\n", "Grüße 👋")}}, arithmetic.AddNumbers{})
	client := openaiClient(h)
	params := openaiAsks(openai.UserMessage("42 + 58?"))
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var all openai.ChatCompletionAccumulator
	reasoning := ""
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			t.Fatalf("the client cannot add %s", chunk.RawJSON())
		}
		if len(chunk.Choices) > 0 {
			reasoning += chunk.Choices[0].Delta.JSON.ExtraFields["reasoning_content"].Raw()
		}
	}
	if stream.Err() != nil {
		t.Fatal(stream.Err())
	}
	m := all.Choices[0]
	if m.Message.Content != "data: [DONE]\n\nGrüße 👋" || m.Message.Role != "assistant" || m.FinishReason != "stop" || all.Usage.TotalTokens != 41 || reasoning != `"Let me see."` {
		t.Errorf("accumulated %+v, reasoning %s", all.ChatCompletion, reasoning)
	}
}

func TestOpenAIClientFailures(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{breaks("I have"), breaks("I have")}})
	client := openaiClient(h)
	_, err := client.Chat.Completions.New(t.Context(), openaiAsks(openai.UserMessage("hi")))
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusBadGateway || e.Type != "server_error" || strings.Contains(e.RawJSON(), "secret") {
		t.Errorf("completion: %v", err)
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), openaiAsks(openai.UserMessage("hi")))
	text := ""
	for stream.Next() {
		text += stream.Current().Choices[0].Delta.Content
	}
	if text != "I have" || stream.Err() == nil || !strings.Contains(stream.Err().Error(), "key") {
		t.Errorf("stream: %q, %v", text, stream.Err())
	}
	params := openaiAsks(openai.UserMessage("hi"))
	params.N = openai.Int(2)
	_, err = client.Chat.Completions.New(t.Context(), params)
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusBadRequest || e.Param != "n" || e.Code != "unsupported_parameter" {
		t.Errorf("n = 2: %v", err)
	}
	_, err = client.Chat.Completions.New(t.Context(), openaiAsks(openai.UserMessage("hi")), option.WithAPIKey("wrong"))
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusUnauthorized || e.Code != "invalid_api_key" {
		t.Errorf("wrong key: %v", err)
	}
}

// The same idempotency key gets the same turn, and never a second answer.
func TestOpenAIIdempotency(t *testing.T) {
	h := newHarness(t, &script{steps: [][]any{says("One."), says("Two.")}})
	client := openaiClient(h)
	key := option.WithHeader("Idempotency-Key", "k1")
	var ids, texts []string
	for _, options := range [][]option.RequestOption{{key}, {key}, nil} {
		got, err := client.Chat.Completions.New(t.Context(), openaiAsks(openai.UserMessage("hi")), options...)
		if err != nil {
			t.Fatal(err)
		}
		ids, texts = append(ids, got.ID), append(texts, got.Choices[0].Message.Content)
	}
	if ids[0] != ids[1] || ids[0] == ids[2] || strings.Join(texts, "") != "One.One.Two." {
		t.Errorf("ids %v, texts %v", ids, texts)
	}
}

func TestOpenAIRefusals(t *testing.T) {
	h := newHarness(t, &script{})
	body := func(text string) string { return `{"messages":[{"role":"user","content":"` + text + `"}]}` }
	h.refusals(t, "/v1/chat/completions", body, func(t *testing.T, _ string, status int, answer string) {
		var got struct {
			Error map[string]any `json:"error"`
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Error["message"] == "" || got.Error["type"] != "invalid_request_error" {
			t.Errorf("answer %s", answer)
		}
		if _, ok := got.Error["param"]; !ok || (status == http.StatusUnauthorized) != (got.Error["code"] == "invalid_api_key") {
			t.Errorf("answer %s", answer)
		}
	})
}

// A client that leaves does not stop its turn, and finds it again by its key.
func TestOpenAIDisconnectAndStop(t *testing.T) {
	more := make(chan struct{})
	h := newHarness(t, &script{steps: [][]any{
		append([]any{llm.TextDelta{Text: "One"}, (<-chan struct{})(more)}, says(" two.")...),
		{(<-chan struct{})(make(chan struct{}))},
	}})
	client := openaiClient(h)
	ctx, leave := context.WithCancel(t.Context())
	params, key := openaiAsks(openai.UserMessage("hi")), option.WithHeader("Idempotency-Key", "k1")
	stream := client.Chat.Completions.NewStreaming(ctx, params, key)
	for stream.Next() && stream.Current().Choices[0].Delta.Content != "One" {
	}
	leave()
	close(more)
	got, err := client.Chat.Completions.New(t.Context(), params, key)
	if err != nil || got.Choices[0].Message.Content != "One two." {
		t.Errorf("found again: %+v, %v", got, err)
	}

	res := h.do(t, t.Context(), "POST", "/v1/chat/completions", h.Token, `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	lines := bufio.NewReader(res.Body)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"role":"assistant"`) {
		t.Fatalf("%q, %v", line, err)
	}
	h.Stop()
	if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), `data: {"error":{"code":"unavailable"`) || strings.Contains(string(rest), "[DONE]") {
		t.Errorf("after the stop: %q, %v", rest, err)
	}
}
