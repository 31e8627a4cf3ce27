import type { ResourceState } from '../../../state/resource.ts'
import { stepOf, type TrackedState, unrecordedStateReference } from '../../step.ts'
import type { CurrentState } from '../sets.ts'
import type { SetsDelta } from '../sets-delta.ts'
import type { AnsweredResult } from '../stage.ts'

/**
 * Answers a registration whose resource is neither created nor changed. The program receives
 * unknown outputs. `next`: the state that the events show.
 */
export function skipCreate(next: ResourceState, delta: SetsDelta = {}): AnsweredResult {
  const uncreatedState: TrackedState = { state: next, ref: unrecordedStateReference }
  const current: CurrentState = { ...uncreatedState, op: 'same', skipReason: 'not created' }
  return {
    kind: 'skipped',
    current,
    // The event shows an unchanged resource, so its old state equals its new one.
    step: stepOf({ op: 'same', effect: 'none', old: uncreatedState, next }),
    delta: { ...delta, uncreatedUrns: [next.urn], currentStates: [[next.urn, current]] },
  }
}
