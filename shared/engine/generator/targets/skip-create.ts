import type { OperationId } from '../../../records/ids.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { stepOf } from '../../step.ts'
import type { CurrentState } from '../sets.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { Answered } from '../stage.ts'

/** Answers the registration of a resource that is not created: its outputs are unknown. */
export function skipCreate(next: ResourceState, delta: SetsDelta = {}): Answered {
  const nowhere = { kind: 'operation' as const, operation: 0 as OperationId }
  const draft = { state: next, ref: nowhere }
  const current: CurrentState = { ...draft, op: 'same', skipReason: 'not made' }
  return {
    kind: 'skipped',
    current,
    step: stepOf({ op: 'same', effect: 'none', old: draft, next }),
    delta: { ...delta, skipped: [next.urn], current: [[next.urn, current]] },
  }
}
