import type { ResourceState } from '../../state/resource.ts'
import { isProtected, type Step } from '../step.ts'
import { failureEndOf, type StepEnd } from '../step-end.ts'

/**
 * Returns the failure of the delete of a protected resource. Returns undefined if the step may
 * delete its resource.
 */
export function refuseProtectedDelete(step: Step, state: ResourceState): StepEnd | undefined {
  if (!isProtected(step)) return undefined
  const message =
    `resource "${state.urn}" cannot be deleted\n` +
    'because it is protected. Register it in the program without `protect` and run `antichain up`, or run\n' +
    `antichain state unprotect '${state.urn}'`
  return failureEndOf({ message, status: 'ok', protected: true })
}
