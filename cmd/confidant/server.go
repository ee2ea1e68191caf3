package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
	_ "time/tzdata" // zones are known on machines that have no list of them

	"confidant/assets"
	"confidant/internal/api"
	"confidant/internal/api/dialect"
	"confidant/internal/archive"
	"confidant/internal/bus"
	"confidant/internal/calendar"
	"confidant/internal/chat"
	"confidant/internal/config"
	"confidant/internal/embed"
	"confidant/internal/inbox"
	"confidant/internal/journal"
	"confidant/internal/library"
	"confidant/internal/memory"
	"confidant/internal/memory/process"
	"confidant/internal/obs"
	"confidant/internal/search"
	"confidant/internal/store/sqlite"
	"confidant/internal/thread"
	"confidant/internal/tool"
	"confidant/internal/tool/agenda"
	"confidant/internal/tool/arithmetic"
	"confidant/internal/tool/knowledge"
	"confidant/internal/tool/probe"
	"confidant/internal/tool/recall"
	"confidant/internal/tool/todo"
	"confidant/internal/turn"
	"confidant/internal/turn/agent"
	"confidant/internal/turn/intake"
)

// Assistant is the whole product, wired and not yet serving. The commands that
// need no server use it as it is; serve puts HTTP before it.
type Assistant struct {
	Store    *sqlite.Store
	Jobs     *journal.Journal
	Engine   *turn.Engine
	Memory   *memory.Memory
	Calendar *calendar.Calendar
	Inbox    inbox.Inbox
	Search   *search.Core
	Chats    *thread.Keeper
	Tokens   api.Tokens

	library  shelves
	config   config.Config
	models   models
	embedder embed.Embedder
	pipeline *process.Pipeline
	zone     *time.Location
	records  indexed
	metrics  http.Handler // nil unless serving
}

// Open opens the data folder and wires everything to it.
func Open(ctx context.Context, data string, c config.Config) (*Assistant, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	a, err := wire(ctx, store, data, c)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return a, nil
}

func wire(ctx context.Context, store *sqlite.Store, data string, c config.Config) (*Assistant, error) {
	zone, err := c.Location()
	if err != nil {
		return nil, err
	}
	embedder, err := newEmbedder(c.Models)
	if err != nil {
		return nil, err
	}
	calls, err := obs.NewModelCalls()
	if err != nil {
		return nil, err
	}
	models, err := newModels(c.Models, zone, calls.Observe)
	if err != nil {
		return nil, err
	}
	core := search.New(store, store, embedder)
	core.UseMentions(memory.Mentions{Store: store})
	if err := replaceVectors(ctx, store, core, embedder, c.Models); err != nil {
		return nil, err
	}
	var index memory.Index
	if v := core.Vectors(); v != nil {
		index = v
	}
	shelves, err := openLibrary(ctx, data, store, core, embedder, models.fast, c)
	if err != nil {
		return nil, err
	}
	records := indexed{store, index}
	events := calendar.New(records, store)
	offered := []tool.Tool{
		arithmetic.AddNumbers{},
		recall.GetConversations{Conversations: store},
		recall.SearchConversations{Searcher: core},
		recall.GetMemories{Facts: records, Conversations: store},
		recall.SearchMemories{Facts: records, Conversations: store, Searcher: core},
		todo.GetActionItems{Tasks: records, Conversations: store},
		todo.CreateActionItem{Tasks: records, Conversations: store},
		todo.UpdateActionItem{Tasks: records},
		agenda.GetEvents{Calendar: events},
		agenda.CreateEvent{Calendar: events},
		agenda.UpdateEvent{Calendar: events},
		agenda.DeleteEvent{Calendar: events},
		knowledge.Search{Finder: shelves.finder},
		knowledge.Read{Files: store, Pages: store},
		knowledge.List{Files: store},
		knowledge.Question{Finder: shelves.finder, Files: store},
	}
	if c.ProbeFile != "" {
		offered = append(offered, probe.Probe{File: c.ProbeFile})
	}
	tools, err := tool.NewRegistry(offered...)
	if err != nil {
		return nil, err
	}
	limits := intake.DefaultLimits
	limits.Message = c.Limits.Message
	jobs := journal.New(store, bus.NewLocal(), journal.Options{
		Worker: worker(), Lease: c.Turns.Lease, Limit: c.Turns.AtOnce, Grace: c.Grace,
	})
	engine := turn.New(store, jobs, turn.Options{
		Agent: models.agent, Persona: models.persona, Fast: models.fast, Tools: tools, Zone: zone, Name: "Confidant",
		Limits: agent.Limits{
			Iterations: c.Turns.Iterations, ToolCalls: c.Turns.ToolCalls, Parallel: c.Turns.Parallel,
			Context: c.Turns.Context, CallTime: c.Turns.ToolTime, Failures: c.Turns.Failures,
		},
		Intake: limits, History: c.Turns.History, Pinned: c.Turns.Pinned, RouteTime: c.Turns.RouteTime,
		Attempts: c.Turns.Attempts, AfterTime: c.Turns.AfterTime,
	})
	recorded := memory.New(store, index)
	recorded.Zone, recorded.Queued = zone, jobs.Wake
	processing := process.DefaultOptions
	processing.Model, processing.Zone = models.fast, zone
	processing.Changed, processing.Near = recorded.WakeIndex, memory.NearFacts(core, store)
	pipeline := process.New(store, processing)
	jobs.HandleSome(process.Kind, c.Memory.AtOnce, pipeline.Handle)
	shelves.Wake, shelves.Deleted = jobs.Wake, recorded.Eraser().Wake
	recorded.Eraser().Belongings = shelves.forget
	jobs.Handle(library.Kind, shelves.Handle)
	return &Assistant{
		Chats: &thread.Keeper{Store: store, Turns: engine, Greeter: engine, Cleared: c.Chats.Cleared, Shared: c.Chats.Shared},
		Store: store, Jobs: jobs, pipeline: pipeline, Engine: engine, Memory: recorded, Calendar: events, Search: core,
		Inbox:  inbox.Inbox{Memory: recorded, Calendar: events, Archive: store, Shelf: shelves, Zone: zone},
		Tokens: api.Tokens{Accounts: store},
		config: c, models: models, embedder: embedder, zone: zone, records: records, library: shelves,
	}, nil
}

