/**
 * The tables of the embedded store. Records that are only read as a whole are JSON text. The keys
 * of deployment records begin with the deployment, so the records of a deployment are adjacent.
 *
 * head.freed: the keys of the give-backs and lapses, as `<gave-back or lapsed> <attempt> <owner>`.
 * The store recognizes repetitions by these keys. *.token: the token of the call that last created
 * or put the row, for the same purpose. *.format: the format of the row, see `record-layouts.ts`.
 *
 * control.held: the number of the last take-over in the log. control.handed: the hand-over as JSON.
 * late: the stacks' inboxes. late.taken: 1 for an outcome that a deployment has taken. slow: the
 * durations of slow operations. stack.targeted: the open targeted deployments as JSON.
 * journal_copy.id: '' for a deployment without a copy. journal_copy.next: the number of the next
 * part.
 */
const initialTables = `
CREATE TABLE log (
  deployment TEXT NOT NULL, number INTEGER NOT NULL, writer TEXT NOT NULL, record TEXT NOT NULL,
  PRIMARY KEY (deployment, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE head (
  deployment TEXT NOT NULL, operation INTEGER NOT NULL,
  arrived TEXT NOT NULL DEFAULT '[]', attempt INTEGER NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT '', executor TEXT NOT NULL DEFAULT '',
  given_back INTEGER NOT NULL DEFAULT 0, freed TEXT NOT NULL DEFAULT '[]',
  verdict TEXT, end_attempt INTEGER,
  PRIMARY KEY (deployment, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE outcome (
  deployment TEXT NOT NULL, operation INTEGER NOT NULL, attempt INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (deployment, operation, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE control (
  deployment TEXT PRIMARY KEY, token TEXT NOT NULL, stop INTEGER NOT NULL DEFAULT 0,
  holder TEXT NOT NULL, closed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
  deployment TEXT NOT NULL, executor TEXT NOT NULL, holder TEXT NOT NULL,
  counter INTEGER NOT NULL DEFAULT 0, retired INTEGER NOT NULL DEFAULT 0,
  groups TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (deployment, executor)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  deployment TEXT NOT NULL, writer TEXT NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL,
  UNIQUE (deployment, writer, number)
) STRICT;
CREATE INDEX event_order ON event (deployment, position);

CREATE TABLE stack (
  id TEXT PRIMARY KEY, project TEXT NOT NULL, token TEXT NOT NULL, created_at INTEGER NOT NULL,
  current TEXT NOT NULL DEFAULT '', start_token TEXT NOT NULL DEFAULT '',
  version INTEGER NOT NULL DEFAULT 0, snapshot TEXT NOT NULL DEFAULT '',
  deployments INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
  stack TEXT NOT NULL, number INTEGER NOT NULL, begun TEXT NOT NULL, ended TEXT,
  PRIMARY KEY (stack, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot (
  stack TEXT NOT NULL, version INTEGER NOT NULL, blob TEXT NOT NULL,
  PRIMARY KEY (stack, version)
) STRICT, WITHOUT ROWID;
`

const lateTable = `
CREATE TABLE late (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stack TEXT NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL,
  UNIQUE (stack, key)
) STRICT;
`

const formatColumns = `
ALTER TABLE log ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE head ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE outcome ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE control ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE lease ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE stack ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE history ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE snapshot ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE late ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
`

const handOverColumns = `
ALTER TABLE control ADD COLUMN handed TEXT NOT NULL DEFAULT 'null';

CREATE TABLE slow (
  stack TEXT NOT NULL, key TEXT NOT NULL, ms INTEGER NOT NULL,
  PRIMARY KEY (stack, key)
) STRICT, WITHOUT ROWID;
`

const heldColumn = `
ALTER TABLE control ADD COLUMN held INTEGER NOT NULL DEFAULT -1;
`

const takenColumn = `
ALTER TABLE late ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
`

const requestTables = `
CREATE TABLE request (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  stack TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, request TEXT NOT NULL,
  ended TEXT NOT NULL DEFAULT '', format INTEGER NOT NULL DEFAULT 1,
  UNIQUE (stack, key)
) STRICT;
CREATE INDEX request_waiting ON request (stack, position) WHERE ended = '';

CREATE TABLE program (
  stack TEXT PRIMARY KEY, archive TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

const documentTables = `
CREATE TABLE document (
  kind TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL,
  version INTEGER NOT NULL, value TEXT NOT NULL, token TEXT NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0, format INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (kind, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
  key TEXT PRIMARY KEY, until INTEGER NOT NULL, token TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_until ON mark (until);
`

const auditTable = `
CREATE TABLE audit (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, entry TEXT NOT NULL, format INTEGER NOT NULL DEFAULT 1
) STRICT;
`

const expiryColumn = `
ALTER TABLE document ADD COLUMN expires_at INTEGER;
CREATE INDEX document_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;
`

const copyTables = `
CREATE TABLE journal_copy (
  deployment TEXT PRIMARY KEY, id TEXT NOT NULL,
  next INTEGER NOT NULL DEFAULT 0, is_ended INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_part (
  deployment TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (deployment, number)
) STRICT, WITHOUT ROWID;
`

const targetedColumn = `
ALTER TABLE stack ADD COLUMN targeted TEXT NOT NULL DEFAULT '[]';
`

/**
 * The tables in the memory of the process that owns the store. They end with the process. The index
 * keeps the cost of a receive with a delivery limit independent of the number of waiting messages.
 */
export const temporaryTables = `
CREATE TEMP TABLE chain (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  deployment TEXT NOT NULL, pool TEXT NOT NULL, message TEXT NOT NULL,
  sent_at REAL NOT NULL, deliveries INTEGER NOT NULL DEFAULT 0,
  receipt TEXT UNIQUE, visible_at REAL NOT NULL DEFAULT 0, is_dead INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX temp.chain_delivered ON chain (visible_at) WHERE is_dead = 0 AND receipt IS NOT NULL;
`

/**
 * The migrations, one per version of the schema. A released migration is never changed. New
 * migrations are appended.
 */
export const migrations: readonly string[] = [
  initialTables,
  lateTable,
  formatColumns,
  handOverColumns,
  heldColumn,
  takenColumn,
  requestTables,
  documentTables,
  auditTable,
  expiryColumn,
  copyTables,
  targetedColumn,
]

/** The version of the schema. */
export const schemaVersion = migrations.length
