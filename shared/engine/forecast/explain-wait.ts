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
 * - `stopped`: the deployment was stopped, so it never begins.
 * - `undelivered`: its message is a dead letter, which a redrive sends again.
 * - `hook`: the program runs it.
 * - `slots`: all slots are in use.
 * - `delivery`: its message waits in the queue, or its executor waits for limits of calls.
 */
export type OperationWait =
  | { readonly kind: 'none' | 'stopped' | 'undelivered' | 'hook' | 'delivery' }
  /** `count`: the number of all missing needs, of which `operations` has some. */
  | {
      readonly kind: 'operations'
      readonly operations: readonly MissingNeed[]
      readonly count: number
    }
  | { readonly kind: 'slots'; readonly running: number }

/** The records that explain waits. */
export interface WaitInput {
  readonly operations: readonly Operation[]
  readonly getHead: (id: OperationId) => Head | undefined
  readonly parallel: number
  /** Whether the deployment has ended, or was stopped. */
  readonly isStopped: boolean
  readonly deadLetterIds: ReadonlySet<OperationId>
}

/** Maximum number of missing needs that a wait names. */
const needsMax = 20

/** Returns the function that explains the wait of an operation. Linear once, then per need. */
export function createWaitExplanation(input: WaitInput): (operation: Operation) => OperationWait {
  const { operations, getHead, parallel, isStopped, deadLetterIds } = input
  const needsOf = indexNeedsById(operations)
  const isRunning = ({ id }: Operation): boolean => (getHead(id)?.owner ?? '') !== ''
  const running = operations.filter(isRunning).length
  return operation => {
    const stage = stageOf(operation, getHead(operation.id))
    if (stage === 'running' || stage === 'ended') return { kind: 'none' }
    if (stage === 'waiting') {
      const missing = listMissingNeeds(operation, { needsOf, getHead })
      const count = missing.length
      if (count > 0) return { kind: 'operations', operations: missing.slice(0, needsMax), count }
    }
    if (isStopped) return { kind: 'stopped' }
    if (deadLetterIds.has(operation.id)) return { kind: 'undelivered' }
    if (operation.op === 'hook') return { kind: 'hook' }
    return running >= parallel ? { kind: 'slots', running } : { kind: 'delivery' }
  }
}

function indexNeedsById(
  operations: readonly Operation[],
): ReadonlyMap<OperationId, readonly Operation[]> {
  const needs = new Map<OperationId, Operation[]>()
  for (const operation of operations)
    for (const id of [...operation.releases, operation.barrier])
      if (id !== undefined) {
        const known = needs.get(id)
        if (known === undefined) needs.set(id, [operation])
        else known.push(operation)
      }
  return needs
}

/** Returns the needs that have not arrived. The needs of a join count in its place. */
function listMissingNeeds(
  operation: Operation,
  {
    needsOf,
    getHead,
  }: {
    readonly needsOf: ReadonlyMap<OperationId, readonly Operation[]>
    readonly getHead: WaitInput['getHead']
  },
): readonly MissingNeed[] {
  const missing = new Map<OperationId, MissingNeed>()
  const visited = new Set<OperationId>()
  const waiting = [operation]
  for (let waiter = waiting.pop(); waiter !== undefined; waiter = waiting.pop()) {
    const arrived = new Set(getHead(waiter.id)?.arrived)
    for (const need of needsOf.get(waiter.id) ?? []) {
      if (arrived.has(need.id) || visited.has(need.id)) continue
      visited.add(need.id)
      if (need.op === 'join') waiting.push(need)
      else missing.set(need.id, toMissingNeed(need, getHead(need.id)))
    }
  }
  return [...missing.values()]
}

function toMissingNeed(need: Operation, head: Head | undefined): MissingNeed {
  const { id, op, urn } = need
  const stage = stageOf(need, head)
  return { id, op, urn, stage, ...(head?.end === undefined ? {} : { verdict: head.end.verdict }) }
}
