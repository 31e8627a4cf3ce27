import type { LimitedCall } from '../../programs/config/call-limit-rules.ts'
import type { StepOp } from '../../records/operation.ts'
import type { Step } from '../step.ts'

/** The provider calls whose durations are recorded. */
export type TimedCall = LimitedCall

/**
 * Returns the key under which the duration of a step is stored. Undefined without a provider call.
 */
export function durationKeyOf({ op, type }: Pick<Step, 'op' | 'type'>): string | undefined {
  const call = timedCallOf(op)
  return call === undefined ? undefined : durationKeyOfCall(type, call)
}

/** Returns the key of the duration of a call. `subject`: a URN, a type or a package. */
export function durationKeyOfCall(subject: string, call: TimedCall): string {
  return `${call} ${subject}`
}

/** Returns the provider call of a kind of step. Undefined without a provider call. */
export function timedCallOf(op: StepOp): TimedCall | undefined {
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
