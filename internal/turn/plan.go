package turn

import (
	"context"
	"errors"
	"time"

	"confidant/internal/chat"
	"confidant/internal/llm"
	"confidant/internal/tool"
	"confidant/internal/turn/route"
)

// plan is how one turn is answered.
type plan struct {
	route.Plan
	model llm.Model
	tools *tool.Registry
}

// errNoPersona says that the persona was deleted while the turn waited.
var errNoPersona = errors.New("no such persona")

// plan chooses the route, unless the log says which one it was, and builds what
// the model is told. The usage is what that has cost, in this attempt or before.
// Stores are read with reading, models are asked with quick, which the person may end.
func (r *run) plan(reading, quick context.Context) (plan, chat.Usage, error) {
	wish := route.Wish{
		UserID: r.job.UserID, ChatID: r.job.Lane, MessageID: r.order.MessageID, Persona: r.order.Persona, FileIDs: r.order.FileIDs,
		History: r.order.History, Instructions: r.order.Instructions, Now: time.Now(), Zone: r.zone(),
	}
	talk, err := r.router.Read(reading, quick, wish)
	if err != nil {
		return plan{}, chat.Usage{}, err
	}
	r.filled = talk.Filled
	chosen, found := r.chosen()
	if !found {
		chosen = r.router.Choose(quick, wish, talk)
		chosen.Usage = chosen.Usage.Add(talk.Usage)
		r.opening.Store(&chosen)
	} else {
		chosen.Usage = chosen.Usage.Add(talk.Usage)
	}
	made, err := r.router.Plan(reading, wish, talk, chosen)
	if chosen.Route == chat.RoutePersona && errors.Is(err, chat.ErrNotFound) {
		err = errNoPersona
	}
	p := plan{Plan: made, model: r.opt.Agent, tools: r.opt.Tools}
	if chosen.Route == chat.RoutePersona {
		p.model = r.opt.Persona
	}
	if made.AllTools {
		p.tools = r.opt.Tools.Without(made.Withheld...)
	} else {
		p.tools = r.opt.Tools.Only(made.Tools...)
	}
	return p, chosen.Usage, err
}

// chosen reads the route from the log.
func (r *run) chosen() (chat.RouteChosen, bool) {
	for _, e := range r.log.Past() {
		if chosen, ok := e.Body.(chat.RouteChosen); ok {
			return chosen, true
		}
	}
	return chat.RouteChosen{}, false
}

// Append implements agent.Log. The first append takes the route along, in one
// commit: in one of its own the first token would have to wait for it.
func (r *run) Append(agent string, bodies ...chat.Body) (int64, error) {
	return r.appendWith(nil, agent, bodies...)
}

// Flush implements agent.Log.
func (r *run) Flush(ctx context.Context) error { return r.log.Flush(ctx) }

func (r *run) appendWith(effects []chat.Effect, agent string, bodies ...chat.Body) (int64, error) {
	if chosen := r.opening.Swap(nil); chosen != nil {
		bodies = append([]chat.Body{*chosen}, bodies...)
	}
	return r.log.AppendWith(effects, agent, bodies...)
}
