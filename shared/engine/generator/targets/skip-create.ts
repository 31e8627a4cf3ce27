import type { OperationId } from '../../../records/ids.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { stepOf } from '../../step.ts'
import type { CurrentState } from '../sets.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { AnsweredResult } from '../stage.ts'

/**
 * Answers the registration of a resource that is not created. The program receives unknown outputs.
 */
export function skipCreate(next: ResourceState, delta: SetsDelta = {}): AnsweredResult {
  const noRecord = { kind: 'operation' as const, operation: 0 as OperationId }
  const draft = { state: next, ref: noRecord }
  const current: CurrentState = { ...draft, op: 'same', skipReason: 'not created' }
  return {
    kind: 'skipped',
    current,
    step: stepOf({ op: 'same', effect: 'none', old: draft, next }),
    delta: { ...delta, uncreatedUrns: [next.urn], currentStates: [[next.urn, current]] },
  }
}
