package uselite

// Tokens shows the tokenizer's ids to the tests.
func (e *Encoder) Tokens(text string) []int32 { return e.tokenizer.encode(text) }
