import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import type { DecisionInput } from '../context.ts'
import { toDecided, type Result } from '../stage.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'

/**
 * Fails a registration if its parent or another dependency failed. No error is reported for it. A
 * dependency that failed only because of its own dependencies counts too, but a failed provider
 * does not. Source: docs/spec/step-execution.md#executor.
 */
export function failIfDependencyFailed(
  { sets }: Pick<DecisionInput, 'sets'>,
  steps: readonly Step[],
): Result<void> {
  if (sets.failedUrns.size === 0) return toDecided(undefined)
  const dependsOnFailure = steps.some(
    ({ next }) =>
      next !== undefined && listDependencies(next).some(({ urn }) => sets.failedUrns.has(urn)),
  )
  if (!dependsOnFailure) return toDecided(undefined)
  return {
    kind: 'failed',
    failure: { diagnostics: [], endedPart: 'registration', isDependencyFailure: true },
    // These steps do not run, but other decisions may wait for their deletes. The delta resolves
    // the promises of these deletes in `pendingDeletes`.
    delta: createStepEndsDelta(steps, []),
  }
}
