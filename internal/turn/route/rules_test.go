package route

import (
	"testing"

	"confidant/internal/chat"
)

func TestRules(t *testing.T) {
	for _, test := range []struct {
		want      chat.Route
		certain   bool
		questions []string
	}{
		{chat.RouteDirect, true, []string{
			"", " \n", "Hi", "Hello!", "hey there", "Good morning, Confidant!", "How are you?", "Hi, how are you?", "thanks a lot!", "Thank you so much",
			"What's the capital of France?", "what is the capital of Peru", "What’s the difference between a frog and a toad?", "Who wrote Faust?",
			"Tips for productivity", "Can you give me some tips for better sleep?", "Tell me a joke", "Write a haiku about rain", "Please write me a short poem about the sea",
			"How many feet are in a mile?", "Translate good evening into Greek", "Define entropy",
			"Hallo", "Guten Morgen!", "Grüß Gott", "Wie geht's?", "Vielen Dank!", "Was ist die Hauptstadt von Frankreich?", "Wie heißt die Hauptstadt von Peru?",
			"Wer hat den Faust geschrieben?", "Tipps gegen Kopfschmerzen", "Erzähl mir einen Witz", "Schreib mir ein kurzes Gedicht über den Herbst", "Übersetze Guten Abend ins Griechische",
		}},
		{chat.RouteAgentic, true, []string{
			"what did I say yesterday", "What did Ana say about the budget?", "What do you know about me?", "What do I owe Ana?", "When is my next meeting?",
			"What happened last week?", "6 hours ago", "What was decided on Tuesday?", "Show me my tasks", "Remind me to call Ben", "Do I have anything planned?",
			"What is 42 + 58?", "7 times 8", "Who did we meet in March?", "What are my favourite films?", "Summarise the conversation with John", "Tell me what Ana said",
			"What did I promise?", "Hi, what did I do today?", "Write an email to Ben", "Tips for my knee", "Who is our landlord?",
			"Was habe ich gestern gesagt?", "Was hat Ana über das Budget gesagt?", "Was weißt du über mich?", "Was war letzte Woche?", "Wann ist mein nächster Termin?",
			"Was steht am Dienstag an?", "Vor drei Tagen", "Welche Aufgaben sind offen?", "Erinnere mich an das Paket", "Wer hat mir das Buch empfohlen?", "Wie heißt unser Vermieter?",
		}},
		{chat.RouteAgentic, false, []string{
			"When does the launch move?", "Ana's phone number", "And the other one?", "Yes", "ok", "Was ist mit Ben?", "Who is Ana?", "again", "there", "Und sonst?",
			"I need ideas", "Why is the sky blue?", "Explain photosynthesis", "Ja", "What about the boat?", "?!x",
		}},
	} {
		for _, q := range test.questions {
			if got, certain := byRules(q); got != test.want || certain != test.certain {
				t.Errorf("%q: %s, certain %t; want %s, %t", q, got, certain, test.want, test.certain)
			}
		}
	}
}

func BenchmarkRules(b *testing.B) {
	for b.Loop() {
		byRules("When does the launch of the new boat move, and who is going to be there?")
	}
}

// Whatever is asked, the rules answer, and no long text passes for small talk.
func FuzzRules(f *testing.F) {
	for _, seed := range []string{"Hi", "what did I say yesterday", "Ünïcödé’s", "\xff\x00", "translate 明日は雨です", "1-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, question string) {
		route, certain := byRules(question)
		if route != chat.RouteDirect && route != chat.RouteAgentic || route == chat.RouteDirect && !certain {
			t.Errorf("%q: %s, certain %t", question, route, certain)
		}
	})
}
