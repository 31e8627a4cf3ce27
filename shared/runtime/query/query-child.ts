import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The first line of the input of a query process. */
export interface QueryInput {
  readonly schema: string
  readonly columns: Readonly<Record<string, readonly string[]>>
  readonly sql: string
  readonly rowsMax: number
  readonly charsMax: number
}

/** The output of a query process. */
export type QueryOutput =
  | {
      readonly columns: readonly string[]
      readonly rows: readonly (readonly unknown[])[]
      readonly isTruncated: boolean
    }
  | { readonly error: string }

/**
 * Runs a query in a child process, which receives this function as text. The function therefore
 * uses only built-in modules, and nothing else of this file. Each further line of the input is a
 * row: `[table, ...values]`.
 */
export function runQueryChild(): void {
  const { DatabaseSync, constants } = process.getBuiltinModule('node:sqlite')
  const lines = process.getBuiltinModule('node:readline').createInterface({ input: process.stdin })
  const database: DatabaseSync = new DatabaseSync('')
  const inserts = new Map<string, StatementSync>()
  let input: QueryInput | undefined
  const open = (firstLine: QueryInput): void => {
    database.exec(`${firstLine.schema}; begin`)
    for (const [table, columns] of Object.entries(firstLine.columns)) {
      const placeholders = columns.map(() => '?').join(', ')
      inserts.set(table, database.prepare(`insert into ${table} values (${placeholders})`))
    }
    input = firstLine
  }
  const toJson = (value: unknown): unknown => {
    if (typeof value === 'bigint')
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  }
  const runQuery = ({ sql, rowsMax, charsMax }: QueryInput): QueryOutput => {
    database.exec('commit; pragma query_only = on')
    const allowed = new Set<number>([
      ...[constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_RECURSIVE],
      constants.SQLITE_FUNCTION,
    ])
    database.setAuthorizer((action, name) => {
      // The full-text index reads this value before each search.
      const isIndexRead = action === constants.SQLITE_PRAGMA && name === 'data_version'
      return allowed.has(action) || isIndexRead ? constants.SQLITE_OK : constants.SQLITE_DENY
    })
    const statement = database.prepare(sql)
    const remainingSql = sql.trim().slice(statement.sourceSQL.trim().length)
    if (/[^\s;]/.test(remainingSql)) return { error: 'the text has more than one statement' }
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    const rows: unknown[][] = []
    let charCount = 0
    for (const row of statement.iterate()) {
      const values = Object.values(row).map(toJson)
      charCount += JSON.stringify(values).length
      if (rows.length === rowsMax || charCount > charsMax)
        return { columns: statement.columns().map(({ name }) => name), rows, isTruncated: true }
      rows.push(values)
    }
    return { columns: statement.columns().map(({ name }) => name), rows, isTruncated: false }
  }
  const print = (output: QueryOutput): void => {
    process.stdout.write(JSON.stringify(output), () => process.exit(0))
  }
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (thrown) {
      lines.removeAllListeners('close')
      print({ error: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  }
  lines.on('line', line =>
    attempt(() => {
      const data = JSON.parse(line)
      if (input === undefined) return open(data)
      const [table, ...values] = data
      inserts.get(table)?.run(...values)
    }),
  )
  lines.on('close', () => attempt(() => input !== undefined && print(runQuery(input))))
}
