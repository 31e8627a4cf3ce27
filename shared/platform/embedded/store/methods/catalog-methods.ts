import { historyBeginOf } from '../../../records/history-begin.ts'
import { createError } from '../../../../errors/error.ts'
import type {
  CatalogPort,
  ClaimBasis,
  HistoryRecord,
  PublishedVersion,
  StackRecord,
  TargetedDeployment,
} from '../../../../ports/catalog.ts'
import {
  findDeploymentByToken,
  hasClaimBasis,
  isOpenDeployment,
  withClaim,
  withPublication,
  withoutDeployment,
} from '../../../../ports/open-deployments.ts'
import { limits } from '../../../../config/limits.ts'
import {
  type BlobHash,
  type DeploymentId,
  type EpochMs,
  type StackId,
  deploymentIdOf,
  deploymentPartsOf,
  stackPartsOf,
} from '../../../../records/ids.ts'
import { type Database, type Row, readTextColumn } from '../database.ts'
import { toStoreFailure, type StoreFailure } from '../store-message.ts'
import { defineRead, defineWrite, defineMultiWrite } from './method.ts'
import { parseHistory, parseStack, parseVersion } from './catalog-rows.ts'
import { removeStackRows, type StackRemoval } from './stack-removal.ts'

/** The arguments of a query for history or versions. */
interface HistoryPageArgs {
  readonly id: StackId
  readonly limit: number
  /** Only lower numbers than this one are returned. null: all. */
  readonly before?: number | null
}

/** The arguments of a start. */
interface StartArgs {
  readonly id: StackId
  readonly start: Parameters<CatalogPort['start']>[1]
  readonly token: string
}

type ReleaseInput = Parameters<CatalogPort['release']>[1]

/** A list of stacks for a reply to another process. Errors are plain data. */
export interface SerializedStackListing {
  readonly stacks: readonly StackRecord[]
  readonly unreadable: readonly { readonly id: StackId; readonly failure: StoreFailure }[]
}

/**
 * Methods of stacks, deployments and published snapshots. A removed stack keeps its number of
 * deployments.
 */
