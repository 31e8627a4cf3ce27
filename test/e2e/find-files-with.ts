import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSecretFinder } from '../aws/secret-finder.ts'

/**
 * Searches a folder and all folders below. Returns the files with the text, also in the encodings
 * of `createSecretFinder`. Of a database, each value is searched too, because its pages divide long
 * ones.
 */
export function findFilesWith(folder: string, text: string): readonly string[] {
  const finder = createSecretFinder({ text })
  const hasText = (bytes: Uint8Array): boolean => finder.findIn(bytes).size > 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => hasText(readFileSync(file)) || readDatabaseValues(file).some(hasText))
}

/** Returns the values of all tables of a SQLite database. Returns none for another file. */
function readDatabaseValues(file: string): readonly Buffer[] {
  const header = readFileSync(file).subarray(0, 15).toString('latin1')
  if (header !== 'SQLite format 3') return []
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .flatMap(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all())
      .flatMap(row => Object.values(row))
      .filter(value => typeof value === 'string' || value instanceof Uint8Array)
      .map(value => Buffer.from(value))
  } finally {
    database.close()
  }
}
