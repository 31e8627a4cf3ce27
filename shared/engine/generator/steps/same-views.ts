import type { Base } from '../../deployment/state/base.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { type Step, stepOf } from '../../step.ts'
import { emitStep } from '../../events/emit-step.ts'
import type { GeneratorContext } from '../context.ts'

/**
 * Returns a `same` step for each view of an unchanged owner. Source:
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

/** Adds the views of an unchanged owner to the sets, and emits them. No record is written. */
export function emitSameViews(
  { input, ports, apply }: GeneratorContext,
  owner: ResourceState,
): void {
  const { base, isProgramDestroy } = input
  // A destroy emits the deletes of the views instead.
  if (isProgramDestroy) return
  for (const step of createSameViewSteps(base, owner)) {
    if (step.next !== undefined) apply({ views: [step.next] })
    emitStep(ports.emitter, step)
  }
}
