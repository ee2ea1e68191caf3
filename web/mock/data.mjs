// Believable recordings for the mock server: some weeks of a person's life.

const day = 86_400_000
export const at = (daysAgo, hour, minute = 0) => {
  const date = new Date(Date.now() - daysAgo * day)
  date.setHours(hour, minute, 0, 0)
  return date.toISOString()
}

const boat = [
  ['Maya', 'So the surveyor came back about the Kestrel. Good news first: the hull is sound.'],
  ['Jonas', 'And the bad news?'],
  ['Maya', 'Two of the keel bolts are corroded. He would not take her out past the harbour before they are replaced.'],
  ['Jonas', 'How much are we talking about?'],
  ['Maya', 'Nine hundred for the bolts, and about three days in the yard. Lindqvist has a slot on the fourteenth.'],
  ['Jonas', 'Then let us take the fourteenth. I promised the children we would sail to Vinga in June.'],
  ['Maya', 'Fine. I will call Lindqvist tomorrow morning and book it.'],
  ['Jonas', 'And I will pay the deposit, that is fair. You paid the mooring.'],
  ['Maya', 'One more thing. He says the life jackets are past their date, all four of them.'],
  ['Jonas', 'I will order new ones this week. Same sizes?'],
  ['Maya', 'Ella has grown. Take the next size up for her.'],
  ['Jonas', 'Right. So: bolts on the fourteenth, jackets this week, Vinga in June.'],
]
const review = [
  ['Priya', 'Let us begin with the launch. Where are we with the translation?'],
  ['Tom', 'German and Spanish are done. French is waiting for legal; they promised it by Thursday.'],
  ['Priya', 'Then we move the launch to the twenty-second. I would rather be late than wrong.'],
  ['Tom', 'Agreed. I will tell the partners today.'],
  ['Amira', 'Marketing needs the final screenshots five days before. So by the seventeenth.'],
  ['Tom', 'I can do the sixteenth.'],
  ['Priya', 'Good. Amira, you own the checklist. Anything else?'],
  ['Amira', 'The status page still points to the old host. Somebody must change it before we go live.'],
  ['Tom', 'I will do it tomorrow, it is ten minutes.'],
]
const doctor = [
  ['Dr. Hale', 'Your blood pressure is better than in spring. Whatever you are doing, keep doing it.'],
  ['You', 'Mostly walking to work. And less salt.'],
  ['Dr. Hale', 'Good. Then we halve the dose: five milligrams in the morning, and we look again in three months.'],
  ['You', 'Do I have to watch for anything?'],
  ['Dr. Hale', 'If you feel dizzy when you stand up, call me. Otherwise nothing.'],
]

/** A day-long workshop, long enough to be read in pages. */
function workshop() {
  const speakers = ['Speaker 1', 'Priya', 'Tom', 'Amira', 'Speaker 2']
  const parts = ['the import', 'the index', 'the export', 'the sign-in', 'the calendar', 'the search', 'the mobile app', 'the price list']
  const phrases = [
    (what) => `Let us look at ${what}. What do people trip over?`,
    (what) => `With ${what} it is mostly the first minute: nobody knows where to begin.`,
    (what) => `I would cut ${what} in half and ship the half that works.`,
    (what) => `We had three letters about ${what} last month, two of them friendly.`,
    (what) => `Then ${what} needs an owner. I can take it until the summer.`,
    (what) => `And a number: how long does ${what} take today, in seconds?`,
  ]
  let time = 0
  return Array.from({ length: 640 }, (_, i) => {
    const text = `${phrases[(i * 7) % phrases.length](parts[Math.floor(i / 80)])}`
    const from = (time += i % 80 === 79 ? 900 : 4 + (i % 5))
    time += text.length / 14
    return [speakers[Math.floor(i / 2 + i / 17) % speakers.length], text, from, time]
  })
}

