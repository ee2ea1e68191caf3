package recall

import (
	"context"
	"fmt"
	"strings"

	"confidant/internal/chat"
	"confidant/internal/tool"
	"confidant/internal/tool/argument"
)

// GetConversations lists conversations by date.
type GetConversations struct{ Conversations chat.Conversations }

var _ tool.Tool = GetConversations{}

// The limits of get_conversations_tool.
const (
	getDefault      = 20
	getMost         = 100
	getOffsetMost   = 5000
	segmentsDefault = 50
)

// Spec implements tool.Tool.
func (GetConversations) Spec() tool.Spec {
	return tool.Spec{
		Name:        "get_conversations_tool",
		Description: "Returns the person's recorded conversations and notes by date, newest first. Use it for questions about a time. For a topic use search_conversations_tool.",
		Label:       "Reading conversations",
		Idempotent:  true,
		Parameters: argument.Object("", startDate, endDate,
			fmt.Sprintf(`"limit":{"type":"integer","minimum":1,"description":"How many conversations; default %d, at most %d."}`, getDefault, getMost),
			fmt.Sprintf(`"offset":{"type":"integer","minimum":0,"maximum":%d,"description":"How many to skip, to go on after a truncated result."}`, getOffsetMost),
			`"include_discarded":{"type":"boolean","description":"Whether to return recordings that were judged empty. Default false."}`,
			`"statuses":{"type":"string","description":"Comma-separated states to return, of in_progress, processing, completed and failed; default processing,completed."}`,
			maxSegments, transcript, timestamps),
	}
}

type getArguments struct {
	argument.Window
	Limit      int    `json:"limit"`
	Offset     int    `json:"offset"`
	Discarded  bool   `json:"include_discarded"`
	Statuses   string `json:"statuses"`
	Segments   int    `json:"max_transcript_segments"`
	Transcript *bool  `json:"include_transcript"`
	Timestamps bool   `json:"include_timestamps"`
}

// Run implements tool.Tool.
func (t GetConversations) Run(ctx context.Context, call tool.Call) (tool.Result, error) {
	args, err := argument.Decode[getArguments](call)
	if err != nil {
		return tool.Result{}, err
	}
	from, until, err := args.Parse()
	if err != nil {
		return tool.Result{}, err
	}
	if args.Limit == 0 {
		args.Limit = getDefault
	}
	notes := []string{quoted}
	if args.Limit > getMost {
		args.Limit = getMost
		notes = append(notes, fmt.Sprintf("The limit was cut to %d.", getMost))
	}
	statuses, err := statusesOf(args.Statuses)
	if err != nil {
		return tool.Result{}, err
	}
	// Locked ones are never asked for.
	found, err := t.Conversations.Conversations(ctx, call.UserID, chat.ConversationQuery{
		From: from, Until: until, Statuses: statuses, Discarded: args.Discarded, Limit: args.Offset + args.Limit + 1,
	})
	if err != nil {
		return tool.Result{}, fmt.Errorf("list conversations: %w", err)
	}
	found = found[min(args.Offset, len(found)):]
	if len(found) > args.Limit {
		found = found[:args.Limit]
		notes = append(notes, fmt.Sprintf("There are more. Call again with offset %d, or with narrower dates.", args.Offset+args.Limit))
	}
	if len(found) == 0 {
		notes = append(notes, "There is no conversation in this time.")
	}
	list, cut, err := t.read(ctx, call, args, found)
	if err != nil {
		return tool.Result{}, err
	}
	if cut != "" {
		notes = append(notes, cut)
	}
	return tool.Result{Content: map[string]any{"conversations": list, "note": strings.Join(notes, " ")}, Display: true}, nil
}

// statusesOf reads the filter of states. Omi's "merging" is taken and selects
// nothing: merging is one transaction here.
func statusesOf(text string) ([]chat.ConversationStatus, error) {
	if strings.TrimSpace(text) == "" {
		return []chat.ConversationStatus{chat.StatusProcessing, chat.StatusCompleted}, nil
	}
	var list []chat.ConversationStatus
	for name := range strings.SplitSeq(text, ",") {
		status := chat.ConversationStatus(strings.TrimSpace(name))
		switch status {
		case chat.StatusInProgress, chat.StatusProcessing, chat.StatusCompleted, chat.StatusFailed, "merging":
			list = append(list, status)
		default:
			return nil, tool.Problem("statuses takes in_progress, processing, completed and failed, separated by commas.")
		}
	}
	return list, nil
}

// read adds the transcripts, as far as the budget goes, and says where it ended.
func (t GetConversations) read(ctx context.Context, call tool.Call, args getArguments, found []chat.Conversation) ([]conversation, string, error) {
	room := argument.Budget{Left: argument.MaxCharacters}
	list := []conversation{}
	cut := ""
	for i, c := range found {
		item := show(c, call.Zone)
		if !room.Take(item.Title + item.Overview + strings.Join(item.Speakers, "")) {
			return list, fmt.Sprintf("Truncated after %d conversations at %d characters. Call again with offset %d.", i, argument.MaxCharacters, args.Offset+i), nil
		}
		if args.Transcript == nil || *args.Transcript {
			segments, err := t.Conversations.Segments(ctx, call.UserID, c.ID, 0, segmentLimit(args.Segments))
			if err != nil {
				return nil, "", fmt.Errorf("read transcript: %w", err)
			}
			for _, s := range segments {
				if !room.Take(s.Text) {
					cut = fmt.Sprintf("Transcripts are truncated at %d characters. Ask for fewer conversations, or use search_conversations_tool.", argument.MaxCharacters)
					break
				}
				item.Transcript = append(item.Transcript, cited(call, c, s, args.Timestamps))
			}
			if cut == "" && len(segments) < c.Segments {
				cut = fmt.Sprintf("Only the first %d segments of a conversation are shown. Set max_transcript_segments to see more.", len(segments))
			}
		}
		list = append(list, item)
	}
	return list, cut, nil
}

func segmentLimit(asked int) int {
	switch {
	case asked < 0:
		return 1 << 30
	case asked == 0:
		return segmentsDefault
	}
	return asked
}

// cited shows a segment and gives it its number.
func cited(call tool.Call, c chat.Conversation, s chat.Segment, timestamps bool) segment {
	shown := segment{Speaker: s.Speaker, Text: s.Text}
	at := c.At(s)
	shown.Cite = call.Cite(chat.Citation{
		Kind: "conversation", ConversationID: c.ID, SegmentID: s.ID, Title: c.Title, Emoji: c.Emoji, Speaker: s.Speaker, At: at, Quote: s.Text,
	})
	if timestamps {
		shown.At, shown.Start, shown.End = argument.ShowTime(at, call.Zone), max(s.Start, 0), max(s.End, 0)
	}
	return shown
}
