-- Chats that can be cleared and restored, what people think of answers, and
-- what the routes of a turn need.

-- cleared is when the messages were hidden; a chat that is used again shows.
ALTER TABLE chats ADD COLUMN app     TEXT NOT NULL DEFAULT '';
ALTER TABLE chats ADD COLUMN starred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN cleared INTEGER NOT NULL DEFAULT 0;

ALTER TABLE messages ADD COLUMN cleared       INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN rating        INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN reported      INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN report_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN metadata      TEXT NOT NULL DEFAULT '';
DROP INDEX messages_of_chat;
CREATE INDEX messages_of_chat ON messages (chat, id DESC);
CREATE INDEX messages_cleared ON messages (chat, cleared) WHERE cleared > 0;

CREATE TABLE summaries (
  chat   TEXT PRIMARY KEY,
  text   TEXT NOT NULL,
  covers TEXT NOT NULL, -- the last message that it includes
  prompt TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE personas (
  id       TEXT PRIMARY KEY,
  user     INTEGER NOT NULL REFERENCES users,
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  data     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX personas_of_user ON personas (user, name);

CREATE TABLE shares (
  hash     BLOB PRIMARY KEY, -- SHA-256 of the token
  user     INTEGER NOT NULL REFERENCES users,
  messages TEXT NOT NULL,    -- a JSON array of ids
  expires  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
