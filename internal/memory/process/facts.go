package process

import (
	"context"
	"slices"
	"strings"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// The limits of facts (seeds/omi-chat-system.txt; facts/omi.md section 8).
const (
	factWords     = 15
	factsOfAKind  = 2  // of each category, a conversation
	leastTalk     = 25 // characters of a transcript that may hold a fact
	knownFacts    = 300
	factsShown    = 60
	sameWords     = .8 // of the words in common: the same fact
	likeWords     = .34
	likeMeaning   = .6 // cosine: worth comparing
	mostLike      = 8
	mergedWords   = 12
	mostProposals = 50
)

// proposedFact is a fact as the model proposes it.
type proposedFact struct {
	Content  string            `json:"content"`
	Category chat.FactCategory `json:"category"`
	Segments []int             `json:"segments"`
}

// facts draws out what is worth remembering of the person. The facts that the
// conversation brought before are replaced in the transaction that stores the new
// ones, and not at all when the model fails.
func (r *run) facts(ctx context.Context) (result, error) {
	if r.c.Discarded {
		return skipped("Discarded."), nil
	}
	if r.opt.Model == nil {
		return waiting(chat.Outcome{}), nil
	}
	if characters(r.segments) < leastTalk {
		return skipped("Too little was said."), nil
	}
	known, err := r.store.Facts(ctx, r.job.UserID, chat.FactQuery{All: true, Limit: knownFacts})
	if err != nil {
		return result{}, err
	}
	proposals, err := r.propose(ctx, known)
	if err != nil {
		return result{}, err
	}
	mine, err := r.store.Facts(ctx, r.job.UserID, chat.FactQuery{All: true, ConversationID: r.c.ID, Limit: knownFacts})
	if err != nil {
		return result{}, err
	}
	changes := chat.Changes[chat.Fact]{Remove: replaceable(mine)}
	others := restored(without(known, r.c.ID), changes.Remove)
	for _, p := range choose(proposals, append(others, kept(mine)...)) {
		if err := r.meet(ctx, p, others, &changes); err != nil {
			return result{}, err
		}
	}
	return result{state: chat.StepDone, prompt: factsPrompt.Name, outcome: chat.Outcome{Facts: changes}}, nil
}

func (r *run) propose(ctx context.Context, known []chat.Fact) ([]proposedFact, error) {
	var list strings.Builder
	for i, f := range known {
		if i == factsShown {
			break
		}
		list.WriteString("- " + f.Content + "\n")
	}
	data := struct {
		setting
		Known string
	}{r.setting(), list.String()}
	var proposals []proposedFact
	for _, w := range windows(r.segments) {
		answer, err := ask[struct {
			Facts []proposedFact `json:"facts"`
		}](ctx, r, factsPrompt, data, w.text)
		if err != nil {
			return nil, err
		}
		proposals = append(proposals, answer.Facts[:min(len(answer.Facts), mostProposals)]...)
	}
	return proposals, nil
}

// choose applies the rules in code, whatever the model was asked: the first two
// of each category that are short, not mundane, and not known.
func choose(proposals []proposedFact, known []chat.Fact) []proposedFact {
	var chosen []proposedFact
	count := map[chat.FactCategory]int{}
	for _, p := range proposals {
		p.Content = strings.Join(strings.Fields(p.Content), " ")
		switch {
		case p.Category != chat.FactInteresting && p.Category != chat.FactSystem,
			count[p.Category] == factsOfAKind,
			!shareable(p.Content),
			isKnown(p.Content, known):
			continue
		}
		again := false
		for _, c := range chosen {
			again = again || alike(c.Content, p.Content) >= sameWords
		}
		if again {
			continue
		}
		count[p.Category]++
		chosen = append(chosen, p)
	}
	return chosen
}

func isKnown(content string, known []chat.Fact) bool {
	for _, f := range known {
		// A superseded fact may come true again; a rejected one was refused.
		if (f.Holds() || f.Review == chat.Rejected) && alike(f.Content, content) >= sameWords {
			return true
		}
	}
	return false
}

// meeting is what a new fact and those like it come to.
type meeting struct {
	Action     string `json:"action"`
	Supersedes []int  `json:"supersedes"` // counted from 1
	Merged     string `json:"merged_content"`
}

// meet lets a new fact meet the old ones: it is added, skipped, or supersedes
// some of them. A model that fails means that it is added: nothing is ever lost
// by a failure.
func (r *run) meet(ctx context.Context, p proposedFact, others []chat.Fact, changes *chat.Changes[chat.Fact]) error {
	near, err := r.near(ctx, p.Content, others)
	if err != nil {
		return err
	}
	near = notSuperseded(near, changes.Put)
	fact := r.fact(p)
	verdict := meeting{Action: "add"}
	if len(near) > 0 {
		if verdict, err = r.judge(ctx, p.Content, near); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			verdict = meeting{Action: "add"}
		}
	}
	switch verdict.Action {
	case "skip":
		return nil
	case "update", "merge":
		if merged := strings.Join(strings.Fields(verdict.Merged), " "); verdict.Action == "merge" && merged != "" && len(strings.Fields(merged)) <= mergedWords {
			fact.Content = merged
		}
		for _, n := range verdict.Supersedes {
			if n < 1 || n > len(near) || near[n-1].Pinned || near[n-1].Manual {
				continue // what the person wrote or pinned stays until they say otherwise
			}
			old := near[n-1]
			old.ValidTo, old.SupersededBy, old.UpdatedAt = fact.ValidFrom, fact.ID, fact.UpdatedAt
			changes.Put = append(changes.Put, old)
		}
	}
	changes.Put = append(changes.Put, fact)
	return nil
}

