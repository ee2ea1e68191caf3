package route

import (
	"regexp"
	"strings"
	"unicode"

	"confidant/internal/chat"
)

// byRules tells the route of a question from its words, English and German. It
// reports false when they leave a doubt. seeds/omi-chat-system.txt has the
// criteria: what is personal, in time, or in a connected service goes to the
// agent; greetings and what anybody knows do not need it.
func byRules(question string) (chat.Route, bool) {
	words := plain(question)
	if words == "" || greeting.MatchString(words) {
		return chat.RouteDirect, true
	}
	if sum.MatchString(question) || timeWords.MatchString(words) || records.MatchString(words) {
		return chat.RouteAgentic, true
	}
	// "Tell me a joke" is not about the person who wants to be told.
	about := frame.ReplaceAllString(words, " ")
	switch personal, said := self.MatchString(about), speech.MatchString(about); {
	case said, personal:
		// Somebody's words are what recordings are made of, also without an "I".
		return chat.RouteAgentic, said || possession.MatchString(about)
	case len(question) <= longest && general.MatchString(strings.TrimSpace(about)):
		return chat.RouteDirect, true
	}
	return chat.RouteAgentic, false
}

// isGreeting reports whether there is nothing in the words to answer.
func isGreeting(question string) bool {
	words := plain(question)
	return words == "" || greeting.MatchString(words)
}

// longest is how many bytes a question of general knowledge has at most: a long
// one carries a context of its own.
const longest = 300

