-- Times are Unix milliseconds, 0 for unknown. Ids that people see are ULIDs in
-- TEXT; "no" columns are this file's own and never leave it.

CREATE TABLE users (
  no         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  hash    BLOB PRIMARY KEY,
  user    INTEGER NOT NULL REFERENCES users,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chats (
  id            TEXT PRIMARY KEY,
  user          INTEGER NOT NULL REFERENCES users,
  key           TEXT,
  title         TEXT NOT NULL,
  named         INTEGER NOT NULL DEFAULT 0, -- a person chose the title
  unlisted      INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  last_activity INTEGER NOT NULL,
  UNIQUE (user, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX chats_recent ON chats (user, last_activity DESC, id DESC) WHERE unlisted = 0;

CREATE TABLE messages (
  id         TEXT PRIMARY KEY,
  chat       TEXT NOT NULL,
  turn       TEXT NOT NULL,
  role       TEXT NOT NULL,
  content    TEXT NOT NULL,
  ready      INTEGER NOT NULL,
  state      TEXT NOT NULL,
  error      TEXT,
  citations  TEXT,
  usage      TEXT,
  created_at INTEGER NOT NULL,
  superseded INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_of_chat ON messages (chat, id DESC) WHERE superseded = 0;

-- A turn is a job whose payload names its messages.
CREATE TABLE jobs (
  no          INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  kind        TEXT NOT NULL,
  lane        TEXT NOT NULL,
  user        INTEGER NOT NULL REFERENCES users,
  state       TEXT NOT NULL,
  payload     TEXT NOT NULL,
  worker      TEXT NOT NULL DEFAULT '',
  fence       INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_queued ON jobs (no) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (lease_until) WHERE state = 'running';
CREATE INDEX jobs_lane ON jobs (lane, no) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_of_lane ON jobs (lane, no);

-- One row is a run of events that were committed together: JSON objects, one a
-- line. Fewer, larger rows make both group commit and replay several times
-- cheaper than a row an event. Rows lie in the order of their commits: kept in
-- the order of jobs, each of 2,000 running turns made every commit write a page.
CREATE TABLE log (
  no     INTEGER PRIMARY KEY,
  job    INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  last   INTEGER NOT NULL,
  events BLOB NOT NULL,
  UNIQUE (job, first)
) STRICT;

CREATE TABLE signals (
  no    INTEGER PRIMARY KEY,
  job   TEXT NOT NULL,
  name  TEXT NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (job, name)
) STRICT;

CREATE TABLE idempotency (
  user INTEGER NOT NULL,
  key  TEXT NOT NULL,
  job  TEXT NOT NULL,
  PRIMARY KEY (user, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_of_job ON idempotency (job);

CREATE TABLE conversations (
  id          TEXT PRIMARY KEY,
  user        INTEGER NOT NULL REFERENCES users,
  title       TEXT NOT NULL,
  source      TEXT NOT NULL,
  started_at  INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  speakers    TEXT NOT NULL, -- a JSON array
  segments    INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  UNIQUE (user, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversations_by_time ON conversations (user, started_at DESC, id DESC);

-- What search finds. Its words are in the FTS5 table words_<user>: one for each
-- person, so that neither cost nor term statistics depend on other people.
CREATE TABLE passages (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  user     INTEGER NOT NULL REFERENCES users,
  kind     INTEGER NOT NULL,
  grp      TEXT NOT NULL,
  ref      TEXT NOT NULL,
  position INTEGER NOT NULL,
  speaker  TEXT NOT NULL,
  text     TEXT NOT NULL,
  at       INTEGER NOT NULL
) STRICT;
CREATE INDEX passages_of_group ON passages (grp, position);
CREATE INDEX passages_of_user ON passages (user, id);

-- What a segment has beyond its passage: seconds from the conversation's start.
CREATE TABLE segments (
  passage INTEGER PRIMARY KEY,
  start   REAL NOT NULL,
  finish  REAL NOT NULL
) STRICT;

CREATE TABLE models (
  no   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE vectors (
  passage INTEGER NOT NULL,
  model   INTEGER NOT NULL,
  data    BLOB NOT NULL, -- float32, little endian
  PRIMARY KEY (passage, model)
) STRICT;