func (r *run) judge(ctx context.Context, content string, near []chat.Fact) (meeting, error) {
	var b strings.Builder
	b.WriteString("New: " + content + "\n\nKnown:\n")
	for i, f := range near {
		b.WriteString(itoa(i+1) + ". " + f.Content + " (since " + f.ValidFrom.In(r.opt.Zone).Format(time.DateOnly) + ")\n")
	}
	return ask[meeting](ctx, r, meetPrompt, r.setting(), b.String())
}

// near returns the facts that hold and are like a text, the most alike first.
func (r *run) near(ctx context.Context, content string, others []chat.Fact) ([]chat.Fact, error) {
	var list []chat.Fact
	if r.opt.Near != nil {
		found, err := r.opt.Near(ctx, r.job.UserID, content, 2*mostLike)
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, n := range found { // an index that fails leaves the words
			if n.Similarity >= likeMeaning && n.Fact.Holds() && n.Fact.ConversationID != r.c.ID {
				list = append(list, n.Fact)
			}
		}
	}
	for _, f := range others {
		if f.Holds() && alike(f.Content, content) >= likeWords && !has(list, f.ID) {
			list = append(list, f)
		}
	}
	return list[:min(len(list), mostLike)], nil
}

// fact is the record of a proposal.
func (r *run) fact(p proposedFact) chat.Fact {
	now := time.Now().UTC()
	return chat.Fact{
		ID: ident.New(), Content: p.Content, Category: p.Category, ConversationID: r.c.ID, SegmentIDs: r.segmentIDs(p.Segments),
		CreatedAt: now, UpdatedAt: now, ValidFrom: r.started(), Shown: chat.Private,
	}
}

// restored shows facts as they are once some are removed: what those had
// superseded holds again, with the revision that the store gives it then.
func restored(facts []chat.Fact, removed []string) []chat.Fact {
	for i, f := range facts {
		if f.SupersededBy != "" && slices.Contains(removed, f.SupersededBy) {
			facts[i].SupersededBy, facts[i].ValidTo = "", time.Time{}
			facts[i].Revision++
		}
	}
	return facts
}

func without(facts []chat.Fact, conversation string) []chat.Fact {
	var list []chat.Fact
	for _, f := range facts {
		if f.ConversationID != conversation {
			list = append(list, f)
		}
	}
	return list
}

// kept are the facts of this conversation that the person has had a hand in:
// they stay when it is processed again.
func kept(mine []chat.Fact) []chat.Fact {
	var list []chat.Fact
	for _, f := range mine {
		if f.Edited || f.Pinned || f.Review != chat.Unreviewed {
			list = append(list, f)
		}
	}
	return list
}

func replaceable(mine []chat.Fact) []string {
	var ids []string
	for _, f := range mine {
		if !has(kept(mine), f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func has(facts []chat.Fact, id string) bool {
	for _, f := range facts {
		if f.ID == id {
			return true
		}
	}
	return false
}

// notSuperseded leaves out what an earlier fact of this step has superseded.
func notSuperseded(near, put []chat.Fact) []chat.Fact {
	var list []chat.Fact
	for _, f := range near {
		if !has(put, f.ID) {
			list = append(list, f)
		}
	}
	return list
}
