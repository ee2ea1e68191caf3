package chat

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// ConversationStatus is where a recorded conversation is in its life.
type ConversationStatus string

// The states of a conversation (facts/omi.md section 7). Merging is one
// transaction here and so has no state of its own.
const (
	StatusInProgress ConversationStatus = "in_progress" // it is being recorded
	StatusProcessing ConversationStatus = "processing"  // it is whole, and being understood
	StatusCompleted  ConversationStatus = "completed"
	StatusFailed     ConversationStatus = "failed" // a step failed for good; the recording is safe
)

// Visibility says who may read a record.
type Visibility string

// The visibilities. Facts know private and public only.
const (
	Private Visibility = "private"
	Shared  Visibility = "shared"
	Public  Visibility = "public"
)

// Conversation is something that was said, recorded or written down: a meeting,
// a call, a note.
type Conversation struct {
	ID     string `json:"conversation_id"`
	UserID string `json:"-"`
	Title  string `json:"title"`
	// Named titles were chosen by a person: processing leaves them alone.
	Named    bool               `json:"named,omitempty"`
	Overview string             `json:"overview,omitempty"`
	Emoji    string             `json:"emoji,omitempty"`
	Category Category           `json:"category,omitempty"`
	Events   []ProposedEvent    `json:"events,omitempty"`
	Source   string             `json:"source"`
	Language string             `json:"language,omitempty"` // BCP 47
	Status   ConversationStatus `json:"status"`

	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
	Speakers   []string  `json:"speakers"`
	Segments   int       `json:"segment_count"`

	Mentions Mentions   `json:"mentions"`
	Location *Location  `json:"location,omitempty"`
	FolderID string     `json:"folder_id,omitempty"`
	Shown    Visibility `json:"visibility"`
	// Discarded recordings hold nothing worth keeping; they stay readable, and
	// nothing is derived from them.
	Discarded bool `json:"discarded"`
	// Locked conversations are left out of everything that tools read.
	Locked  bool `json:"locked"`
	Starred bool `json:"starred"`
	// Revision counts the changes. A save that carries an older one is ErrConflict.
	Revision int64 `json:"revision"`
	// Fingerprint identifies the imported content, so that the same content is
	// stored once for each person. Empty for what was recorded live.
	Fingerprint string `json:"-"`
}

// Category is one of the 33 that Omi knows.
type Category string

// Categories lists them (facts/omi.md section 7), CategoryOther last.
var Categories = []Category{
	"personal", "education", "health", "finance", "legal", "philosophy", "spiritual", "science", "entrepreneurship",
	"parenting", "romantic", "travel", "inspiration", "technology", "business", "social", "work", "sports", "politics",
	"literature", "history", "architecture", "music", "weather", "news", "entertainment", "psychology", "real", "design",
	"family", "economics", "environment", CategoryOther,
}

// CategoryOther is what any value that is not in the list becomes.
const CategoryOther Category = "other"

// ProposedEvent is an appointment that a conversation spoke of. It is in the
// calendar once Created.
type ProposedEvent struct {
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Start       time.Time `json:"start"`
	Minutes     int       `json:"duration"` // 180 at most
	Created     bool      `json:"created"`
}

// Mentions is what a conversation speaks of, normalised: lower case, without
// punctuation and articles (facts/omi.md section 9).
type Mentions struct {
	People   []string `json:"people,omitempty"`
	Topics   []string `json:"topics,omitempty"`
	Entities []string `json:"entities,omitempty"`
	Dates    []string `json:"dates,omitempty"` // YYYY-MM-DD in the person's zone
}

// Location is where something was recorded.
type Location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Address   string  `json:"address,omitempty"`
}

// Segment is one utterance or paragraph. Start and End are seconds from the
// conversation's StartedAt, negative when unknown.
type Segment struct {
	ID       string `json:"segment_id"`
	Position int    `json:"position"`
	Speaker  string `json:"speaker"`
	// IsUser says that the person themselves spoke; PersonID who else did.
	IsUser   bool    `json:"is_user"`
	PersonID string  `json:"person_id,omitempty"`
	Text     string  `json:"text"`
	Start    float64 `json:"start"`
	End      float64 `json:"end"`
	// ClientID is the recording device's own name for the segment: the same one
	// sent twice to a conversation is stored once.
	ClientID string `json:"client_id,omitempty"`
}