// plain is the text in lower case, with spaces for everything but letters,
// digits and apostrophes.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		case r == '\'' || r == '’':
			return '\''
		}
		return ' '
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// words compiles an alternative of whole words. \b of RE2 knows ASCII only, so
// the ends are spaces or the ends of the text.
func words(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^| )(?:` + strings.Join(strings.Fields(alternatives), "") + `)(?: |$)`)
}

var hello = strings.Join(strings.Fields(`
	hi|hello|hey|hiya|howdy|yo|good\x20(?:morning|afternoon|evening|night|day)|greetings|
	how\x20are\x20you(?:\x20doing)?|how's\x20it\x20going|what's\x20up|nice\x20to\x20meet\x20you|
	thanks(?:\x20a\x20lot)?|thank\x20you(?:\x20(?:so|very)\x20much)?|thx|bye|goodbye|see\x20you|
	hallo|moin|servus|grüezi|grüß\x20(?:gott|dich)|guten\x20(?:morgen|tag|abend)|gute\x20nacht|
	wie\x20geht(?:'s|s|\x20es)(?:\x20(?:dir|ihnen))?|danke(?:\x20(?:schön|dir|sehr))?|vielen\x20dank|tschüss|tschüß|ciao|
	auf\x20wiedersehen`), "")

var (
	greeting = regexp.MustCompile(`^(?:` + hello + `)(?: (?:` + hello + `|there|again|confidant|today|heute|du|zusammen))*$`)

	sum = regexp.MustCompile(`(?i)\d\s*(?:[-+*/×÷−]|plus|minus|times|mal|durch|divided by)\s*-?\d`)

	timeWords = words(`
		yesterday|today|tonight|tomorrow|this\x20(?:morning|afternoon|evening|week|weekend|month|year)|
		(?:last|next|past|previous)\x20[\pL\d]+|ago|recently|lately|earlier|just\x20now|so\x20far|
		(?:on\x20)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|
		in\x20(?:january|february|march|april|may|june|july|august|september|october|november|december)|
		\d{4}\x20\d\d\x20\d\d|
		gestern|vorgestern|heute|morgen|übermorgen|neulich|kürzlich|vorhin|zuletzt|letztens|
		(?:letzte|vorige|vergangene|nächste|kommende|diese)[nrsm]?\x20\pL+|
		vor\x20(?:\d+|eine[rnm]|zwei|drei|vier|ein\x20paar)\x20\pL+|
		(?:am\x20)?(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)s?|
		im\x20(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)`)

	// records are what Confidant keeps and what it is connected to.
	records = words(`
		conversations?|recordings?|transcripts?|meetings?|memories|memory|notes?|tasks?|to\x20?do(?:s|\x20list)?|action\x20items?|
		calendar|appointments?|schedule|reminders?|remind|e?mails?|inbox|files?|documents?|remember|remembered|forget|forgot|
		gespräche?n?|aufnahmen?|besprechung(?:en)?|erinnerung(?:en)?|erinner[en]?|notiz(?:en)?|aufgaben?|kalender|termine?n?|
		dateien?|dokumente?|vergessen`)

	frame = regexp.MustCompile(`(?:^|\b)(?:please|bitte|(?:can|could|would|will) you|(?:kannst|könntest|würdest) du|` +
		`(?:tell|give|show|help|teach|write|make|draw|explain(?: to)?) (?:me|us)|(?:sag|gib|zeig|hilf|erzähl|schreib|erklär)e? (?:mir|uns))(?: |$)`)

	self = words(`
		i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|us|our|ours|
		ich|mir|mich|mein(?:e[nrsm]?)?|wir|uns|unser(?:e[nrsm]?)?`)

	possession = words(`my|mine|our|ours|mein(?:e[nrsm]?)?|unser(?:e[nrsm]?)?|know\x20about\x20(?:me|us)|über\x20(?:mich|uns)|do\x20i|did\x20i|have\x20i|am\x20i|was\x20i|did\x20we|habe?\x20ich|haben\x20wir`)

	// speech has the verbs of what people do with one another.
	speech = words(`
		say|says|said|tell|tells|told|talk|talked|talking|discuss(?:ed)?|mention(?:ed)?|promised?|agreed?|decided?|suggested|
		recommended|recorded|met|owe[sd]?|planned|
		sagte?n?|gesagt|erzählte?n?|erzählt|besprochen|geredet|gesprochen|erwähnt|erwähnte|versprochen|vereinbart|
		beschlossen|entschieden|empfohlen|getroffen|schulde[nt]?|geplant`)

	// general has the beginnings of questions that anybody could answer.
	general = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`what(?:'s| is| are| was) the (?:capital|population|currency|meaning|definition|formula|symbol|area|boiling point|melting point|speed|distance|difference|plural|opposite)s? (?:of|for|between) .*`,
		`(?:define|translate|spell|pronounce) .*`,
		`who (?:wrote|painted|invented|discovered|composed|directed|founded) .*`,
		`how (?:many|much) \pL+ (?:are|is) (?:there )?in (?:a|an|one) \pL+`,
		`(?:what are )?(?:some |good |a few )*(?:tips|advice|ideas|exercises|recipes?) (?:for|on|about|to|against) .*`,
		`(?:write |compose |a |an )+(?:short |funny |little )*(?:poem|haiku|limerick|story|joke|song|sonnet)(?: .*)?`,
		`(?:was|wie) (?:ist|sind|heißt|lautet) (?:die|der|das) (?:hauptstadt|währung|bedeutung|definition|formel|einwohnerzahl|fläche|siedepunkt|mehrzahl|gegenteil|unterschied) .*`,
		`(?:übersetze?|definiere?|buchstabiere?) .*`,
		`wer (?:schrieb|malte|erfand|entdeckte|komponierte|gründete) .*`,
		`wer hat .* (?:geschrieben|gemalt|erfunden|entdeckt|komponiert|gegründet)`,
		`wie viele \pL+ (?:hat|haben|sind in) (?:ein|eine|einem|einer) \pL+`,
		`(?:ein paar |gute )*(?:tipps|ratschläge|ideen|übungen|rezepte?) (?:für|zu|zum|zur|gegen|gegen) .*`,
		`(?:schreibe? |dichte )?(?:ein|eine|einen) (?:kurze[sn]? |lustige[sn]? |kleine[sn]? )*(?:gedicht|haiku|geschichte|witz|lied)(?: .*)?`,
	}, "|") + `)$`)
)
