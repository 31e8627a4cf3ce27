import type { OperationId } from '../../records/ids.ts'
import type { Head, Verdict } from '../../records/head.ts'
import type { Operation, StepOp } from '../../records/operation.ts'
import { type OperationStage, stageOf } from './operation-times.ts'

/** An operation for which another one waits. */
export interface MissingNeed {
  readonly id: OperationId
  readonly op: StepOp
  readonly urn: string
  readonly stage: OperationStage
  /** Set for an ended operation. If it is not `succeeded`, the waiting operation never begins. */
  readonly verdict?: Verdict
}

/**
 * The reason why an operation does not run.
 * - `none`: it runs or has ended.
 * - `operations`: it waits for others.
 * - `stopped`: the deployment was stopped, so the operation never begins.
 * - `undelivered`: its message is a dead letter, which a redrive sends again.
 * - `hook`: it is a ready hook, which the program runs.
 * - `slots`: all slots are in use.
 * - `delivery`: its message waits in the queue, or its executor waits for limits of calls.
 */
export type OperationWait =
  | { readonly kind: 'none' | 'stopped' | 'undelivered' | 'hook' | 'delivery' }
  /** `operations`: at most `needsMax` missing needs. `count`: the number of all missing needs. */
  | {
      readonly kind: 'operations'
      readonly operations: readonly MissingNeed[]
      readonly count: number
    }
  | { readonly kind: 'slots'; readonly running: number }

/** The records that explain waits. */
export interface WaitInput {
  /** Returns the operations that release an operation. */
  readonly needsOf: (id: OperationId) => readonly Operation[]
  readonly getHead: (id: OperationId) => Head | undefined
  readonly parallel: number
  /** The number of running operations. */
  readonly running: number
  /** Whether the deployment has ended, or was stopped. */
  readonly isStopped: boolean
  readonly deadLetterIds: ReadonlySet<OperationId>
}

/** Maximum number of missing needs that a wait names. */
const needsMax = 20

/** Explains why an operation waits. Linear in its missing needs. */
export function explainWait(operation: Operation, input: WaitInput): OperationWait {
  const { getHead, parallel, running, isStopped, deadLetterIds } = input
  const stage = stageOf(operation, getHead(operation.id))
  if (stage === 'running' || stage === 'ended') return { kind: 'none' }
  if (stage === 'waiting') {
    const missing = listMissingNeeds(operation, input).filter(isNotJoin)
    const count = missing.length
    if (count > 0)
      return {
        kind: 'operations',
        operations: missing.slice(0, needsMax).map(need => toMissingNeed(need, getHead(need.id))),
        count,
      }
  }
  if (isStopped) return { kind: 'stopped' }
  if (deadLetterIds.has(operation.id)) return { kind: 'undelivered' }
  if (operation.op === 'hook') return { kind: 'hook' }
  return running >= parallel ? { kind: 'slots', running } : { kind: 'delivery' }
}

/**
 * Returns the needs of an operation that have not arrived, joins included. The missing needs of a
 * missing join are included too.
 */
export function listMissingNeeds(
  operation: Operation,
  { needsOf, getHead }: Pick<WaitInput, 'needsOf' | 'getHead'>,
): readonly Operation[] {
  const missing = new Map<OperationId, Operation>()
  const waiting = [operation]
  for (let waiter = waiting.pop(); waiter !== undefined; waiter = waiting.pop()) {
    const arrived = new Set(getHead(waiter.id)?.arrived)
    for (const need of needsOf(waiter.id)) {
      if (arrived.has(need.id) || missing.has(need.id)) continue
      missing.set(need.id, need)
      if (need.op === 'join') waiting.push(need)
    }
  }
  return [...missing.values()]
}

function isNotJoin({ op }: Operation): boolean {
  return op !== 'join'
}

function toMissingNeed(need: Operation, head: Head | undefined): MissingNeed {
  const { id, op, urn } = need
  const stage = stageOf(need, head)
  return { id, op, urn, stage, ...(head?.end === undefined ? {} : { verdict: head.end.verdict }) }
}
