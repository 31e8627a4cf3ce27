import { triggerLimits } from '../../../../config/trigger-limits.ts'
import type { DocumentKey, DocumentKind, StoredDocument } from '../../../../ports/documents.ts'
import type { EpochMs } from '../../../../records/ids.ts'
import { type Row, readIntegerColumn, readTextColumn } from '../database.ts'
import { type StoreFailure, toStoreFailure } from '../store-message.ts'
import { defineRead, defineWrite, defineMultiWrite } from './method.ts'
import {
  parseRecordJson,
  recordLayouts,
  requireReadableFormat,
} from '../../../records/record-layouts.ts'

/** A page as sent to other processes. Errors are plain data. */
interface StoredDocumentPage {
  readonly documents: readonly StoredDocument[]
  readonly unreadable: readonly { readonly key: DocumentKey; readonly failure: StoreFailure }[]
  readonly next: string | null
}

/**
 * Methods of documents and marks. A removed document keeps its version, so no version is used
 * twice. An expired document is deleted with its version. A `token` identifies one put: its
 * repetition after a lost response succeeds without a further change.
 */
export const documentMethods = {
  'documents.get': defineRead(
    (
      database,
      args: { readonly key: DocumentKey; readonly now: EpochMs },
    ): StoredDocument | null => {
      const { kind, scope, name } = args.key
      const row = database.get(
        `SELECT * FROM document WHERE kind = ? AND scope = ? AND name = ? AND removed = 0
           AND (expires_at IS NULL OR expires_at > ?)`,
        kind,
        scope,
        name,
        args.now,
      )
      return row === undefined ? null : parseDocument(row)
    },
  ),

  'documents.put': defineMultiWrite(
    (
      database,
      args: {
        readonly key: DocumentKey
        readonly value: string
        readonly expected: number
        readonly token: string
        readonly expiresAt: EpochMs | null
        readonly now: EpochMs
      },
    ): number | false => {
      const { kind, scope, name } = args.key
      // Each put deletes some expired documents. A document with the same token stays, because an
      // earlier attempt of this put wrote it. An unreadable one stays, because it cannot be
      // deleted and must not block the put.
      database.run(
        `DELETE FROM document WHERE (kind, scope, name) IN (SELECT kind, scope, name FROM document
           WHERE expires_at <= ? AND token <> ?
             AND format <= ${recordLayouts.document.format} AND json_valid(value)
           ORDER BY expires_at LIMIT ?)`,
        args.now,
        args.token,
        triggerLimits.documentsClearedPerPut,
      )
      // `expected` is 0 for a document that is new, removed or expired, and otherwise its version.
      // A repetition with the same token is accepted and keeps the version.
      const row = database.get(
        `INSERT INTO document (kind, scope, name, version, value, token, expires_at)
           SELECT ?1, ?2, ?3, 1, ?4, ?6, ?7 WHERE ?5 = 0 OR EXISTS
             (SELECT 1 FROM document WHERE kind = ?1 AND scope = ?2 AND name = ?3)
         ON CONFLICT DO UPDATE SET
           version = version + (token <> excluded.token), value = excluded.value,
           token = excluded.token, removed = 0, expires_at = excluded.expires_at
         WHERE token = excluded.token OR ?5 = iif(removed = 1 OR expires_at <= ?8, 0, version)
         RETURNING version`,
        kind,
        scope,
        name,
        args.value,
        args.expected,
        args.token,
        args.expiresAt,
        args.now,
      )
      return row === undefined ? false : readIntegerColumn(row, 'version')
    },
  ),

  /** Removes a document if it has this version. Reports whether the document is then absent. */
  'documents.remove': defineMultiWrite(
    (database, args: { readonly key: DocumentKey; readonly version: number }): boolean => {
      const { kind, scope, name } = args.key
      const keyValues = [kind, scope, name] as const
      database.run(
        `UPDATE document SET removed = 1, value = 'null', token = ''
         WHERE kind = ? AND scope = ? AND name = ? AND version = ?`,
        ...keyValues,
        args.version,
      )
      const existsQuery = 'SELECT 1 FROM document WHERE kind = ? AND scope = ? AND name = ?'
      return database.get(`${existsQuery} AND removed = 0`, ...keyValues) === undefined
    },
  ),

  'documents.list': defineRead(
    (
      database,
      args: {
        readonly kind: DocumentKind
        readonly scope: string | null
        readonly cursor: string
        readonly now: EpochMs
      },
    ): StoredDocumentPage => {
      const [scope = '', name = ''] = args.cursor.split('\n')
      const rows = database.all(
        `SELECT * FROM document WHERE kind = ?1 AND removed = 0 AND (?2 IS NULL OR scope = ?2)
           AND (scope, name) > (?3, ?4) AND (expires_at IS NULL OR expires_at > ?6)
           ORDER BY scope, name LIMIT ?5`,
        args.kind,
        args.scope,
        scope,
        name,
        triggerLimits.documentsPerPage,
        args.now,
      )
      return toDocumentPage(rows)
    },
  ),

  'marks.mark': defineMultiWrite(
    (
      database,
      args: {
        readonly key: string
        readonly until: EpochMs
        readonly now: EpochMs
        readonly token: string
      },
    ): boolean => {
      // Each new mark deletes some expired marks. A mark with the same token stays, because an
      // earlier attempt of this call wrote it.
      database.run(
        `DELETE FROM mark WHERE key IN
           (SELECT key FROM mark WHERE until <= ? AND token <> ? ORDER BY until LIMIT ?)`,
        args.now,
        args.token,
        triggerLimits.marksClearedPerMark,
      )
      const row = database.get(
        `INSERT INTO mark (key, until, token) VALUES (?1, ?2, ?4)
         ON CONFLICT DO UPDATE SET until = excluded.until, token = excluded.token
         WHERE token = excluded.token OR until <= ?3 RETURNING 1`,
        args.key,
        args.until,
        args.now,
        args.token,
      )
      return row !== undefined
    },
  ),

  'marks.isMarked': defineRead(
    (database, args: { readonly key: string; readonly now: EpochMs }): boolean =>
      database.get('SELECT 1 FROM mark WHERE key = ? AND until > ?', args.key, args.now) !==
      undefined,
  ),

  'marks.unmark': defineWrite((database, args: { readonly key: string }): number =>
    database.run('DELETE FROM mark WHERE key = ?', args.key),
  ),
}

