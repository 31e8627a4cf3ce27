import * as z from 'zod'
import { queryLimits } from '../../shared/config/query-limits.ts'
import { createError } from '../../shared/errors/error.ts'
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
 * that the token of the login covers. `--project` selects those of one project. Throws CLI_USAGE
 * for a query without text, and QUERY_LIMIT for one that is too long.
 */
export const queryStacks: Handler = async (session, flags, [sql = '']) => {
  if (sql.trim() === '') throw createError('CLI_USAGE', 'the argument <sql> of `query` is empty')
  if (sql.length > queryLimits.sqlCharsMax)
    throw createError(
      'QUERY_LIMIT',
      `the argument <sql> of \`query\` has more than ${queryLimits.sqlCharsMax} characters`,
      { hint: 'Shorten the query.' },
    )
  const engine = await session.openEngine()
  const project = flags.text('project')
  const body = project === undefined ? { sql } : { sql, project }
  const response = await engine.callApi({ method: 'POST', path: '/v1/query', body })
  const { columns, rows, isTruncated, unreadable } = queryResponseForm.parse(response)
  if (flags.isSet('json')) {
    const names = uniqueNamesOf(columns)
    const objects = rows.map(row =>
      Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])),
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

/**
 * Returns a unique name for each column, because a JSON object can have only one field with a name.
 * A repeated name gets the number of its repetition: `urn`, `urn_2`.
 */
function uniqueNamesOf(columns: readonly string[]): readonly string[] {
  const usedNames = new Set(columns)
  const seenNames = new Set<string>()
  return columns.map(column => {
    let name = column
    if (seenNames.has(column))
      for (let number = 2; usedNames.has(name); number += 1) name = `${column}_${number}`
    seenNames.add(column)
    usedNames.add(name)
    return name
  })
}

/** Formats a value in one line, without control characters, which could change the terminal. */
function formatCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const printable = text.replaceAll(/\p{Cc}+/gu, ' ')
  return printable.length <= cellCharsMax ? printable : `${printable.slice(0, cellCharsMax)}…`
}
