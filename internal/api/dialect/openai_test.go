package dialect

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

func TestOpenAIGolden(t *testing.T) {
	golden(t, "openai", func(turn chat.Turn) Encoder {
		return &openaiEncoder{openaiAnswer: openaiAnswer{turn: turn, model: "any"}, usage: true}
	})
}

func TestOpenAIWithoutUsage(t *testing.T) {
	o := &openaiEncoder{openaiAnswer: openaiAnswer{turn: chat.Turn{ID: "01TURN", CreatedAt: time.Unix(7, 0)}, model: "any"}}
	got, done := o.Encode(chat.Event{Body: chat.TurnFinished{StopReason: "refused"}})
	want := `data: {"choices":[{"delta":{},"finish_reason":"content_filter","index":0,"logprobs":null}],` +
		`"created":7,"id":"chatcmpl-01TURN","model":"any","object":"chat.completion.chunk"}` + "\n\ndata: [DONE]\n\n"
	if !done || string(got) != want {
		t.Errorf("got %s", got)
	}
	got = o.Fail(chat.ErrUnavailable)
	if want := `data: {"error":{"code":"unavailable","message":"` + chat.ErrUnavailable.Detail + `","param":null,"type":"server_error"}}` + "\n\n"; string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestOpenAIError(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		body   string
	}{
		{ErrNoToken, 401, `"param":null,"type":"invalid_request_error"`},
		{openaiRefuse("tools", "unsupported_parameter", "No."), 400, `"code":"unsupported_parameter","message":"No.","param":"tools","type":"invalid_request_error"`},
		{chat.Fail(chat.CodeRateLimited, "Wait."), 429, `"type":"rate_limit_error"`},
		{chat.Fail(chat.CodeModel, "It failed."), 502, `"type":"server_error"`},
		{chat.ErrInternal.With(errors.New("secret")), 500, `"message":"` + chat.ErrInternal.Detail + `"`},
	} {
		status, body := openaiError(chat.AsError(c.err))
		if got := string(mustJSON(body)); status != c.status || !strings.Contains(got, c.body) {
			t.Errorf("%v: %d %s", c.err, status, got)
		}
	}
}

func TestOpenAIBody(t *testing.T) {
	r, ask, err := openaiBody([]byte(`{"model":"gpt-any","stream":true,"stream_options":{"include_usage":true},"n":1,"tools":[ ],"stop":null,
		"response_format":{"type": "text"},"temperature":0.5,"max_tokens":9,"messages":[
		{"role":"system","content":"Be short."},{"role":"user","content":"one"},{"role":"assistant","content":null},
		{"role":"assistant","content":[{"type":"text","text":"t"},{"type":"text","text":"wo"}]},
		{"role":"developer","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"three"}]}]}`))
	if err != nil || r.Model != "gpt-any" || !r.Stream || !r.Options.Usage {
		t.Fatalf("request %+v, error %v", r, err)
	}
	if ask.Text != "three" || ask.Instructions != "Be short.\n\nBe kind." || !ask.Unlisted || len(ask.History) != 2 ||
		ask.History[1] != (chat.HistoryMessage{Role: chat.RoleAssistant, Content: "two"}) {
		t.Errorf("ask %+v", ask)
	}
	r, ask, err = openaiBody([]byte(`{"messages":[{"role":"user","content":"x"}]}`))
	if err != nil || r.Model != "confidant" || ask.History == nil || len(ask.History) != 0 {
		t.Errorf("the smallest request: %+v %+v %v", r, ask, err)
	}
}

func TestOpenAIRefuses(t *testing.T) {
	const user = `{"role":"user","content":"x"}`
	for body, param := range map[string]string{
		`{"messages":[` + user + `],"tools":[{"type":"function"}]}`:            "tools",
		`{"messages":[` + user + `],"functions":[{}]}`:                         "functions",
		`{"messages":[` + user + `],"n":2}`:                                    "n",
		`{"messages":[` + user + `],"logprobs":true}`:                          "logprobs",
		`{"messages":[` + user + `],"stop":"x"}`:                               "stop",
		`{"messages":[` + user + `],"tool_choice":"required"}`:                 "tool_choice",
		`{"messages":[` + user + `],"response_format":{"type":"json_object"}}`: "response_format",
		`{"messages":[]}`: "messages",
		`{}`:              "messages",
		`{"messages":[` + user + `,{"role":"assistant","content":"y"}]}`:                             "messages",
		`{"messages":[{"role":"tool","content":"x"},` + user + `]}`:                                  "messages[0].role",
		`{"messages":[{"role":"function","content":"x"},` + user + `]}`:                              "messages[0].role",
		`{"messages":[{"role":"assistant","tool_calls":[{}]},` + user + `]}`:                         "messages[0].tool_calls",
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url"}]}]}`: "messages[0].content[1]",
		`{"messages":[{"role":"user","content":7}]}`:                                                 "messages[0].content",
		`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`:                                 "messages[0].content[0]",
	} {
		_, _, err := openaiBody([]byte(body))
		_, rendered := openaiError(chat.AsError(err))
		if got := string(mustJSON(rendered)); err == nil || !strings.Contains(got, `"param":"`+param+`"`) {
			t.Errorf("%s: %s", body, got)
		}
	}
}

func FuzzOpenAIBody(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"x"}],"n":1.0}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"\ud800"}]}]}`,
		`{"messages":[{}],"tools":null}`, `[]`, `null`, `{"stream_options":null,"messages":[{"role":"user","content":{}}]}`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, ask, err := openaiBody(data)
		if err != nil {
			status, body := openaiError(chat.AsError(err))
			if mustJSON(body); status != 400 {
				t.Errorf("status %d: %v", status, err)
			}
			return
		}
		if ask.History == nil || !ask.Unlisted || !utf8.ValidString(ask.Text+ask.Instructions) {
			t.Errorf("ask %+v", ask)
		}
	})
}

// A completion that is not streamed holds the checked text, or what was said
// until somebody stopped it.
func TestOpenAICompletion(t *testing.T) {
	for want, bodies := range map[string][]chat.Body{
		"Checked.": {chat.TextDelta{Delta: "Checked[9]."}, chat.StepFinished{}, chat.TextFinished{Text: "Checked."}, chat.TurnFinished{StopReason: "stop"}},
		"One":      {chat.TextDelta{Delta: "Zero"}, chat.StepRetracted{}, chat.TextDelta{Delta: "One"}, chat.TurnCancelled{By: "ada"}},
	} {
		a := openaiAnswer{model: "any"}
		for _, body := range bodies {
			a.hear(body)
		}
		got := string(mustJSON(a.completion()))
		if !strings.Contains(got, `"finish_reason":"stop"`) || !strings.Contains(got, `"content":"`+want+`"`) {
			t.Errorf("completion %s, want %s", got, want)
		}
	}
}
