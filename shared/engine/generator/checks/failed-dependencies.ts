import type { Urn } from '../../../names/urn.ts'
import { listDependencies } from '../../graph/closures.ts'
import type { Step } from '../../step.ts'
import { type GeneratorContext, RegistrationFailed } from '../context.ts'
import { applyStepEnds } from '../steps/apply-step-ends.ts'

/**
 * Gives a registration up that depends on one that failed or was skipped itself: by its parent, by
 * what it names, not by its provider. Throws RegistrationFailed. Source:
 * docs/spec/step-execution.md#executor.
 */
export function skipIfDependencyFailed(
  { sets }: Pick<GeneratorContext, 'sets'>,
  steps: readonly Step[],
): void {
  if (sets.failed.size === 0) return
  const isBelow = steps.some(
    ({ next }) =>
      next !== undefined && listDependencies(next).some(({ urn }) => sets.failed.has(urn)),
  )
  if (!isBelow) return
  // Who waits for what it was to delete first learns that it was not.
  applyStepEnds(sets, steps, [])
  throw new RegistrationFailed({ isSkipped: true })
}

/** The failure of a registration with its URN, noted for what depends on it. */
export function recordFailure(
  { sets }: Pick<GeneratorContext, 'sets'>,
  urn: Urn,
  { isSkipped }: RegistrationFailed,
): RegistrationFailed {
  sets.failed.add(urn)
  return new RegistrationFailed({ isSkipped, urn })
}
