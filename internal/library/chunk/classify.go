package chunk

import (
	"regexp"
	"strings"

	"confidant/internal/chat"
)

// The signs of the types, in English and German. Signs of a question are looked
// for at the beginnings of lines, because a question mark alone also ends the
// rhetorical questions of prose.
var (
	asks = regexp.MustCompile(`(?im)^[ \t>*_#|-]*(?:(?:q|question|frage|exercise|exercises|problem|aufgabe|übung|quiz)\b[ \t]*[\d.]*[ \t]*[.:)\]*_]` +
		`|\(?[\da-z]{1,3}[.)][ \t]+(?:[^.\n]*\?|(?:explain|describe|calculate|compute|show|prove|find|list|name|define|discuss|determine|erkläre|beschreibe|berechne|zeige|beweise|nenne)\b)` +
		`|(?:what|why|how|when|where|who|which|is|are|can|do|does|should|will|was|wie|warum|wann|wo|wer|welche[rsn]?|kann|soll)\b[^.!\n]{2,200}\?[ \t*_]*$)`)
	answers = regexp.MustCompile(`(?im)^[ \t>*_#|-]*(?:a|answer|answers|solution|solutions|reply|antwort|lösung)\b[ \t]*[\d.]*[ \t]*[.:)\]*_]`)
	// What follows a question on a line of its own answers it.
	asksThenTells = regexp.MustCompile(`\?[ \t*_]*\n\s*[^?\n]{30,}`)
	defines       = regexp.MustCompile(`(?i)\b(?:is|are|was|were) (?:defined (?:as|to be|by)|called|known as|said to be|a kind of|a type of)\b|\brefers? to\b|\bstands? for\b|\bdenotes?\b` +
		`|\bby definition\b|\bmeans that\b|\bwird .{0,60}\bgenannt\b|\bheißt\b|\bbezeichnet\b|\bist definiert als\b|\bversteht man\b`)
	definesByName = regexp.MustCompile(`(?im)^[ \t>*_#|-]*(?:definition|theorem|lemma|corollary|proposition|axiom|property|properties|glossary|satz|eigenschaften?|begriff)\b`)
	// "A tide is the rise of the sea": the first sentence says what its subject is.
	saysWhat = regexp.MustCompile(`(?i)^(?:#[^\n]*\n\s*)?(?:(?:an?|the|ein|eine|der|die|das)[ ])?(?:[*_` + "`" + `]*[\p{L}][\p{L}\d_()-]*[*_` + "`" + `]*[ ]){1,4}(?:is|are|ist|sind)[ ](?:an?|the|ein|eine|einer|der|die|das)\b`)
)

// Classify tells the type of a chunk by rules, which is what there is without a
// language model, and until one has read the file.
func Classify(text string) chat.ChunkType {
	question, answer := asks.MatchString(text), answers.MatchString(text)
	switch {
	case question && (answer || asksThenTells.MatchString(text)):
		return chat.ChunkQuestionAnswer
	case question:
		return chat.ChunkQuestion
	case answer:
		return chat.ChunkAnswer
	case defines.MatchString(text), definesByName.MatchString(text), saysWhat.MatchString(strings.TrimSpace(text)):
		return chat.ChunkDefinition
	}
	return chat.ChunkOther
}