// SegmentID names the segment at a position of a conversation.
func SegmentID(conversationID string, position int) string {
	return conversationID + "." + strconv.Itoa(position)
}

// SegmentPosition reads the position back, false when id is no segment's.
func SegmentPosition(id string) (int, bool) {
	_, text, _ := strings.Cut(id, ".")
	position, err := strconv.Atoi(text)
	return position, err == nil && position >= 0
}

// At is when a segment began, the conversation's start when that is not known,
// and zero when neither is.
func (c Conversation) At(s Segment) time.Time {
	if c.StartedAt.IsZero() || s.Start <= 0 {
		return c.StartedAt
	}
	return c.StartedAt.Add(time.Duration(s.Start * float64(time.Second)))
}

// Import is something to take in.
type Import struct {
	// Name tells its kind, its title when the content has none, and perhaps its date.
	Name string
	// Kind overrides what the name tells, "" and "auto" do not.
	Kind    string
	Content []byte
	// Modified is the date of what has no other; zero when that is not known.
	Modified time.Time
}

// ConversationQuery selects conversations by time, newest first.
type ConversationQuery struct {
	// From and Until bound StartedAt, from ≤ t < until; zero means open.
	From, Until time.Time
	// Statuses limits the states; none means all.
	Statuses []ConversationStatus
	// Discarded ones are left out unless this is set; so are Locked ones.
	Discarded, Locked bool
	// Starred and FolderID, when set, select only such.
	Starred  bool
	FolderID string
	// Mentions selects those that mention any of the values; see Mentioned.
	Mentions Mentions
	Limit    int
	// Before is the id that ended the previous page.
	Before string
}

// Conversations keeps recorded conversations. A conversation of another person
// is ErrNotFound.
type Conversations interface {
	// PutConversation stores a conversation with its segments, and queues the job
	// when there is one, in one transaction. When the person has one with the same
	// fingerprint it returns that one, false, and stores nothing.
	PutConversation(ctx context.Context, c Conversation, segments []Segment, job *Job) (Conversation, bool, error)
	Conversation(ctx context.Context, userID, id string) (Conversation, error)
	Conversations(ctx context.Context, userID string, q ConversationQuery) ([]Conversation, error)
	// Segments returns those at positions from ≤ p < until.
	Segments(ctx context.Context, userID, conversationID string, from, until int) ([]Segment, error)
	// DeleteConversation removes it with all that was derived from it.
	DeleteConversation(ctx context.Context, userID, id string) error
}

// Mentioned finds conversations by what they mention.
type Mentioned interface {
	// Mentioning returns the ids of the person's conversations that mention any of
	// the values, or for a person, topic or entity a name that has the value as its
	// first or last words: "ana" finds "ana silva".
	Mentioning(ctx context.Context, userID string, m Mentions) ([]string, error)
}

// ConversationEdits changes what was recorded. Every method is one transaction
// and answers ErrNotFound for a conversation of another person.
type ConversationEdits interface {
	// AppendSegments adds segments to a conversation in progress, in the order
	// given, behind those that are there, and returns those that it stored: one whose
	// ClientID the conversation has already is left out. The store sets their
	// Position and ID. ErrConflict when the conversation is finished.
	AppendSegments(ctx context.Context, userID, id string, segments []Segment) ([]Segment, error)
	// SaveConversation stores all fields but the segments, when the revision is
	// the stored one, else ErrConflict, and queues the job when there is one.
	SaveConversation(ctx context.Context, c Conversation, job *Job) (Conversation, error)
	// RelabelSpeaker gives every segment that from spoke to another name and
	// person. It returns how many there were.
	RelabelSpeaker(ctx context.Context, userID, id, from string, to Speaker) (int, error)
	// Merge moves the segments of others into one conversation, in the order of
	// their times, deletes the others with what was derived from them, and queues
	// the job.
	Merge(ctx context.Context, into Conversation, others []string, job *Job) (Conversation, error)
	// Quiet returns conversations in progress that nothing was appended to since.
	Quiet(ctx context.Context, since time.Time, limit int) ([]Conversation, error)
}

// Speaker is who spoke.
type Speaker struct {
	Name     string `json:"name"`
	PersonID string `json:"person_id,omitempty"`
	IsUser   bool   `json:"is_user"`
}