function documentKeyOf(row: Row): DocumentKey {
  return {
    kind: readTextColumn(row, 'kind') as DocumentKind,
    scope: readTextColumn(row, 'scope') as DocumentKey['scope'],
    name: readTextColumn(row, 'name'),
  }
}

function parseDocument(row: Row): StoredDocument {
  requireReadableFormat('document', row)
  const key = documentKeyOf(row)
  const isDefined = (value: unknown): value is unknown => value !== undefined
  const value = parseRecordJson(
    { kind: 'document', keys: { ...key } },
    readTextColumn(row, 'value'),
    isDefined,
  )
  return { key, version: readIntegerColumn(row, 'version'), value }
}

function toDocumentPage(rows: readonly Row[]): StoredDocumentPage {
  const documents: StoredDocument[] = []
  const unreadable: StoredDocumentPage['unreadable'][number][] = []
  for (const row of rows) {
    try {
      documents.push(parseDocument(row))
    } catch (thrown) {
      unreadable.push({ key: documentKeyOf(row), failure: toStoreFailure(thrown) })
    }
  }
  const lastRow = rows[triggerLimits.documentsPerPage - 1]
  const next =
    lastRow === undefined
      ? null
      : `${readTextColumn(lastRow, 'scope')}\n${readTextColumn(lastRow, 'name')}`
  return { documents, unreadable, next }
}
