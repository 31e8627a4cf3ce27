import { isDeepStrictEqual } from 'node:util'
import { limits } from '../../../config/limits.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { text } from './database.ts'
import { read, write } from './method.ts'

/** A page of texts; `more` when the page ended for its size. */
export interface TextPage {
  readonly texts: readonly string[]
  readonly more: boolean
}

/** The decision log: put-if-absent at the next number. */
export const logMethods = {
  'log.append': write(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly number: number
        readonly writer: string
        readonly record: string
      },
    ): 'appended' | 'mine' | 'taken' => {
      const { deployment, number, writer, record } = args
      const added = database.run(
        `INSERT INTO log (deployment, number, writer, record)
         SELECT ?1, ?2, ?3, ?4
         WHERE ?2 = 0 OR EXISTS (SELECT 1 FROM log WHERE deployment = ?1 AND number = ?2 - 1)
         ON CONFLICT DO NOTHING`,
        deployment,
        number,
        writer,
        record,
      )
      if (added === 1) return 'appended'
      const row = database.get(
        'SELECT writer, record FROM log WHERE deployment = ? AND number = ?',
        deployment,
        number,
      )
      if (row === undefined || text(row, 'writer') !== writer) return 'taken'
      return sameJson(text(row, 'record'), record) ? 'mine' : 'taken'
    },
  ),
  'log.read': read(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly from: number; readonly limit: number },
    ): TextPage =>
      pageOf(
        database
          .all(
            `SELECT record FROM log WHERE deployment = ? AND number >= ?
             ORDER BY number LIMIT ?`,
            args.deployment,
            args.from,
            args.limit,
          )
          .map(row => text(row, 'record')),
      ),
  ),
}

/** Cuts a list of texts where a reply would become too large; at least one stays. */
export function pageOf(texts: readonly string[]): TextPage {
  let size = 0
  const cut = texts.findIndex((one, index) => {
    size += one.length
    return index > 0 && size > limits.replyBytesMax
  })
  return cut < 0 ? { texts, more: false } : { texts: texts.slice(0, cut), more: true }
}

function sameJson(one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
}
