import { resetPaths } from '../../../values/path.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { GeneratorContext } from '../context.ts'
import type { UrnAssignment } from './assign-urn.ts'
import type { Goal } from './goal.ts'

/**
 * Applies the option `ignoreChanges`: returns the goal's inputs, with the old inputs at the ignored
 * paths. Reports the paths whose changes cannot be ignored, because they lead to added or removed
 * elements. Source: docs/spec/step-generation.md#ignorechanges.
 */
export function resetIgnoredChanges(
  { ports }: GeneratorContext,
  { goal, assignment }: { readonly goal: Goal; readonly assignment: UrnAssignment },
): PropertyMap {
  const old = assignment.old?.state
  const { inputs, unresetPaths } = resetPaths(
    old?.inputs ?? goal.inputs,
    goal.inputs,
    old === undefined ? [] : goal.ignoreChanges,
  )
  if (unresetPaths.length > 0) {
    const paths = unresetPaths.join(', ')
    ports.emitter.report(
      'info',
      `cannot ignore changes in added or removed elements of the path: ${paths}`,
      assignment.urn,
    )
  }
  return inputs
}
