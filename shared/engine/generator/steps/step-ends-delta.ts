import type { EndedStep } from '../../step-end.ts'
import { indexOf, type Step } from '../../step.ts'
import type { SetsDelta } from '../sets-delta.ts'

/**
 * Returns the delta of decided steps and their ends. Only a completed step marks an old state. A
 * delete that did not complete is no longer planned, so that the end of the deployment judges its
 * resource like any other. Views count even when the call of their owner failed.
 * Source: docs/spec/step-generation.md#generator-state, docs/spec/step-execution.md#views.
 */
export function createStepEndsDelta(
  decided: readonly Step[],
  ended: readonly EndedStep[],
): SetsDelta {
  const views = ended.flatMap(({ end }) =>
    (end.views ?? []).flatMap(view => view.end.state ?? view.step.next ?? []),
  )
  const succeeded = new Set(
    ended.filter(({ end }) => end.verdict === 'succeeded').map(({ step }) => step),
  )
  const indicesOf = (steps: readonly Step[]): readonly number[] =>
    steps.flatMap(({ old }) => (old === undefined ? [] : (indexOf(old) ?? [])))
  const done = decided.filter(step => succeeded.has(step))
  const undone = decided.filter(step => step.op === 'delete-replaced' && !succeeded.has(step))
  const isPending = ({ effect }: Step): boolean => effect === 'mark-pending'
  return {
    views,
    markedForDelete: indicesOf(done.filter(({ effect }) => effect === 'add-mark')),
    pendingReplacement: indicesOf(done.filter(isPending)),
    deleteEnded: decided.filter(isPending).map(({ urn }) => urn),
    removed: {
      deleted: undone.filter(isPending).map(({ urn }) => urn),
      condemned: indicesOf(undone),
    },
  }
}
