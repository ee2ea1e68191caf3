-- Recorded conversations that change, and what is derived from them. The columns
-- are what queries select and order by; data has the rest of a record as JSON.

-- 1: everything of the person is being deleted; 2: the account too.
ALTER TABLE users ADD COLUMN erasing INTEGER NOT NULL DEFAULT 0;

-- Conversations that were deleted and whose traces are not yet removed.
CREATE TABLE traces (
  conversation TEXT PRIMARY KEY,
  user         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE conversations ADD COLUMN status     TEXT NOT NULL DEFAULT 'completed';
ALTER TABLE conversations ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN discarded  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN locked     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN starred    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN folder     TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN revision   INTEGER NOT NULL DEFAULT 1;
ALTER TABLE conversations ADD COLUMN data       TEXT NOT NULL DEFAULT '{}';
CREATE INDEX conversations_live ON conversations (updated_at) WHERE status = 'in_progress';

ALTER TABLE segments ADD COLUMN is_user INTEGER NOT NULL DEFAULT 0;
ALTER TABLE segments ADD COLUMN person  TEXT NOT NULL DEFAULT '';
ALTER TABLE segments ADD COLUMN client  TEXT NOT NULL DEFAULT '';
CREATE INDEX segments_of_person ON segments (person) WHERE person <> '';

-- The names that recording devices gave to segments.
CREATE TABLE segment_clients (
  conversation TEXT NOT NULL,
  client       TEXT NOT NULL,
  PRIMARY KEY (conversation, client)
) STRICT, WITHOUT ROWID;

-- What conversations speak of: kind is 'people', 'topics', 'entities' or 'dates'.
CREATE TABLE mentions (
  user         INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  value        TEXT NOT NULL,
  conversation TEXT NOT NULL,
  PRIMARY KEY (user, kind, value, conversation)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_of_conversation ON mentions (conversation);

CREATE TABLE steps (
  conversation TEXT NOT NULL,
  name         TEXT NOT NULL,
  place        INTEGER NOT NULL, -- the order of the steps
  state        TEXT NOT NULL,
  attempts     INTEGER NOT NULL,
  detail       TEXT NOT NULL,
  prompt       TEXT NOT NULL,
  retry_at     INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  PRIMARY KEY (conversation, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX steps_due ON steps (state, retry_at) WHERE state IN ('failed', 'waiting');

CREATE TABLE facts (
  id           TEXT PRIMARY KEY,
  user         INTEGER NOT NULL REFERENCES users,
  conversation TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  holds        INTEGER NOT NULL,
  pinned       INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  data         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX facts_of_user ON facts (user, pinned DESC, created_at DESC, id DESC);
CREATE INDEX facts_of_conversation ON facts (conversation) WHERE conversation <> '';

CREATE TABLE tasks (
  id           TEXT PRIMARY KEY,
  user         INTEGER NOT NULL REFERENCES users,
  conversation TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  completed    INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  data         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_of_user ON tasks (user, due_at, created_at DESC);
CREATE INDEX tasks_of_conversation ON tasks (conversation) WHERE conversation <> '';

CREATE TABLE events (
  id       TEXT PRIMARY KEY,
  user     INTEGER NOT NULL REFERENCES users,
  uid      TEXT NOT NULL,
  start    INTEGER NOT NULL,
  last     INTEGER NOT NULL, -- when its last occurrence ends, 0 for never
  revision INTEGER NOT NULL,
  data     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_user ON events (user, start);
CREATE INDEX events_of_uid ON events (user, uid);

CREATE TABLE people (
  id       TEXT PRIMARY KEY,
  user     INTEGER NOT NULL REFERENCES users,
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  data     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX people_of_user ON people (user, name);

CREATE TABLE folders (
  id       TEXT PRIMARY KEY,
  user     INTEGER NOT NULL REFERENCES users,
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  data     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX folders_of_user ON folders (user, name);
