import type { Base } from '../../deployment/state/base.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { type Step, stepOf } from '../../step.ts'
import { emitStep } from '../../events/emit-step.ts'
import type { GeneratorContext } from '../context.ts'

/**
 * The steps of views whose owner stays as it is. Source:
 * docs/spec/step-generation.md#diff-decision, docs/spec/step-execution.md#views.
 */
export function createSameViewSteps(
  base: Pick<Base, 'viewsOf'>,
  owner: ResourceState,
): readonly Step[] {
  return base
    .viewsOf(owner)
    .map(old => stepOf({ op: 'same', effect: 'none', old, next: old.state }))
}

/** Takes them over and tells of them; nothing is written, for they are in the base. */
export function emitSameViews(
  { base, emitter, isDestroying, sets }: GeneratorContext,
  owner: ResourceState,
): void {
  // What is to be destroyed is told as that.
  if (isDestroying) return
  for (const step of createSameViewSteps(base, owner)) {
    if (step.next !== undefined) sets.views.set(step.urn, step.next)
    emitStep(emitter, step)
  }
}
