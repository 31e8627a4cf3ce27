import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import * as z from 'zod'
import { queryLimits } from '../../config/query-limits.ts'
import { createError } from '../../errors/error.ts'
import type { StackRecord } from '../../ports/catalog.ts'
import type { StackId } from '../../records/ids.ts'
import { loadTables, type QueryPorts } from './load-tables.ts'
import { type QueryInput, runQueryChild } from './query-child.ts'
import { createQuerySchema, queryColumns, tablesOfQuery } from './query-schema.ts'

/** The form of the output of a query process. */
const outputForm = z.union([
  z.object({
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
    isTruncated: z.boolean(),
  }),
  z.object({ error: z.string() }),
])

/** The result of a query. `isTruncated`: further rows exceeded a limit. */
export interface QueryResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number | null)[])[]
  readonly isTruncated: boolean
}

type QueryChild = ChildProcessByStdio<Writable, Readable, null>

/** Size of a page of memory on x86-64, and on most machines with ARM64. */
const pageBytes = 4096

/** Number of running queries of this process. Each has a child process with memory of its own. */
let runningCount = 0

/**
 * Runs a SQL query over stacks. The child process has no permission for files, processes or addons,
 * and no environment variables. Throws QUERY_INVALID for an error of the SQL, and QUERY_LIMIT when
 * the query needs too much time or data.
 */
export async function runQuery(
  portsOf: (stack: StackId) => QueryPorts,
  stacks: readonly StackRecord[],
  sql: string,
): Promise<QueryResult> {
  if (sql.length > queryLimits.sqlCharsMax)
    throw createError(
      'QUERY_LIMIT',
      `the query has more than ${queryLimits.sqlCharsMax} characters`,
    )
  if (runningCount >= queryLimits.runningMax)
    throw createError('QUERY_LIMIT', `${runningCount} other queries are running`)
  runningCount += 1
  try {
    return await queryChild(await startChild(), portsOf, { stacks, sql })
  } finally {
    runningCount -= 1
  }
}

/** Sends the tables of a query to its child, returns the result, and ends the child. */
async function queryChild(
  child: QueryChild,
  portsOf: (stack: StackId) => QueryPorts,
  query: { readonly stacks: readonly StackRecord[]; readonly sql: string },
): Promise<QueryResult> {
  const output = collectOutput(child)
  const watch = watchLimits(child)
  try {
    await sendTables({ child, output }, portsOf, query)
    const text = await output
    return parseOutput(text, watch.readExceeded())
  } finally {
    watch.stop()
    child.kill('SIGKILL')
  }
}

/** Starts the child process of a query. Throws the error of a failed start. */
async function startChild(): Promise<QueryChild> {
  const code = `const ${findNameHelper()} = value => value; (${runQueryChild.toString()})()`
  const options = ['--permission', '--no-warnings', '--max-old-space-size=256']
  const child = spawn(process.execPath, [...options, '-e', code], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  await once(child, 'spawn')
  // The child may end before it has read all rows.
  child.stdin.on('error', () => {})
  return child
}

/**
 * Returns the name of the helper function in which a bundler wraps named functions, `__name` or
 * shorter. The text of `runQueryChild` calls this helper, so the child needs a definition of it.
 * The name is read from the text of `createNamed`, whose function `named` the bundler also wraps.
 */
function findNameHelper(): string {
  const createNamed = (): (() => void) => {
    const named = (): void => undefined
    return named
  }
  return /([\w$]+)\(\(\)\s*=>/.exec(createNamed.toString())?.[1] ?? '__name'
}

async function collectOutput(child: QueryChild): Promise<string> {
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Kills the child when it exceeds its time or memory. SQLite runs in native code, so only a kill
 * ends a query. `readExceeded` returns the exceeded limit, '' for none.
 */
function watchLimits(child: QueryChild): {
  readonly readExceeded: () => string
  readonly stop: () => void
} {
  let exceededLimit = ''
  const end = (reason: string): void => {
    exceededLimit = reason
    child.kill('SIGKILL')
  }
  const timeout = setTimeout(
    () => end(`the query took more than ${queryLimits.timeMs / 1000} s`),
    queryLimits.timeMs,
  )
  const check = setInterval(() => {
    if (readMemoryBytes(child.pid) > queryLimits.memoryBytesMax)
      end('the query needed too much memory')
  }, queryLimits.memoryCheckMs)
  return {
    readExceeded: () => exceededLimit,
    stop: () => {
      clearTimeout(timeout)
      clearInterval(check)
    },
  }
}

/** Returns the resident memory of a process. Returns 0 where Linux's `/proc` does not exist. */
function readMemoryBytes(pid: number | undefined): number {
  try {
    const [, residentPages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return Number(residentPages) * pageBytes
  } catch {
    // The process has ended, or the system is not Linux.
    return 0
  }
}

/**
 * Sends the tables that a query names. Waits whenever the pipe to the child is full. If the child
 * ends early, stops without an error, because `parseOutput` then reports the reason.
 */
async function sendTables(
  { child, output }: { readonly child: QueryChild; readonly output: Promise<string> },
  portsOf: (stack: StackId) => QueryPorts,
  { stacks, sql }: { readonly stacks: readonly StackRecord[]; readonly sql: string },
): Promise<void> {
  const input: QueryInput = {
    schema: createQuerySchema(),
    columns: queryColumns,
    sql,
    rowsMax: queryLimits.resultRowsMax,
    charsMax: queryLimits.resultCharsMax,
  }
  child.stdin.write(`${JSON.stringify(input)}\n`)
  let count = 0
  for await (const row of loadTables(portsOf, stacks, tablesOfQuery(sql))) {
    count += 1
    if (count > queryLimits.loadedRowsMax)
      throw createError(
        'QUERY_LIMIT',
        `the tables have more than ${queryLimits.loadedRowsMax} rows`,
      )
    if (hasEnded(child)) return
    // After the end of the child, the pipe never drains. `output` settles then.
    if (!child.stdin.write(`${JSON.stringify(row)}\n`))
      await Promise.race([once(child.stdin, 'drain').catch(() => output), output])
  }
  child.stdin.end()
}

function hasEnded({ exitCode, signalCode }: QueryChild): boolean {
  return exitCode !== null || signalCode !== null
}

function parseOutput(text: string, exceededLimit: string): QueryResult {
  if (exceededLimit !== '') throw createError('QUERY_LIMIT', exceededLimit)
  // A child without output has crashed, which Node.js does when its heap is full.
  if (text === '') throw createError('QUERY_LIMIT', 'the query needed too much memory')
  const output = outputForm.parse(JSON.parse(text))
  if ('error' in output) throw createError('QUERY_INVALID', output.error)
  return output
}