export const catalogMethods = {
  'catalog.createStack': defineWrite(
    (
      database,
      args: { readonly id: StackId; readonly at: EpochMs; readonly token: string },
    ): boolean =>
      database.get(
        `INSERT INTO stack (id, project, created_at, token) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET created_at = excluded.created_at, token = excluded.token,
           removed = 0
         WHERE removed = 1 OR token = excluded.token RETURNING 1`,
        args.id,
        stackPartsOf(args.id).project,
        args.at,
        args.token,
      ) !== undefined,
  ),

  'catalog.stack': defineRead((database, args: { readonly id: StackId }): StackRecord | null => {
    const row = findStackRow(database, args.id)
    return row === undefined ? null : parseStack(row)
  }),

  'catalog.stacks': defineRead(
    (database, args: { readonly project: string | null }): SerializedStackListing => {
      const rows = database.all(
        'SELECT * FROM stack WHERE removed = 0 AND (?1 IS NULL OR project = ?1) ORDER BY id',
        args.project,
      )
      const stacks: StackRecord[] = []
      const unreadable: SerializedStackListing['unreadable'][number][] = []
      for (const row of rows) {
        try {
          stacks.push(parseStack(row))
        } catch (thrown) {
          unreadable.push({
            id: readTextColumn(row, 'id') as StackId,
            failure: toStoreFailure(thrown),
          })
        }
      }
      return { stacks, unreadable }
    },
  ),

  'catalog.removeStack': defineMultiWrite((database, args: StackRemoval): boolean => {
    const row = findStackRow(database, args.id)
    return row === undefined || removeStackRows(database, row, args.expected)
  }),

  'catalog.start': defineMultiWrite(
    (
      database,
      args: StartArgs,
    ): { readonly kind: 'started' | 'busy'; readonly deployment: DeploymentId } => {
      const stack = requireStack(database, args.id)
      if (stack.current !== '') {
        const isSameCall = stack.startToken === args.token
        return { kind: isSameCall ? 'started' : 'busy', deployment: stack.current }
      }
      return { kind: 'started', deployment: insertDeployment(database, args, []) }
    },
  ),

  'catalog.startTargeted': defineMultiWrite(
    (
      database,
      args: StartArgs & { readonly claim: BlobHash; readonly expected: ClaimBasis },
    ): Awaited<ReturnType<CatalogPort['startTargeted']>> => {
      const stack = requireStack(database, args.id)
      const { current, targeted = [] } = stack
      const startedDeployment = findDeploymentByToken(stack, args.token)
      if (startedDeployment !== undefined) return { kind: 'started', deployment: startedDeployment }
      const isFull = targeted.length >= limits.openDeploymentsMax
      if (current !== '' && (targeted.length === 0 || isFull))
        return { kind: 'busy', deployment: current }
      if (!hasClaimBasis(stack, args.expected)) return { kind: 'changed' }
      const deployment = insertDeployment(database, args, targeted, args.claim)
      return { kind: 'started', deployment }
    },
  ),

  'catalog.extendClaim': defineWrite(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly claim: BlobHash
        readonly expected: ClaimBasis
      },
    ): boolean => {
      const { stack: id } = deploymentPartsOf(args.deployment)
      const stack = requireStack(database, id)
      const openDeployment = stack.targeted?.find(open => open.deployment === args.deployment)
      if (openDeployment?.claim === args.claim) return true
      if (openDeployment === undefined || !hasClaimBasis(stack, args.expected)) return false
      const targeted = withClaim(stack.targeted ?? [], args.deployment, args.claim)
      writeOpenDeployments(database, id, { ...stack, targeted })
      return true
    },
  ),

  'catalog.publish': defineMultiWrite(
    (
      database,
      args: {
        readonly id: StackId
        readonly expected: number
        readonly snapshot: BlobHash
        readonly publisher: DeploymentId | null
      },
    ): Awaited<ReturnType<CatalogPort['publish']>> => {
      const { version, snapshot, targeted = [] } = requireStack(database, args.id)
      const nextVersion = args.expected + 1
      if (version === nextVersion && snapshot === args.snapshot)
        return { kind: 'already-published', version }
      if (version !== args.expected) return { kind: 'conflict', version }
      const published = { version: nextVersion, snapshot: args.snapshot }
      const targetedAfter = withPublication(targeted, args.publisher ?? undefined, published)
      database.run(
        'UPDATE stack SET version = ?, snapshot = ?, targeted = ? WHERE id = ?',
        nextVersion,
        args.snapshot,
        JSON.stringify(targetedAfter),
        args.id,
      )
      database.run(
        'INSERT INTO snapshot (stack, version, blob) VALUES (?, ?, ?)',
        args.id,
        nextVersion,
        args.snapshot,
      )
      return { kind: 'published', version: nextVersion }
    },
  ),

  'catalog.release': defineMultiWrite(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly end: ReleaseInput },
    ): boolean => {
      const { stack, number } = deploymentPartsOf(args.deployment)
      const row = findStackRow(database, stack)
      const record = row === undefined ? undefined : parseStack(row)
      if (record === undefined || !isOpenDeployment(record, args.deployment)) return false
      const targeted = withoutDeployment(record.targeted ?? [], args.deployment)
      const current = targeted[0]?.deployment ?? ''
      writeOpenDeployments(database, stack, { current, targeted, startToken: '' })
      const { at: endedAt, isUnpinned: _isUnpinned, ...end } = args.end
      database.run(
        'UPDATE history SET ended = ? WHERE stack = ? AND number = ?',
        JSON.stringify({ endedAt, ...end }),
        stack,
        number,
      )
      return true
    },
  ),

  'catalog.history': defineRead((database, args: HistoryPageArgs): readonly HistoryRecord[] =>
    database
      .all(
        'SELECT * FROM history WHERE stack = ? AND number < ? ORDER BY number DESC LIMIT ?',
        args.id,
        args.before ?? Number.MAX_SAFE_INTEGER,
        args.limit,
      )
      .map(parseHistory),
  ),

  'catalog.versions': defineRead((database, args: HistoryPageArgs): readonly PublishedVersion[] =>
    database
      .all(
        'SELECT * FROM snapshot WHERE stack = ? AND version < ? ORDER BY version DESC LIMIT ?',
        args.id,
        args.before ?? Number.MAX_SAFE_INTEGER,
        args.limit,
      )
      .map(parseVersion),
  ),
}

/**
 * Adds the next deployment to the stack and its history. Returns the id of the deployment.
 * `targeted`: the open targeted deployments. `claim`: absent for a deployment of the whole stack.
 */
function insertDeployment(
  database: Database,
  { id, start, token }: StartArgs,
  targeted: readonly TargetedDeployment[],
  claim?: BlobHash,
): DeploymentId {
  const number = requireStack(database, id).deployments + 1
  const deployment = deploymentIdOf(id, number)
  const targetedAfter = claim === undefined ? [] : [...targeted, { deployment, claim, token }]
  const current = targetedAfter[0]?.deployment ?? deployment
  database.run('UPDATE stack SET deployments = ? WHERE id = ?', number, id)
  writeOpenDeployments(database, id, { current, targeted: targetedAfter, startToken: token })
  database.run(
    'INSERT INTO history (stack, number, begun) VALUES (?, ?, ?)',
    id,
    number,
    JSON.stringify(historyBeginOf(deployment, start)),
  )
  return deployment
}

function writeOpenDeployments(
  database: Database,
  id: StackId,
  openDeployments: {
    readonly current: string
    readonly targeted: readonly TargetedDeployment[]
    readonly startToken: string
  },
): void {
  database.run(
    'UPDATE stack SET current = ?, targeted = ?, start_token = ? WHERE id = ?',
    openDeployments.current,
    JSON.stringify(openDeployments.targeted),
    openDeployments.startToken,
    id,
  )
}

function findStackRow(database: Database, id: StackId): Row | undefined {
  return database.get('SELECT * FROM stack WHERE id = ? AND removed = 0', id)
}

function requireStack(
  database: Database,
  id: StackId,
): StackRecord & { readonly startToken: string } {
  const row = findStackRow(database, id)
  if (row === undefined) throw createError('STACK_NOT_FOUND', `the stack ${id} does not exist`)
  return { ...parseStack(row), startToken: readTextColumn(row, 'start_token') }
}
