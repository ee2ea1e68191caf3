-- The files that a question was about: a JSON array of ids.
ALTER TABLE messages ADD COLUMN files TEXT;

-- The library: files, and what they say. The bytes are elsewhere, under the hash.

CREATE TABLE files (
  id         TEXT PRIMARY KEY,
  user       INTEGER NOT NULL REFERENCES users,
  hash       TEXT NOT NULL,
  name       TEXT NOT NULL,
  type       TEXT NOT NULL,
  state      TEXT NOT NULL,
  chat       TEXT NOT NULL,
  generation TEXT NOT NULL, -- that readers see, '' before there is one
  created_at INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  data       TEXT NOT NULL, -- the whole record as JSON
  UNIQUE (user, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_of_user ON files (user, id DESC);
CREATE UNIQUE INDEX files_by_generation ON files (generation) WHERE generation <> '';

-- One reading of a file. Its chunks are passages whose group is the generation, so
-- that a new reading grows unseen and becomes seen by one update.
CREATE TABLE generations (
  id   TEXT PRIMARY KEY,
  user INTEGER NOT NULL,
  file TEXT NOT NULL,
  gone INTEGER NOT NULL DEFAULT 0 -- nobody reads or writes it any more
) STRICT, WITHOUT ROWID;
CREATE INDEX generations_gone ON generations (gone) WHERE gone = 1;
CREATE INDEX generations_of_file ON generations (file);

CREATE TABLE pages (
  generation TEXT NOT NULL,
  number     INTEGER NOT NULL,
  label      TEXT NOT NULL,
  text       TEXT NOT NULL,
  note       TEXT NOT NULL,
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;

-- What a chunk has beyond its passage: where in the page it stands, in bytes.
CREATE TABLE chunks (
  passage  INTEGER PRIMARY KEY,
  page     INTEGER NOT NULL,
  start    INTEGER NOT NULL,
  finish   INTEGER NOT NULL,
  headings TEXT NOT NULL -- a JSON array
) STRICT;
