package anthropic

import (
	"regexp"
	"strconv"

	"github.com/anthropics/anthropic-sdk-go"
)

// budgets are the tokens that older models may think for.
var budgets = map[string]int64{"low": 2048, "medium": 8192, "high": 16384}

// think asks for thinking that can be read, in the way that the model knows:
// from version 4.6 on it decides itself how long, before that it gets a budget
// on top of the answer's limit, and before 3.7 it cannot.
func think(p *anthropic.MessageNewParams, model, effort string) {
	budget, ok := budgets[effort]
	if !ok {
		return
	}
	switch v := version(model); {
	case v >= 406:
		p.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = anthropic.OutputConfigEffort(effort)
	case v >= 307:
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(budget)
		p.MaxTokens += budget
	}
}

// versions finds the version in names such as claude-opus-4-6, claude-sonnet-5,
// claude-sonnet-4-20250514 and claude-3-7-sonnet-latest.
var versions = regexp.MustCompile(`^claude(?:-[a-z]+)?-(\d{1,2})(?:-(\d{1,2}))?(?:-|$)`)

// version is a model's version, 406 for 4.6, and 0 when its name has none.
func version(model string) int {
	match := versions.FindStringSubmatch(model)
	if match == nil {
		return 0
	}
	major, _ := strconv.Atoi(match[1]) // two digits at most
	minor, _ := strconv.Atoi(match[2]) // 0 when there is none
	return 100*major + minor
}