/** [title, emoji, category, folder, overview, people, topics, minutes, lines] for what happens again and again. */
const themes = [
  ['Call with the landlord', '🏠', 'real', 'home', 'The heating is repaired on Thursday; the rent stays as it is until the summer.', ['landlord'], ['rent', 'heating'], 11,
    [['Landlord', 'The plumber comes on Thursday between eight and ten.'], ['You', 'Then somebody is at home. And the rent?'], ['Landlord', 'It stays as it is until the summer, I give you that in writing.']]],
  ['Breakfast with Ella', '🥐', 'family', 'home', 'Ella wants to learn the cello, and to invite four friends on Saturday.', ['ella'], ['cello', 'birthday'], 18,
    [['Ella', 'Mila has started the cello. I want that too.'], ['You', 'We can ask the music school whether there is a place.'], ['Ella', 'And on Saturday four friends, not three!']]],
  ['Interview: backend engineer', '🧑‍💻', 'work', 'work', 'A good talk with a candidate who has kept a payment system running for six years.', ['priya', 'noor'], ['hiring', 'databases'], 52,
    [['Noor', 'I have kept a payment system alive for six years, mostly by deleting things.'], ['Priya', 'What did you delete first?'], ['Noor', 'The second queue. Nobody could say why there were two.']]],
  ['Choir rehearsal', '🎶', 'music', 'home', 'The concert is in the old church; the tenors are one voice short.', ['henrik'], ['choir', 'concert'], 95,
    [['Henrik', 'The concert is in the old church after all, they have mended the roof.'], ['You', 'And the tenors?'], ['Henrik', 'One short. If you know anybody, bring him.']]],
  ['Notes to self on the train', '🚆', 'personal', '', 'Three ideas for the garden and one for the talk in Malmö.', [], ['garden', 'talk'], 4,
    [['You', 'The talk in Malmö should begin with the mistake, not with the result.'], ['You', 'For the garden: the plum must be cut before the frost.']]],
  ['Parents’ evening', '🏫', 'education', 'home', 'The class goes to the lake in May; Ella should read aloud more often.', ['ella'], ['school', 'reading'], 64,
    [['Ms. Okafor', 'In May the class goes to the lake for three days. The form is due at the end of the month.'], ['You', 'How does Ella read?'], ['Ms. Okafor', 'Well, and quietly. Aloud would help.']]],
  ['Stand-up', '📋', 'work', 'work', 'The import is nearly done; the index waits for a review.', ['priya', 'tom', 'amira'], ['launch', 'import'], 14,
    [['Tom', 'The import is nearly done, folders are missing.'], ['Amira', 'The index waits for a review since Monday.'], ['Priya', 'I take the review this afternoon.']]],
  ['Walk with Maya', '🌲', 'social', '', 'Maya thinks about moving to the coast; her new job would begin in spring.', ['maya'], ['moving', 'work'], 38,
    [['Maya', 'If I take the job, I move to the coast in spring.'], ['You', 'And the boat would be next to you for once.'], ['Maya', 'That is half of the reason.']]],
]

/** Makes recordings, each with an id of its own. */
export function recorder() {
  let count = 0
  return (...args) => recording(`conv-${++count}`, ...args)
}

function recording(id, title, lines, startedAt, source = 'mock', more = {}) {
  let time = 0
  const segments = lines.map(([speaker, text, start, end], position) => {
    const from = start ?? time + 1.2
    time = end ?? from + text.length / 14
    return { segment_id: `${id}.${position}`, position, speaker, is_user: speaker === 'You' || speaker === 'Jonas', text, start: from, end: time }
  })
  const { minutes = 0, ...rest } = more
  return {
    conversation_id: id, title, overview: '', emoji: '', category: 'other', source, language: 'en', status: 'completed', started_at: startedAt,
    finished_at: new Date(Date.parse(startedAt) + Math.max(time, minutes * 60) * 1000).toISOString(), created_at: startedAt, updated_at: startedAt,
    mentions: {}, visibility: 'private', discarded: false, locked: false, starred: false, revision: 1, segments, ...rest,
    get segment_count() { return this.segments.length },
    get speakers() { return [...new Set(this.segments.map((segment) => segment.speaker))] },
  }
}

/** Spreads lines over the minutes that a talk took. */
const spread = (lines, minutes) => lines.map(([speaker, text], i) => [speaker, text, (i * minutes * 60) / lines.length + 2, ((i + 0.8) * minutes * 60) / lines.length])

