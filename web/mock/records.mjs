// What the mock server remembers beside the recordings: facts with their history, tasks, a calendar, people, folders.
import { at } from './data.mjs'

const base = (created_at) => ({ created_at, updated_at: created_at, revision: 1 })

export const folders = () => [
  { folder_id: 'folder-home', name: 'Home', description: 'Family, the flat, the boat', ...base(at(300, 9)) },
  { folder_id: 'folder-work', name: 'Work', description: 'Meetings, interviews, the launch', ...base(at(300, 9)) },
]

export const people = () =>
  [
    ['Amira Haddad', ['Amira'], 'amira@example.org', 'Marketing. Owns the launch checklist.'],
    ['Dr. Hale', ['Doctor Hale'], '', 'The family doctor; open on Mondays until six.'],
    ['Ella', [], '', 'Nine years old. Wants to learn the cello.'],
    ['Henrik', [], '', 'Leads the choir.'],
    ['Lindqvist', [], 'lindqvist@yard.example', 'The boatyard.'],
    ['Maya', ['Maya Sand'], 'maya@example.org', 'Half of the Kestrel is hers.'],
    ['Priya', ['Priya Nair'], 'priya@example.org', ''],
    ['Tom', ['Thomas'], 'tom@example.org', ''],
  ].map(([name, aliases, email, notes], i) => ({ person_id: `person-${i + 1}`, name, aliases, email, notes, ...base(at(200, 9)) }))

export function facts(conversations) {
  let count = 0
  const source = (title) => conversations.find((conversation) => conversation.title === title)
  const fact = (content, daysAgo, more = {}) => {
    const { from, line = 0, ...rest } = more
    const conversation = from && source(from)
    return {
      memory_id: `fact-${++count}`, content, category: 'system', tags: [], ...base(at(daysAgo, 12)), valid_from: at(daysAgo, 12), manually_added: false, edited: false, pinned: false, review: '',
      visibility: 'private', locked: false, ...(conversation && { conversation_id: conversation.conversation_id, segment_ids: [conversation.segments[line].segment_id] }), ...rest,
    }
  }
  const manual = { category: 'manual', manually_added: true }
  const all = [
    fact('Is allergic to hazelnuts, not to other nuts', 210, { ...manual, pinned: true }),
    fact('Prefers short answers with the source first', 150, { ...manual, pinned: true, review: 'kept' }),
    fact('Promised the children to sail to Vinga in June', 1, { from: 'The Kestrel: what the surveyor said', line: 5 }),
    fact('Owns the sailing boat Kestrel together with Maya', 1, { from: 'The Kestrel: what the surveyor said', line: 7, review: 'kept' }),
    fact('Takes five milligrams against blood pressure in the morning', 6, { from: 'Check-up with Dr. Hale', line: 2 }),
    fact('Walks to work to keep the blood pressure down', 6, { from: 'Check-up with Dr. Hale', line: 1 }),
    fact('A talk should begin with the mistake, not with the result', 12, { category: 'interesting', from: 'Notes to self on the train' }),
    fact('Deleting the second queue first makes a payment system calmer (Noor)', 20, { category: 'interesting', from: 'Interview: backend engineer', line: 2 }),
    fact('Sings tenor in a choir that Henrik leads', 33, { from: 'Choir rehearsal', line: 2 }),
    fact('Daughter Ella is in the third class', 60, { from: 'Parents’ evening', visibility: 'public' }),
    fact('Likes hospitals', 41, { review: 'rejected', from: 'Check-up with Dr. Hale' }),
  ]
  const dose = all[4]
  const before = fact('Takes ten milligrams against blood pressure in the morning', 96, { valid_to: dose.valid_from, superseded_by: dose.memory_id })
  const first = fact('Takes ten milligrams against blood pressure twice a day', 190, { valid_to: before.valid_from, superseded_by: before.memory_id })
  for (let i = 0; i < 40; i++) all.push(fact(['Buys bread at the mill on Saturdays', 'Reads on the train to Malmö', 'Keeps the spare key with Maya', 'Has a garden with a plum tree'][i % 4] + (i > 3 ? `, as in week ${i}` : ''), 45 + i * 6, { from: 'Walk with Maya' }))
  return [...all, before, first]
}

