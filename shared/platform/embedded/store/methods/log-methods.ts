import { isDeepStrictEqual } from 'node:util'
import { limits } from '../../../../config/limits.ts'
import type { DeploymentId } from '../../../../records/ids.ts'
import { readTextColumn } from '../database.ts'
import { defineRead, defineWrite } from './method.ts'
import { parseRecordJson, requireReadableFormat } from '../../../records/record-layouts.ts'

/** A page of texts. `more`: whether the size limit of a reply cut off further texts. */
export interface TextPage {
  readonly texts: readonly string[]
  readonly more: boolean
}

/** Methods of the decision log. An append adds a record only at the next number. */
export const logMethods = {
  'log.append': defineWrite(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly number: number
        readonly writer: string
        /** The whole record as JSON, including its writer. */
        readonly record: string
      },
    ): 'appended' | 'already-appended' | 'refused' => {
      const { deployment, number, writer, record } = args
      const addedCount = database.run(
        `INSERT INTO log (deployment, number, writer, record)
         SELECT ?1, ?2, ?3, ?4
         WHERE ?2 = 0 OR EXISTS (SELECT 1 FROM log WHERE deployment = ?1 AND number = ?2 - 1)
         ON CONFLICT DO NOTHING`,
        deployment,
        number,
        writer,
        record,
      )
      if (addedCount === 1) return 'appended'
      const row = database.get(
        'SELECT * FROM log WHERE deployment = ? AND number = ?',
        deployment,
        number,
      )
      const isSameAppend =
        row !== undefined &&
        isSameRecord(readTextColumn(requireReadableFormat('log', row), 'record'), record, args)
      return isSameAppend ? 'already-appended' : 'refused'
    },
  ),
  'log.read': defineRead(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly from: number; readonly limit: number },
    ): TextPage =>
      cutPage(
        database
          .all(
            `SELECT * FROM log WHERE deployment = ? AND number >= ?
             ORDER BY number LIMIT ?`,
            args.deployment,
            args.from,
            args.limit,
          )
          .map(row => readTextColumn(requireReadableFormat('log', row), 'record')),
      ),
  ),
}

/** Cuts a list of texts to `limits.replyCharsMax`. Keeps at least the first text. */
export function cutPage(texts: readonly string[]): TextPage {
  let pageChars = 0
  const cutIndex = texts.findIndex((text, index) => {
    pageChars += text.length
    return index > 0 && pageChars > limits.replyCharsMax
  })
  return cutIndex < 0 ? { texts, more: false } : { texts: texts.slice(0, cutIndex), more: true }
}

function isSameRecord(
  existing: string,
  appended: string,
  { deployment, number }: { readonly deployment: DeploymentId; readonly number: number },
): boolean {
  if (existing === appended) return true
  const record = { kind: 'log', keys: { deployment, number } } as const
  const isDefined = (value: unknown): value is unknown => value !== undefined
  return isDeepStrictEqual(parseRecordJson(record, existing, isDefined), JSON.parse(appended))
}