export function recordings(record) {
  const all = [
    record('The Kestrel: what the surveyor said', boat, at(1, 18, 10), 'phone', {
      emoji: '⛵', category: 'finance', folder_id: 'folder-home', starred: true,
      overview: 'The hull of the Kestrel is sound, but two keel bolts have to be replaced for nine hundred before she sails. Lindqvist has a slot on the fourteenth; Jonas pays the deposit and orders new life jackets.',
      mentions: { people: ['maya', 'jonas', 'ella', 'lindqvist'], topics: ['boat', 'repair', 'sailing'], entities: ['kestrel', 'vinga'], dates: [at(-6, 9).slice(0, 10)] },
      events: [
        { title: 'Keel bolts at Lindqvist’s yard', description: 'Three days; nine hundred.', start: at(-6, 9), duration: 60, created: false },
        { title: 'Sail to Vinga with the children', start: at(-40, 10), duration: 180, created: false },
      ],
    }),
    record('Launch review', review, at(2, 10), 'desktop', {
      emoji: '🚀', category: 'work', folder_id: 'folder-work',
      overview: 'The launch moves to the twenty-second because the French translation waits for legal. Screenshots are due on the sixteenth, the status page has to be changed before.',
      mentions: { people: ['priya', 'tom', 'amira'], topics: ['launch', 'translation'], entities: ['status page'] },
      events: [{ title: 'Launch', start: at(-9, 11), duration: 60, created: false }],
    }),
    record('Workshop: what stays and what goes', workshop(), at(4, 9), 'desktop', {
      emoji: '🧭', category: 'work', folder_id: 'folder-work', overview: 'A whole day about eight parts of the product: what people trip over, what is cut, and who owns what until the summer.',
      mentions: { people: ['priya', 'tom', 'amira'], topics: ['product', 'import', 'search'] },
    }),
    record('Check-up with Dr. Hale', doctor, at(6, 8, 30), 'phone', {
      emoji: '🩺', category: 'health', overview: 'Blood pressure is better; the dose is halved to five milligrams in the morning. Next check in three months.',
      mentions: { people: ['dr hale'], topics: ['blood pressure'] }, locked: true,
    }),
    record('', [['Speaker 1', 'One, two, is it on?'], ['Speaker 1', 'Never mind.']], at(7, 16), 'phone', { discarded: true }),
  ]
  for (let ago = 3, i = 0; ago < 330; ago += [2, 1, 3, 1, 4, 2, 6][i % 7] + (ago > 70 ? 5 : 0), i++) {
    const [title, emoji, category, folder, overview, people, topics, minutes, lines] = themes[(i * 5 + Math.floor(i / 8)) % themes.length]
    const long = minutes + ((i * 13) % 9)
    all.push(record(title, spread(lines, long), at(ago, 8 + ((i * 5) % 11), (i * 17) % 60), i % 3 ? 'phone' : 'desktop', {
      emoji, category, overview, folder_id: folder && `folder-${folder}`, mentions: { people, topics }, minutes: long, starred: i % 11 === 4,
    }))
  }
  return all
}

export const chatTitles = [
  [0, 'What the surveyor found'], [0, 'Shopping for the weekend'], [1, 'Questions for Dr. Hale'], [1, 'Launch checklist'], [3, 'Ideas for Jonas’s birthday'],
  [4, 'Summary of the landlord call'], [12, 'Train to Malmö'], [15, 'Who mentioned the archive?'], [20, 'Choir dates'],
  ...Array.from({ length: 40 }, (_, i) => [40 + i, `Older chat ${i + 1}`]),
].map(([days, title]) => [at(days, 9), title])

/** Lines of "Speaker: text", or WebVTT with <v Speaker>. */
export function parseTranscript(text) {
  const lines = []
  const seconds = (stamp) => stamp.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  let span = []
  for (const line of text.split(/\r?\n/)) {
    const times = /^([\d:.]+) --> ([\d:.]+)/.exec(line)
    if (times) span = [seconds(times[1]), seconds(times[2])]
    const said = /^<v ([^>]+)>(.*)$/.exec(line) ?? /^([\p{L}. ]{1,40}): (.+)$/u.exec(line)
    if (said) lines.push([said[1], said[2].replace(/<\/v>/, '').trim(), ...span])
  }
  return lines
}
