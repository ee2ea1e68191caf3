package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
	"confidant/internal/store/sqlite"
)

const (
	vocabulary = 40_000
	dimensions = 512
	// clusters is how many subjects the vectors are gathered around.
	clusters = 400
	// modelName is the space of the synthetic vectors.
	modelName = "bench"
	// perConversation is how many segments a conversation has.
	perConversation = 200
)

// corpus invents what people say: words by Zipf's law, of which the commonest
// are English function words, and vectors around the subjects of conversations.
type corpus struct {
	random  *rand.Rand
	words   []string
	zipf    *rand.Zipf
	centres [][]float32
}

// functionWords are the commonest words of English speech, in about their order.
const functionWords = `the i and to you a it that of in is yeah know like so was we they have do but on for just be not with
 think this what there my he or are if about right me your at all one she then as uh um can people get really well would
 out up don go when because had no now were from mean going how her some got who their don't them will time good been
 more here him lot where thing things see want did say something way could said into has us want very back his which
 kind over little even too much than make any come work day year need take down first should long only also an by`

func newCorpus(seed uint64) *corpus {
	random := rand.New(rand.NewPCG(seed, seed))
	c := &corpus{random: random, words: strings.Fields(functionWords), zipf: rand.NewZipf(random, 1.1, 3, vocabulary-1)}
	for len(c.words) < vocabulary {
		c.words = append(c.words, word(random))
	}
	shared := rand.New(rand.NewPCG(1, 1)) // all people talk about the same subjects
	for range clusters {
		c.centres = append(c.centres, direction(shared, nil, 0))
	}
	return c
}

// word makes up two to four syllables.
func word(random *rand.Rand) string {
	var b strings.Builder
	for range 2 + random.IntN(3) {
		b.WriteByte("bcdfghjklmnprstvwz"[random.IntN(18)])
		b.WriteByte("aeiou"[random.IntN(5)])
	}
	return b.String()
}

// direction is a random unit vector, or one near a centre.
func direction(random *rand.Rand, centre []float32, noise float64) []float32 {
	v := make([]float32, dimensions)
	var length float64
	for i := range v {
		x := random.NormFloat64()
		if centre != nil {
			x = float64(centre[i])*math.Sqrt(dimensions) + noise*x
		}
		v[i] = float32(x)
		length += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(length))
	}
	return v
}

func (c *corpus) sentence() string {
	list := make([]string, 5+c.random.IntN(36))
	for i := range list {
		list[i] = c.words[c.zipf.Uint64()]
	}
	return strings.Join(list, " ") + "."
}

func (c *corpus) vector() []float32 {
	return direction(c.random, c.centres[c.random.IntN(clusters)], 1)
}

// question asks about a few words that somebody said, common ones among them.
func (c *corpus) question() string {
	said := strings.Fields(c.sentence())
	return "What did Anna say about " + strings.Join(said[:min(len(said), 4+c.random.IntN(4))], " ") + "?"
}

// fill stores so many segments of a person, with their vectors.
func (c *corpus) fill(ctx context.Context, store *sqlite.Store, user string, segments int) error {
	if err := c.say(ctx, store, user, segments); err != nil {
		return err
	}
	return c.embed(ctx, store)
}

// say stores so many segments of a person, found by their words from then on.
func (c *corpus) say(ctx context.Context, store *sqlite.Store, user string, segments int) error {
	began := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	speakers := []string{"Anna", "Ben", "Chloe", "David"}
	for n := 0; n < segments; n += perConversation {
		conversation := chat.Conversation{
			ID: ident.New(), UserID: user, Title: "Talk about " + c.words[c.zipf.Uint64()], Source: "bench",
			StartedAt: began.Add(time.Duration(n) * time.Minute), CreatedAt: began, Speakers: speakers, Fingerprint: fmt.Sprint(n),
		}
		list := make([]chat.Segment, min(perConversation, segments-n))
		for i := range list {
			list[i] = chat.Segment{ID: fmt.Sprintf("%s.%d", conversation.ID, i), Position: i,
				Speaker: speakers[c.random.IntN(len(speakers))], Text: c.sentence(), Start: float64(10 * i), End: float64(10*i + 9)}
		}
		if _, _, err := store.PutConversation(ctx, conversation, list, nil); err != nil {
			return err
		}
	}
	return nil
}

// embed gives vectors to the passages that have none.
func (c *corpus) embed(ctx context.Context, store *sqlite.Store) error {
	for {
		passages, err := store.Unembedded(ctx, modelName, 1000)
		if len(passages) == 0 || err != nil {
			return err
		}
		vectors := make([]chat.Vector, len(passages))
		for i, p := range passages {
			vectors[i] = chat.Vector{ID: p.ID, Data: c.vector()}
		}
		if err := store.PutVectors(ctx, modelName, vectors); err != nil {
			return err
		}
	}
}
