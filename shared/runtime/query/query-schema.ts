/**
 * query: a read-only view of the stacks of a store in SQL, on every platform. The tables are loaded
 * for each query into a temporary SQLite database of a child process.
 *
 * Invariants: no table contains a secret value. A query can neither write nor open another
 * database, and its time, memory and result have limits.
 */

/**
 * The tables of a query. `stacks` is always loaded. Another table is loaded if the SQL text names
 * it. `deployments` is also loaded for `steps` and `drift`.
 */
export const queryTables = [
  'stacks',
  'resources',
  'properties',
  'pending',
  'deployments',
  'steps',
  'drift',
  'search',
] as const

/** The name of a table. */
export type QueryTable = (typeof queryTables)[number]

/** A value of a row. */
export type QueryValue = string | number | null

/** The columns of each table, in the order of its rows. */
export const queryColumns: Readonly<Record<QueryTable, readonly string[]>> = {
  stacks: [
    'project',
    'stack',
    'version',
    'deployments',
    'is_busy',
    'resources',
    'created',
    'error',
  ],
  resources: [
    ...['project', 'stack', 'urn', 'type', 'package', 'name', 'id', 'custom', 'parent', 'provider'],
    ...['protect', 'external', 'old_copy', 'taint', 'created', 'modified'],
  ],
  properties: ['project', 'stack', 'urn', 'kind', 'path', 'value', 'is_secret'],
  pending: ['project', 'stack', 'urn', 'operation'],
  deployments: [
    ...['project', 'stack', 'number', 'command', 'result', 'version', 'message'],
    ...['started', 'ended', 'changed', 'changes', 'requester'],
  ],
  steps: ['project', 'stack', 'deployment', 'moment', 'time', 'operation', 'urn', 'result'],
  drift: ['project', 'stack', 'deployment', 'request', 'time', 'urn', 'kind', 'paths'],
  search: ['project', 'stack', 'urn', 'type', 'name', 'id', 'text'],
}

/** Returns the statements that create the tables. */
export function createQuerySchema(): string {
  const tables = queryTables.map(name => {
    const columns = queryColumns[name]
    return name === 'search'
      ? `create virtual table search using fts5(${columns.join(', ')})`
      : `create table ${name} (${columns.join(', ')})`
  })
  return tables.join(';\n')
}

/** Returns the tables whose names the SQL text contains. */
export function tablesOfQuery(sql: string): ReadonlySet<QueryTable> {
  const text = sql.toLowerCase()
  return new Set<QueryTable>(queryTables.filter(name => text.includes(name)))
}
