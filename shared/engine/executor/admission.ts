import { limits } from '../../config/limits.ts'
import type { StepOp } from '../../records/operation.ts'
import type { Pool } from '../../records/pool.ts'
import type { Step } from '../step.ts'
import { slowTypes } from './slow-resources.ts'

/**
 * Whether an operation is begun `now`, or left to an executor that has its whole time before it
 * (`later`), or to one without a time limit (`long`).
 */
export type Admission = 'now' | 'later' | 'long'

/** The time of an executor: one without a limit has none of it. */
export interface FunctionTime {
  readonly pool: Pool
  /** Until it begins to leave, in ms. */
  readonly remainingMs: () => number
  /** Of one that just began, in ms. */
  readonly wholeMs: number
}

/** What operations of a stack took before, in ms, by `slowKey`. */
export type KnownDurations = ReadonlyMap<string, number>

/** What a provider is asked for an operation, as times are kept. */
type Call = 'create' | 'update' | 'delete' | 'read'

/**
 * Decides before the begin, for a call that has begun is never cut off. Source:
 * docs/architecture.md#hand-over.
 */
export function admissionOf(step: Step, slow: KnownDurations, time: FunctionTime): Admission {
  const expected = estimateMs(step, slow)
  if (expected <= time.remainingMs()) return 'now'
  // What only fits into all of it would find some of it gone each time, and be left for ever.
  const sureMs = time.wholeMs - Math.min(time.wholeMs / 4, limits.executorStartMs)
  return expected <= sureMs ? 'later' : 'long'
}

/**
 * How long a step may take, in ms: its custom timeout, else what it took before, else what is known
 * of its type.
 */
function estimateMs(step: Step, slow: KnownDurations): number {
  const call = callOf(step.op)
  if (call === undefined || step.skipCall) return 0
  const state = call === 'create' ? step.next : (step.old?.state ?? step.next)
  const customSeconds = (call === 'update' ? step.next : state)?.customTimeouts[call] ?? 0
  if (customSeconds > 0) return customSeconds * 1_000
  const before = slow.get(slowKey(step.type, call))
  // The next time may be a bad one.
  if (before !== undefined) return before * 1.25
  const minutes = call === 'read' ? undefined : slowTypes.get(step.type)
  return minutes === undefined ? limits.expectedMs : minutes * 60_000
}

/** The key under which the time of a step is kept; undefined when no provider is asked. */
export function slowKeyOf({ op, type }: Pick<Step, 'op' | 'type'>): string | undefined {
  const call = callOf(op)
  return call === undefined ? undefined : slowKey(type, call)
}

function slowKey(type: string, call: Call): string {
  return `${call} ${type}`
}

function callOf(op: StepOp): Call | undefined {
  switch (op) {
    case 'create':
    case 'create-replacement':
      return 'create'
    case 'update':
      return 'update'
    case 'delete':
    case 'delete-replaced':
      return 'delete'
    case 'read':
    case 'read-replacement':
    case 'import':
    case 'import-replacement':
    case 'refresh':
      return 'read'
    case 'same':
    case 'replace':
    case 'discard':
    case 'discard-replaced':
    case 'remove-pending-replace':
    case 'join':
    case 'hook':
      return undefined
    default:
      return op satisfies never
  }
}
