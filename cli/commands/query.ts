import * as z from 'zod'
import { error } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatTable } from '../display/table.ts'

/** The response of the API to a query. */
const queryResponseForm = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  isTruncated: z.boolean(),
  /** Ids of stacks whose records cannot be read. */
  unreadable: z.array(z.string()),
})

/** Maximum number of characters of a cell in a table. */
const cellCharsMax = 200

/**
 * `query <sql>`: runs a SQL query over the stacks of the store. With a login, it runs over those
 * that the token of the login covers. `--project` selects those of one project. Throws
 * QUERY_INVALID, also for JSON with two columns of one name.
 */
export const queryStacks: Handler = async (session, flags, [sql = '']) => {
  const engine = await session.openEngine()
  const project = flags.text('project')
  const body = project === undefined ? { sql } : { sql, project }
  const response = await engine.callApi({ method: 'POST', path: '/v1/query', body })
  const { columns, rows, isTruncated, unreadable } = queryResponseForm.parse(response)
  if (flags.isSet('json')) {
    requireUniqueColumns(columns)
    const objects = rows.map(row =>
      Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
    )
    session.print(JSON.stringify(objects, null, 2))
  } else {
    for (const line of formatTable(
      columns,
      rows.map(row => row.map(formatCell)),
    ))
      session.print(line)
  }
  if (isTruncated)
    session.printToStderr(
      'warning: the result has more rows; add `limit` and `offset` to the query',
    )
  for (const id of unreadable)
    session.printToStderr(`warning: the records of the stack ${id} are unreadable`)
  return 0
}

/** Throws QUERY_INVALID if two columns have the same name, of which an object keeps only one. */
function requireUniqueColumns(columns: readonly string[]): void {
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated !== undefined)
    throw error('QUERY_INVALID', `several columns of the result have the name '${repeated}'`, {
      hint: 'Give each column a name of its own, such as `select a.urn as first, b.urn as second`.',
    })
}

/** Formats a value in one line, without control characters, which could change the terminal. */
function formatCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const printable = text.replaceAll(/\p{Cc}+/gu, ' ')
  return printable.length <= cellCharsMax ? printable : `${printable.slice(0, cellCharsMax)}…`
}
