import { limits } from '../../../config/limits.ts'
import type { BeginResult } from '../../../ports/records.ts'
import { type Head, type Verdict, freshHead } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../../records/ids.ts'
import { type Database, type Row, integer, text } from './database.ts'
import { read, write } from './method.ts'
import { damaged, parseRecordJson, readable } from './record-forms.ts'

/** Names one operation. */
interface Place {
  readonly deployment: DeploymentId
  readonly operation: OperationId
}

/** Names one attempt and who made it; '' for an unowned head. */
interface Attempt extends Place {
  readonly owner: OwnerToken | ''
  readonly attempt: number
}

/** A head, with the text of its selected outcome when that was asked for and stands. */
export interface HeadRow {
  readonly operation: OperationId
  readonly head: Head
  readonly outcome: string | null
}

/** Numbers are bound as floating point, which JSON would show: hence the casts. */
export const operationMethods = {
  'operations.arrive': write((database, args: Place & { readonly from: OperationId }): Head => {
    const row = database.get(
      `INSERT INTO head (deployment, operation, arrived)
       VALUES (?1, ?2, json_array(CAST(?3 AS INTEGER)))
       ON CONFLICT DO UPDATE SET arrived = CASE
         WHEN EXISTS (SELECT 1 FROM json_each(head.arrived) WHERE value = ?3) THEN head.arrived
         ELSE json_insert(head.arrived, '$[#]', CAST(?3 AS INTEGER)) END
       RETURNING *`,
      args.deployment,
      args.operation,
      args.from,
    )
    return row === undefined ? freshHead : parseHead(row)
  }),

  'operations.begin': write(
    (
      database,
      args: Place & {
        readonly owner: OwnerToken
        readonly executor: ExecutorId
        readonly attempt: number
        readonly needs: number
      },
    ): BeginResult => {
      const begun = database.get(
        `INSERT INTO head (deployment, operation, attempt, owner, executor)
         SELECT ?1, ?2, 1, ?3, ?4 WHERE (?5 = 0 AND ?6 = 0)
           OR EXISTS (SELECT 1 FROM head WHERE deployment = ?1 AND operation = ?2)
         ON CONFLICT DO UPDATE SET attempt = head.attempt + 1, owner = ?3, executor = ?4
         WHERE head.verdict IS NULL AND head.owner IN ('', ?3) AND head.attempt = ?5
           AND json_array_length(head.arrived) >= ?6
         RETURNING attempt`,
        args.deployment,
        args.operation,
        args.owner,
        args.executor,
        args.attempt,
        args.needs,
      )
      if (begun !== undefined) return { kind: 'begun', attempt: integer(begun, 'attempt') }
      const head = headAt(database, args)
      const repeated =
        head.end === undefined && head.owner === args.owner && head.attempt === args.attempt + 1
      return repeated ? { kind: 'begun', attempt: head.attempt } : { kind: 'refused', head }
    },
  ),

  'operations.giveBack': write((database, args: Attempt) => free(database, args, 'gave-back')),

  'operations.lapse': write((database, args: Attempt) => free(database, args, 'lapsed')),

  'operations.putOutcome': write(
    (database, args: Place & { readonly attempt: number; readonly outcome: string }): number =>
      database.run(
        `INSERT INTO outcome (deployment, operation, attempt, outcome) VALUES (?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        args.deployment,
        args.operation,
        args.attempt,
        args.outcome,
      ),
  ),

  'operations.outcome': read(
    (database, args: Place & { readonly attempt: number }): string | null => {
      const row = database.get(
        'SELECT * FROM outcome WHERE deployment = ? AND operation = ? AND attempt = ?',
        args.deployment,
        args.operation,
        args.attempt,
      )
      return row === undefined ? null : text(readable('outcome', row), 'outcome')
    },
  ),

  'operations.select': write((database, args: Attempt & { readonly verdict: Verdict }): boolean => {
    const { deployment, operation, owner, attempt, verdict } = args
    const ended = database.run(
      `INSERT INTO head (deployment, operation, verdict, end_attempt)
       SELECT ?1, ?2, ?5, 0 WHERE (?3 = '' AND ?4 = 0)
         OR EXISTS (SELECT 1 FROM head WHERE deployment = ?1 AND operation = ?2)
       ON CONFLICT DO UPDATE SET verdict = ?5, end_attempt = ?4
       WHERE head.verdict IS NULL AND head.owner = ?3 AND head.attempt = ?4`,
      deployment,
      operation,
      owner,
      attempt,
      verdict,
    )
    if (ended === 1) return true
    const head = headAt(database, args)
    return head.end?.verdict === verdict && head.end.attempt === attempt && head.owner === owner
  }),

  'operations.heads': read(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly operations: readonly OperationId[] },
    ): readonly HeadRow[] =>
      database
        .all(
          `SELECT * FROM head
           WHERE deployment = ? AND operation IN (SELECT value FROM json_each(?))`,
          args.deployment,
          JSON.stringify(args.operations),
        )
        .map(row => parseHeadRow(row, null)),
  ),

  /** The rows that fit one reply; the ids that were not looked at are `rest`. */
  'operations.ends': read(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly operations: readonly OperationId[] },
    ): { readonly rows: readonly HeadRow[]; readonly rest: readonly OperationId[] } => {
      const rows: HeadRow[] = []
      let size = 0
      for (const [index, operation] of args.operations.entries()) {
        if (size > limits.replyBytesMax) return { rows, rest: args.operations.slice(index) }
        const row = database.get(
          `SELECT head.*, outcome.outcome AS outcome, outcome.format AS outcome_format FROM head
           LEFT JOIN outcome ON outcome.deployment = head.deployment
             AND outcome.operation = head.operation AND outcome.attempt = head.end_attempt
           WHERE head.deployment = ? AND head.operation = ?`,
          args.deployment,
          operation,
        )
        if (row === undefined) continue
        const outcome = typeof row['outcome'] === 'string' ? row['outcome'] : null
        const attempt = integer(row, 'end_attempt')
        readable('outcome', { ...row, attempt, format: integer(row, 'outcome_format') })
        size += outcome?.length ?? 0
        rows.push(parseHeadRow(row, outcome))
      }
      return { rows, rest: [] }
    },
  ),
}

/** Clears the owner of its own attempt, once; a repetition finds the mark of the first time. */
function free(database: Database, args: Attempt, how: 'gave-back' | 'lapsed'): boolean {
  const mark = `${how} ${args.attempt} ${args.owner}`
  const freed = database.run(
    `UPDATE head SET owner = '', executor = '', given_back = given_back + ?5,
       freed = json_insert(freed, '$[#]', ?6)
     WHERE deployment = ?1 AND operation = ?2 AND verdict IS NULL
       AND owner = ?3 AND owner <> '' AND attempt = ?4`,
    args.deployment,
    args.operation,
    args.owner,
    args.attempt,
    how === 'gave-back' ? 1 : 0,
    mark,
  )
  if (freed === 1) return true
  const before = database.get(
    `SELECT 1 FROM head, json_each(head.freed) AS mark
     WHERE deployment = ? AND operation = ? AND mark.value = ?`,
    args.deployment,
    args.operation,
    mark,
  )
  return before !== undefined
}

function headAt(database: Database, place: Place): Head {
  const row = database.get(
    'SELECT * FROM head WHERE deployment = ? AND operation = ?',
    place.deployment,
    place.operation,
  )
  return row === undefined ? freshHead : parseHead(row)
}

function parseHeadRow(row: Row, outcome: string | null): HeadRow {
  return { operation: integer(row, 'operation') as OperationId, head: parseHead(row), outcome }
}

function parseHead(row: Row): Head {
  readable('head', row)
  const keys = { deployment: text(row, 'deployment'), operation: integer(row, 'operation') }
  const verdict = row['verdict']
  const end = { verdict: verdict as Verdict, attempt: integer(row, 'end_attempt') }
  if (verdict !== null && !verdicts.has(end.verdict))
    throw damaged('head', keys, `no operation ends as '${end.verdict}'`)
  return {
    arrived: parseRecordJson({ kind: 'head', keys }, text(row, 'arrived'), isArrivals),
    attempt: integer(row, 'attempt'),
    owner: text(row, 'owner') as OwnerToken,
    executor: text(row, 'executor') as ExecutorId,
    givenBack: integer(row, 'given_back'),
    ...(verdict === null ? {} : { end }),
  }
}

const verdicts: ReadonlySet<Verdict> = new Set(['succeeded', 'partial', 'failed', 'interrupted'])

function isArrivals(value: unknown): value is OperationId[] {
  return Array.isArray(value) && value.every(one => typeof one === 'number')
}
