import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import type { DecisionInput } from '../context.ts'
import { decided, type Result } from '../stage.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'

/**
 * Skips a registration whose dependency failed or was skipped itself: its parent or another
 * resource that it names, but not its provider. Source: docs/spec/step-execution.md#executor.
 */
export function skipIfDependencyFailed(
  { sets }: Pick<DecisionInput, 'sets'>,
  steps: readonly Step[],
): Result<void> {
  if (sets.failed.size === 0) return decided(undefined)
  const isBelow = steps.some(
    ({ next }) =>
      next !== undefined && listDependencies(next).some(({ urn }) => sets.failed.has(urn)),
  )
  if (!isBelow) return decided(undefined)
  return {
    kind: 'failed',
    failure: { diagnostics: [], ends: 'registration', isSkipped: true },
    // Decisions that await its deletes learn that they do not take place.
    delta: createStepEndsDelta(steps, []),
  }
}
