package memory

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"confidant/internal/chat"
)

// Draft is a conversation as a file tells it.
type Draft struct {
	Title string
	// Named titles stand in the content; the name of a file or a session is none.
	Named                 bool
	Source                string
	StartedAt, FinishedAt time.Time
	Speakers              []string
	Segments              []chat.Segment
}

// reader understands the text of one kind of file. It fails with CodeInvalid.
type reader func(text string, zone *time.Location) ([]Draft, error)

// readers are the kinds of files, by the end of their names.
var readers = map[string]reader{
	"txt":   readText,
	"md":    readMarkdown,
	"vtt":   readCaptions,
	"srt":   readCaptions,
	"json":  readJSON,
	"jsonl": readLines,
}

// Kinds lists what can be imported, in alphabetical order.
func Kinds() []string {
	list := make([]string, 0, len(readers))
	for kind := range readers {
		list = append(list, kind)
	}
	slices.Sort(list)
	return list
}

// Read understands a file by its kind, or by its name when no kind is given.
// Times without an offset are meant in the zone. There is at least one draft,
// and each has at least one segment, in the order of their times. It fails with
// CodeUnsupported for a kind that is not known or content that is no text, and
// with CodeInvalid for a file that is not what it says.
func Read(f chat.Import, zone *time.Location) ([]Draft, error) {
	kind := strings.ToLower(f.Kind)
	if kind == "" || kind == "auto" {
		kind = strings.ToLower(strings.TrimPrefix(filepath.Ext(f.Name), "."))
	}
	read, ok := readers[kind]
	if !ok {
		return nil, chat.Fail(chat.CodeUnsupported, "Files of this kind cannot be imported. Known kinds: "+strings.Join(Kinds(), ", ")+".")
	}
	text, err := plain(f.Content)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, chat.Fail(chat.CodeInvalid, "The file is empty.")
	}
	drafts, err := read(text, zone)
	if err != nil {
		return nil, err
	}
	started := timeInName(filepath.Base(f.Name), zone)
	if started.IsZero() {
		started = f.Modified
	}
	for i := range drafts {
		drafts[i].finish(titleOf(f.Name), started)
	}
	return drafts, nil
}

// maxTitle is how many characters of a title are kept.
const maxTitle = 200

func titleOf(name string) string {
	base := filepath.Base(name)
	if title := strings.TrimSpace(strings.TrimSuffix(base, filepath.Ext(base))); title != "" {
		return title
	}
	return base
}

// finish fills in what the content did not say, puts the segments in the order
// of their times and cuts those that are too long.
func (d *Draft) finish(title string, started time.Time) {
	if d.Title = oneLine(d.Title, maxTitle); d.Title == "" {
		d.Named = false
		d.Title = oneLine(title, maxTitle)
	}
	if d.StartedAt.IsZero() {
		d.StartedAt = started
	}
	d.StartedAt = d.StartedAt.UTC()
	d.inOrder()
	var cut []chat.Segment
	last := -1.0
	for _, s := range d.Segments {
		if s.Speaker != "" && !slices.Contains(d.Speakers, s.Speaker) {
			d.Speakers = append(d.Speakers, s.Speaker)
		}
		last = max(last, s.Start, s.End)
		cut = append(cut, Cut(s)...)
	}
	d.Segments = cut
	if d.FinishedAt.IsZero() && !d.StartedAt.IsZero() && last >= 0 {
		d.FinishedAt = d.StartedAt.Add(duration(last))
	}
	if !d.FinishedAt.IsZero() {
		d.FinishedAt = d.FinishedAt.UTC()
	}
}

// inOrder sorts the segments by their start. One whose start is not known stays
// behind the one that it followed. Times that cannot be are unknown.
func (d *Draft) inOrder() {
	keys := make([]float64, len(d.Segments))
	order := make([]int, len(d.Segments))
	last := 0.0
	for i := range d.Segments {
		s := &d.Segments[i]
		s.Start, s.End = known(s.Start), known(s.End)
		if s.End < s.Start {
			s.End = -1
		}
		if s.Start >= 0 {
			last = s.Start
		}
		keys[i], order[i] = last, i
	}
	sort.SliceStable(order, func(a, b int) bool { return keys[order[a]] < keys[order[b]] })
	sorted := make([]chat.Segment, len(order))
	for i, from := range order {
		sorted[i] = d.Segments[from]
	}
	d.Segments = sorted
}

// mostSeconds is the longest conversation that can be: some ten years. A larger
// number is no count of seconds.
const mostSeconds = 315_000_000

// known returns a time in seconds, or -1 when it is none.
func known(seconds float64) float64 {
	if seconds >= 0 && seconds <= mostSeconds {
		return seconds
	}
	return -1
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// oneLine is a text without line breaks, cut to a number of characters.
func oneLine(text string, limit int) string {
	line := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(line) > limit {
		line = string([]rune(line)[:limit-1]) + "…"
	}
	return line
}
