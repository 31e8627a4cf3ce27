import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backupPathOf, openDatabase } from './database.ts'
import { migrations, schemaVersion } from './database-schema.ts'

const oldVersion = schemaVersion - 1
let folder = ''
let path = ''

/** Creates a database as an older version of antichain has written it, with one event. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-upgrade-'))
  path = join(folder, 'antichain.db')
  const old = new DatabaseSync(path)
  old.exec('PRAGMA journal_mode = WAL')
  old.exec('CREATE TABLE schema (version INTEGER NOT NULL) STRICT')
  for (const migration of migrations.slice(0, oldVersion)) old.exec(migration)
  old.exec(`INSERT INTO schema (version) VALUES (${oldVersion})`)
  old.exec(`INSERT INTO event (deployment, writer, number, line) VALUES ('d', 'w', 1, '{}')`)
  old.close()
})

afterEach(() => rmSync(folder, { recursive: true }))

function readVersion(file: string): unknown {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    const events = connection.prepare('SELECT count(*) AS count FROM event').get()
    expect(events?.['count']).toBe(1)
    return connection.prepare('SELECT version FROM schema').get()?.['version']
  } finally {
    connection.close()
  }
}

test('an upgrade of a store leaves a copy in the old schema, which can replace the store and be upgraded again', () => {
  openDatabase(path).close()
  expect(readVersion(path)).toBe(schemaVersion)
  const backup = backupPathOf(path, oldVersion)
  expect(readVersion(backup)).toBe(oldVersion)
  copyFileSync(backup, path)
  expect(readVersion(path)).toBe(oldVersion)
  openDatabase(path).close()
  expect(readVersion(path)).toBe(schemaVersion)
})

test('a store in the current schema is not copied', () => {
  openDatabase(path).close()
  rmSync(backupPathOf(path, oldVersion))
  openDatabase(path).close()
  expect(readdirSync(folder).filter(name => name.includes('.v'))).toEqual([])
})

test('an upgrade repeats the copy that an earlier process has left incomplete', () => {
  const backup = backupPathOf(path, oldVersion)
  copyFileSync(path, `${backup}.next`)
  openDatabase(path).close()
  expect(existsSync(`${backup}.next`)).toBe(false)
  expect(readVersion(backup)).toBe(oldVersion)
})
