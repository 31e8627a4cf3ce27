import type { LimitedCall } from '../../programs/config/call-limit-rules.ts'
import type { StepOp } from '../../records/operation.ts'
import type { Step } from '../step.ts'

/** The provider calls whose durations are recorded. */
export type TimedCall = LimitedCall

/**
 * Returns the key under which the duration of a step is stored. Undefined without a provider call.
 */
export function durationKeyOf(
  step: Pick<Step, 'op' | 'type' | 'completesCreate'>,
): string | undefined {
  const call = timedCallOfStep(step)
  return call === undefined ? undefined : durationKeyOfCall(step.type, call)
}

/**
 * Returns the call whose time limit and duration a step has. The update that completes a create has
 * those of a create.
 */
export function timedCallOfStep({
  op,
  completesCreate,
}: Pick<Step, 'op' | 'completesCreate'>): TimedCall | undefined {
  return completesCreate === true ? 'create' : timedCallOf(op)
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
