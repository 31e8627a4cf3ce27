import type { DashboardClient } from './dashboard-client.ts'

/** The rows of a query, by the names of their columns. */
export interface QueryRows<Row> {
  readonly rows: readonly Row[]
  readonly isTruncated: boolean
  /** The stacks whose records cannot be read. */
  readonly unreadable: readonly string[]
}

interface QueryResponse {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number | null)[])[]
  readonly isTruncated: boolean
  readonly unreadable: readonly string[]
}

/**
 * Runs a query over the stacks of the token. `sql` must select the columns of `Row`. Throws
 * ApiFailure, or the reason of the signal.
 */
export async function readQuery<Row>(
  client: Pick<DashboardClient, 'send'>,
  query: { readonly sql: string; readonly project?: string; readonly signal: AbortSignal },
): Promise<QueryRows<Row>> {
  const { sql, project, signal } = query
  const body = { sql, ...(project === undefined ? {} : { project }) }
  const { columns, rows, ...otherFields } = await client.send<QueryResponse>('/v1/query', body)
  signal.throwIfAborted()
  const namedRows = rows.map(
    row => Object.fromEntries(columns.map((column, index) => [column, row[index]])) as Row,
  )
  return { rows: namedRows, ...otherFields }
}

/** Returns a text as a literal of SQL. Pure. */
export function sqlTextOf(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * Returns the expression of a full-text search (FTS5). It matches a resource if each word of the
 * text is the beginning of a word of the resource. Returns undefined for a text without words.
 * Pure.
 */
export function searchTermOf(text: string): string | undefined {
  const parts = text.split(/\s+/).filter(part => /[\p{L}\p{N}]/u.test(part))
  if (parts.length === 0) return undefined
  return parts.map(part => `"${part.replaceAll('"', '""')}"*`).join(' ')
}