// worker names this process.
func worker() string {
	host, err := os.Hostname()
	if err != nil {
		host = "local"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}

// purgeEvery is how often what was cleared too long ago is deleted.
const purgeEvery = time.Hour

// Run answers turns and embeds in the background until ctx ends.
func (a *Assistant) Run(ctx context.Context) error {
	var background sync.WaitGroup
	if v := a.Search.Vectors(); v != nil {
		background.Go(func() {
			if err := v.Run(ctx); err != nil {
				slog.Error("embedding stopped", "error", err)
			}
		})
	}
	background.Go(func() { a.Memory.Eraser().Run(ctx) })
	background.Go(func() { a.pipeline.Sweep(ctx, a.config.Memory.Silence, a.config.Memory.Sweep) })
	background.Go(func() { a.Chats.Sweep(ctx, purgeEvery) })
	background.Go(func() { a.library.Run(ctx) })
	background.Go(func() { a.library.sweep(ctx) })
	err := a.Jobs.Run(ctx)
	background.Wait()
	return err
}

// Export writes the archive of a person.
func (a *Assistant) Export(ctx context.Context, userID string, to io.Writer) error {
	return archive.Write(ctx, a.Store, a.library, userID, to)
}

// Close closes the store. Run has returned before.
func (a *Assistant) Close() error { return errors.Join(a.library.close(), a.Store.Close()) }

// Handler is the HTTP surface.
func (a *Assistant) Handler() http.Handler {
	var built fs.FS
	if sub, err := fs.Sub(assets.FS(), "web"); err == nil {
		if _, err := fs.Stat(sub, "index.html"); err == nil {
			built = sub
		}
	}
	return api.New(api.Options{
		Backend: dialect.Backend{
			Assistant: a.Engine, Chats: a.Store, Messages: a.Store, Personas: a.Store, Marks: a.Store, Keeper: a.Chats, Sharer: a.Chats,
		},
		Identify: a.identifier(), Memory: a.Memory, Facts: a.records, Searcher: a.Search, Export: a.Export, Inbox: a.Inbox,
		Tasks: a.records, Calendar: a.Calendar, People: a.Store, Folders: a.Store, Files: a.library.rooms(a.Store), Zone: a.zone,
		Page: built, Status: a.status, Metrics: a.metrics, Instrument: obs.Route,
		Ready: func(r *http.Request) error {
			_, err := a.Store.Owner(r.Context())
			if errors.Is(err, chat.ErrNotFound) {
				return nil
			}
			return err
		},
		Limits: api.Limits{Body: a.config.Limits.Body, Import: a.config.Limits.Import, Archive: a.config.Limits.Archive, File: a.config.Limits.File, Frame: a.config.Limits.Frame, Write: a.config.Limits.Write},
	})
}

// identifier checks Confidant's own tokens, and an issuer's when there is one.
func (a *Assistant) identifier() api.Identifier {
	access := a.config.Access
	if access.OIDCIssuer == "" {
		return a.Tokens
	}
	return &api.OIDC{Issuer: access.OIDCIssuer, Audience: access.OIDCAudience, Accounts: a.Store, Own: a.Tokens}
}

func (a *Assistant) status(r *http.Request) api.Status {
	s := api.Status{Version: version, Model: a.models.names[0], Embedder: "none"}
	if a.embedder != nil {
		s.Embedder = a.embedder.Model()
	}
	var err error
	if s.Indexing.Pending, s.Processing.Pending, err = a.pending(r.Context()); err != nil {
		slog.ErrorContext(r.Context(), "count what is pending", "error", err)
	}
	return s
}

// pending counts the passages that are not embedded and the conversations that
// are not processed.
func (a *Assistant) pending(ctx context.Context) (passages, conversations int, err error) {
	if v := a.Search.Vectors(); v != nil {
		if passages, err = v.Pending(ctx); err != nil {
			return passages, 0, err
		}
	}
	conversations, err = a.Store.Unended(ctx, process.Kind)
	return passages, conversations, err
}

// Serve answers requests on a listener until ctx ends, then lets those under way
// finish within the grace.
func (a *Assistant) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: a.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	working, stop := context.WithCancel(ctx)
	defer stop()
	engine := make(chan error, 1)
	go func() { engine <- a.Run(working) }()
	serving := make(chan error, 1)
	go func() { serving <- server.Serve(listener) }()
	var failed error
	select {
	case failed = <-serving:
		stop()
	case <-ctx.Done():
	}
	failed = errors.Join(failed, <-engine) // followers end with the engine
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.Grace)
	defer cancel()
	if err := server.Shutdown(closing); err != nil {
		server.Close()
	}
	if errors.Is(failed, http.ErrServerClosed) {
		return nil
	}
	return failed
}
