// Believable recordings for the mock server.

const day = 86_400_000
const at = (daysAgo, hour, minute = 0) => {
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

const titles = ['Call with the landlord', 'Breakfast with Ella', 'Interview: backend engineer', 'Choir rehearsal', 'Notes to self on the train', 'Parents’ evening']

let count = 0

export function recording(title, lines, startedAt, source = 'mock') {
  const id = `conv-${++count}`
  let time = 0
  const segments = lines.map(([speaker, text, start, end], position) => {
    const from = start ?? time + 1.2
    time = end ?? from + text.length / 14
    return { segment_id: `${id}-s${position}`, position, speaker, text, start: from, end: time }
  })
  return {
    conversation_id: id,
    title,
    started_at: startedAt,
    finished_at: new Date(Date.parse(startedAt) + time * 1000).toISOString(),
    source,
    segment_count: segments.length,
    speakers: [...new Set(lines.map(([speaker]) => speaker))],
    segments,
  }
}

export function recordings() {
  return [
    recording('The Kestrel: what the surveyor said', boat, at(1, 18, 10)),
    recording('Launch review', review, at(2, 10)),
    recording('Check-up with Dr. Hale', doctor, at(6, 8, 30)),
    ...titles.map((title, i) => recording(title, [['You', `A short note about ${title.toLowerCase()}.`], ['Ella', 'Good to know.']], at(8 + i * 5, 12))),
  ]
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
