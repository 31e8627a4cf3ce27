import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import type { DecisionInput } from '../context.ts'
import { decided, type Result } from '../stage.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'

/**
 * Skips a registration if its parent or another dependency failed or was skipped. A failed provider
 * does not count. Source: docs/spec/step-execution.md#executor.
 */
export function skipIfDependencyFailed(
  { sets }: Pick<DecisionInput, 'sets'>,
  steps: readonly Step[],
): Result<void> {
  if (sets.failedUrns.size === 0) return decided(undefined)
  const dependsOnFailure = steps.some(
    ({ next }) =>
      next !== undefined && listDependencies(next).some(({ urn }) => sets.failedUrns.has(urn)),
  )
  if (!dependsOnFailure) return decided(undefined)
  return {
    kind: 'failed',
    failure: { diagnostics: [], endedPart: 'registration', isSkipped: true },
    // The delta ends the registration's entries of `pendingDeletes`, for which other decisions may
    // wait. These deletes do not take place.
    delta: createStepEndsDelta(steps, []),
  }
}
