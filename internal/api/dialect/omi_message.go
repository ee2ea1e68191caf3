package dialect

import (
	"cmp"
	"time"

	"confidant/internal/chat"
)

// omiMessage is ResponseMessage. Its fields that this server has no values for
// are there all the same, because clients read them.
type omiMessage struct {
	ID           string      `json:"id"`
	Text         string      `json:"text"`
	CreatedAt    time.Time   `json:"created_at"`
	Sender       string      `json:"sender"`
	AppID        *string     `json:"app_id"`
	PluginID     *string     `json:"plugin_id"`
	External     bool        `json:"from_external_integration"`
	Type         string      `json:"type"`
	MemoriesID   []string    `json:"memories_id"`
	Memories     []omiMemory `json:"memories"`
	Rating       *int        `json:"rating"`
	Reported     bool        `json:"reported"`
	ReportReason *string     `json:"report_reason"`
	FilesID      []string    `json:"files_id"`
	Files        []OmiFile   `json:"files"`
	ChatSession  *string     `json:"chat_session_id"`
	Protection   string      `json:"data_protection_level"`
	AskForNPS    bool        `json:"ask_for_nps"`
}

// omiMemory is a cited conversation.
type omiMemory struct {
	ID         string        `json:"id"`
	Structured omiStructured `json:"structured"`
	CreatedAt  time.Time     `json:"created_at"`
}

type omiStructured struct {
	Title string `json:"title"`
	Emoji string `json:"emoji"`
}

// omiStored renders a message. Its text keeps the markers; the cited
// conversations stand in the order of their first mention. The original gave
// them in the order of numbers which started anew with every tool call, so that
// [1] could point to the wrong one (facts/omi.md section 2).
func omiStored(m chat.Message, app string) omiMessage {
	r := omiMessage{
		ID: m.ID, Text: m.Content, CreatedAt: m.CreatedAt.UTC(), Sender: "human", Type: "text", Protection: "standard",
		MemoriesID: []string{}, Memories: []omiMemory{}, FilesID: append([]string{}, m.FileIDs...), Files: []OmiFile{},
	}
	if m.Role == chat.RoleAssistant {
		r.Sender = "ai"
	}
	if m.Rating != 0 {
		r.Rating = &m.Rating
	}
	if r.Reported = m.Reported; m.ReportReason != "" {
		r.ReportReason = &m.ReportReason
	}
	if app != "" {
		r.AppID, r.PluginID = &app, &app
	}
	if m.ChatID != "" {
		r.ChatSession = &m.ChatID
	}
	switch {
	case m.State == chat.MessageFailed && m.Error != nil:
		r.Text = m.Error.Message
		return r
	case m.State == chat.MessageCancelled:
		r.Text = "This answer was stopped."
		return r
	}
	seen := map[string]bool{}
	for _, c := range m.Citations {
		// Only conversations are citable in Omi, never its memories.
		if c.Kind != "conversation" || c.ConversationID == "" || seen[c.ConversationID] || len(r.Memories) == omiCitations {
			continue
		}
		seen[c.ConversationID] = true
		at := c.At
		if at.IsZero() {
			at = m.CreatedAt
		}
		r.MemoriesID = append(r.MemoriesID, c.ConversationID)
		r.Memories = append(r.Memories, omiMemory{c.ConversationID, omiStructured{c.Title, cmp.Or(c.Emoji, "🧠")}, at.UTC()})
	}
	return r
}
