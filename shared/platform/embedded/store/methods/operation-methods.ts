import { limits } from '../../../../config/limits.ts'
import type { BeginResult } from '../../../../ports/records.ts'
import { type Head, type Verdict, freshHead } from '../../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../../../records/ids.ts'
import { type Database, type Row, readIntegerColumn, readTextColumn } from '../database.ts'
import { headStatements } from './head-statements.ts'
import { defineRead, defineWrite } from './method.ts'
import {
  createDamagedError,
  parseRecordJson,
  requireReadableFormat,
} from '../../../records/record-layouts.ts'

/** The key of an operation. */
interface OperationKey {
  readonly deployment: DeploymentId
  readonly operation: OperationId
}

/** The key of an attempt and its owner. The owner is '' for an unowned head. */
interface AttemptKey extends OperationKey {
  readonly owner: OwnerToken | ''
  readonly attempt: number
}

/** A head, with the text of its selected outcome if requested and present. */
export interface HeadRow {
  readonly operation: OperationId
  readonly head: Head
  readonly outcome: string | null
}

/** Methods of heads and outcomes. `head-statements.ts` defines the conditions of head writes. */
export const operationMethods = {
  'operations.arrive': defineWrite(
    (database, args: OperationKey & { readonly from: OperationId }): Head => {
      const row = database.get(headStatements.arrive, args.deployment, args.operation, args.from)
      return row === undefined ? freshHead : parseHead(row)
    },
  ),

  'operations.begin': defineWrite(
    (
      database,
      args: OperationKey & {
        readonly owner: OwnerToken
        readonly executor: ExecutorId
        readonly attempt: number
        readonly needs: number
      },
    ): BeginResult => {
      const { deployment, operation, owner, attempt, needs, executor } = args
      const request = [deployment, operation, owner, attempt] as const
      const begunRow = database.get(headStatements.begin, ...request, needs, executor)
      if (begunRow !== undefined)
        return { kind: 'begun', attempt: readIntegerColumn(begunRow, 'attempt') }
      const isRepeated = database.get(headStatements.beginTookEffect, ...request) !== undefined
      if (isRepeated) return { kind: 'begun', attempt: attempt + 1 }
      return { kind: 'refused', head: readHead(database, args) }
    },
  ),

  'operations.giveBack': defineWrite((database, args: AttemptKey) =>
    releaseOwner(database, args, 'giveBack'),
  ),

  'operations.lapse': defineWrite((database, args: AttemptKey) =>
    releaseOwner(database, args, 'lapse'),
  ),

  'operations.putOutcome': defineWrite(
    (
      database,
      args: OperationKey & { readonly attempt: number; readonly outcome: string },
    ): number =>
      database.run(
        `INSERT INTO outcome (deployment, operation, attempt, outcome) VALUES (?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        args.deployment,
        args.operation,
        args.attempt,
        args.outcome,
      ),
  ),

  'operations.outcome': defineRead(
    (database, args: OperationKey & { readonly attempt: number }): string | null => {
      const row = database.get(
        'SELECT * FROM outcome WHERE deployment = ? AND operation = ? AND attempt = ?',
        args.deployment,
        args.operation,
        args.attempt,
      )
      return row === undefined
        ? null
        : readTextColumn(requireReadableFormat('outcome', row), 'outcome')
    },
  ),

  'operations.select': defineWrite(
    (database, args: AttemptKey & { readonly verdict: Verdict }): boolean => {
      const { deployment, operation, owner, attempt, verdict } = args
      const request = [deployment, operation, owner, attempt, verdict] as const
      return (
        database.run(headStatements.select, ...request) === 1 ||
        database.get(headStatements.selectTookEffect, ...request) !== undefined
      )
    },
  ),

  'operations.heads': defineRead(
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

  /** Returns heads and outcomes up to the size of one reply. `rest`: the ids that were not read. */
  'operations.ends': defineRead(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly operations: readonly OperationId[] },
    ): { readonly rows: readonly HeadRow[]; readonly rest: readonly OperationId[] } => {
      const rows: HeadRow[] = []
      let outcomeChars = 0
      for (const [index, operation] of args.operations.entries()) {
        if (outcomeChars > limits.replyCharsMax) return { rows, rest: args.operations.slice(index) }
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
        const attempt = readIntegerColumn(row, 'end_attempt')
        requireReadableFormat('outcome', {
          ...row,
          attempt,
          format: readIntegerColumn(row, 'outcome_format'),
        })
        outcomeChars += outcome?.length ?? 0
        rows.push(parseHeadRow(row, outcome))
      }
      return { rows, rest: [] }
    },
  ),
}

const releaseKeyPrefixes = { giveBack: 'gave-back', lapse: 'lapsed' } as const

/**
 * Clears the owner of an attempt. The write takes effect once: a repetition finds the key that the
 * first write added to `freed`, and also returns true.
 */
function releaseOwner(database: Database, args: AttemptKey, event: 'giveBack' | 'lapse'): boolean {
  const { deployment, operation, owner, attempt } = args
  const releaseKey = `${releaseKeyPrefixes[event]} ${attempt} ${owner}`
  const request = [deployment, operation, owner, attempt, releaseKey] as const
  return (
    database.run(headStatements[event], ...request) === 1 ||
    database.get(headStatements[`${event}TookEffect`], ...request) !== undefined
  )
}

function readHead(database: Database, operationKey: OperationKey): Head {
  const row = database.get(
    'SELECT * FROM head WHERE deployment = ? AND operation = ?',
    operationKey.deployment,
    operationKey.operation,
  )
  return row === undefined ? freshHead : parseHead(row)
}

function parseHeadRow(row: Row, outcome: string | null): HeadRow {
  return {
    operation: readIntegerColumn(row, 'operation') as OperationId,
    head: parseHead(row),
    outcome,
  }
}

function parseHead(row: Row): Head {
  requireReadableFormat('head', row)
  const keys = {
    deployment: readTextColumn(row, 'deployment'),
    operation: readIntegerColumn(row, 'operation'),
  }
  const verdict = row['verdict']
  const end = { verdict: verdict as Verdict, attempt: readIntegerColumn(row, 'end_attempt') }
  if (verdict !== null && !verdicts.has(end.verdict))
    throw createDamagedError('head', keys, `'${end.verdict}' is not a valid verdict`)
  return {
    arrived: parseRecordJson({ kind: 'head', keys }, readTextColumn(row, 'arrived'), isArrivals),
    attempt: readIntegerColumn(row, 'attempt'),
    owner: readTextColumn(row, 'owner') as OwnerToken,
    executor: readTextColumn(row, 'executor') as ExecutorId,
    givenBack: readIntegerColumn(row, 'given_back'),
    ...(verdict === null ? {} : { end }),
  }
}

const verdicts: ReadonlySet<Verdict> = new Set(['succeeded', 'partial', 'failed', 'interrupted'])

function isArrivals(value: unknown): value is OperationId[] {
  return Array.isArray(value) && value.every(arrival => typeof arrival === 'number')
}
