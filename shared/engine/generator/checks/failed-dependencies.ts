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
    // The delta resolves the promises of the registration's deletes, because these deletes do not
    // take place. Other decisions may wait for the promises.
    delta: createStepEndsDelta(steps, []),
  }
}
