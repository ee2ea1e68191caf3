package main

import (
	"context"

	"confidant/internal/chat"
	"confidant/internal/memory"
	"confidant/internal/store/sqlite"
)

// indexed is the store, with an index that hears of what is found by its meaning
// and changes one record at a time.
type indexed struct {
	*sqlite.Store
	index memory.Index // nil when nothing is embedded
}

// SaveFacts implements chat.Facts.
func (s indexed) SaveFacts(ctx context.Context, userID string, changes chat.Changes[chat.Fact]) error {
	err := s.Store.SaveFacts(ctx, userID, changes)
	s.changed(userID, err, len(changes.Remove))
	return err
}

// SaveTasks implements chat.Tasks.
func (s indexed) SaveTasks(ctx context.Context, userID string, changes chat.Changes[chat.Task]) error {
	err := s.Store.SaveTasks(ctx, userID, changes)
	s.changed(userID, err, len(changes.Remove))
	return err
}

// SaveCalendarEvents implements chat.Calendar.
func (s indexed) SaveCalendarEvents(ctx context.Context, userID string, changes chat.Changes[chat.CalendarEvent]) error {
	err := s.Store.SaveCalendarEvents(ctx, userID, changes)
	s.changed(userID, err, len(changes.Remove))
	return err
}

// changed tells the index that there is something new, and that what was removed
// is to be forgotten.
func (s indexed) changed(userID string, err error, removed int) {
	if s.index == nil || err != nil {
		return
	}
	if removed > 0 {
		s.index.Forget(userID)
	}
	s.index.Wake()
}