export function tasks(conversations) {
  let count = 0
  const place = (title, line) => {
    const conversation = conversations.find((candidate) => candidate.title === title)
    return conversation ? { conversation_id: conversation.conversation_id, segment_id: conversation.segments[line].segment_id } : {}
  }
  const task = (description, due, more = {}) => ({ task_id: `task-${++count}`, description, completed: false, ...base(at(3, 9)), edited: false, ...(due && { due_at: due }), ...more })
  const boat = 'The Kestrel: what the surveyor said'
  return [
    task('Pay the deposit for the keel bolts', at(1, 17), place(boat, 7)),
    task('Send back the signed lease', at(4, 23, 59)),
    task('Order four life jackets, one size up for Ella', at(0, 23, 59), place(boat, 9)),
    task('Change the host of the status page', at(-1, 14), place('Launch review', 8)),
    task('Hand in the form for the lake', at(-2, 23, 59), place('Parents’ evening', 0)),
    task('Make the screenshots for the launch', at(-12, 18), place('Launch review', 5)),
    task('Make an appointment with Dr. Hale', at(-80, 9), place('Check-up with Dr. Hale', 2)),
    task('Ask the music school about cello lessons', null, place('Breakfast with Ella', 1)),
    task('Find a tenor for the choir', null, place('Choir rehearsal', 2)),
    task('Call Lindqvist about the fourteenth', at(1, 10), { completed: true, completed_at: at(0, 9), ...place(boat, 6) }),
    task('Bring the bottles away', null, { completed: true, completed_at: at(5, 19) }),
  ]
}

export function events() {
  let count = 0
  const event = (title, start, minutes, more = {}) => ({
    event_id: `event-${++count}`, uid: `event-${count}@mock`, title, start, end: new Date(Date.parse(start) + minutes * 60_000).toISOString(), all_day: false, zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...base(at(60, 9)), ...more,
  })
  const whole = (title, daysAgo, days, more = {}) => {
    const start = `${at(daysAgo, 12).slice(0, 10)}T00:00:00.000Z`
    return { ...event(title, start, days * 1440), all_day: true, ...more }
  }
  /** The last such weekday that many weeks ago. */
  const weekday = (weekday, weeks, hour, minute) => {
    const ago = ((new Date().getDay() - weekday + 7) % 7) + weeks * 7
    return at(ago, hour, minute)
  }
  return [
    event('Stand-up', weekday(1, 20, 9, 15), 15, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'], attendees: [{ name: 'Priya', email: 'priya@example.org', person_id: 'person-7' }, { name: 'Tom', person_id: 'person-8' }], location: 'Room 2' }),
    event('Choir', weekday(4, 30, 19, 30), 120, { recurrence: ['RRULE:FREQ=WEEKLY'], location: 'Old church' }),
    event('Review of the month', weekday(3, 16, 14), 90, { recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=2'], attendees: [{ name: 'Amira Haddad' }] }),
    whole('Ella’s birthday', 364 * 2 - 5, 1, { recurrence: ['RRULE:FREQ=YEARLY'] }),
    event('Lunch with Maya', at(0, 12, 30), 60, { location: 'The mill' }),
    event('Dentist', at(-1, 8, 30), 45),
    event('Call with legal about the French text', at(-1, 8, 45), 30, { attendees: [{ name: 'Tom' }] }),
    event('Talk in Malmö', at(-3, 16), 90, { location: 'Malmö' }),
    whole('Conference', -3, 2),
    event('Train home', at(-4, 21, 40), 190),
    event('Plumber', at(2, 8), 120),
    event('Parents’ evening', at(9, 19), 90),
  ]
}
