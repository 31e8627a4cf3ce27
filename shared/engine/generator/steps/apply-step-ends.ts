import type { EndedStep } from '../../step-end.ts'
import { indexOf, type Step } from '../../step.ts'
import type { GeneratorSets } from '../sets.ts'

/**
 * Takes into the sets what became of decided steps: only what took place marks an old state, and a
 * delete that did not is no longer planned, so that the end of the deployment judges the resource
 * like any other. Views that were told of are there by then, also those of a call that failed.
 * Source: docs/spec/step-generation.md#generator-state, docs/spec/step-execution.md#views.
 */
export function applyStepEnds(
  sets: GeneratorSets,
  decided: readonly Step[],
  ended: readonly EndedStep[],
): void {
  for (const { end } of ended)
    for (const view of end.views ?? []) {
      const state = view.end.state ?? view.step.next
      if (state !== undefined) sets.views.set(state.urn, state)
    }
  const done = new Set(
    ended.filter(({ end }) => end.verdict === 'succeeded').map(({ step }) => step),
  )
  for (const step of decided) {
    const index = step.old === undefined ? undefined : indexOf(step.old)
    if (done.has(step)) {
      if (index !== undefined && step.effect === 'add-mark') sets.markedForDelete.add(index)
      if (index !== undefined && step.effect === 'mark-pending') sets.pendingReplacement.add(index)
    } else if (step.op === 'delete-replaced') {
      if (step.effect === 'mark-pending') sets.deletes.delete(step.urn)
      if (index !== undefined) sets.condemned.delete(index)
    }
    if (step.effect === 'mark-pending') sets.pendingDeletes.get(step.urn)?.resolve()
  }
}
