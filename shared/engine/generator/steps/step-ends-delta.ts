import type { EndedStep } from '../../step-end.ts'
import { baseIndexOf, type Step } from '../../step.ts'
import type { SetsDelta } from '../sets-delta.ts'

/**
 * Returns the delta of decided steps and their ends. Only a succeeded step marks its old state for
 * deletion, or as deleted before its replacement. A delete that did not succeed is removed from the
 * sets of deleted and condemned resources. So its resource is treated like any other at the end of
 * the program. Views are added even when the call of their owner failed. Source:
 * docs/spec/step-generation.md#generator-state, docs/spec/step-execution.md#views.
 */
export function createStepEndsDelta(
  decidedSteps: readonly Step[],
  endedSteps: readonly EndedStep[],
): SetsDelta {
  const views = endedSteps.flatMap(({ end }) =>
    (end.views ?? []).flatMap(view => view.end.state ?? view.step.next ?? []),
  )
  const succeededSteps = new Set(
    endedSteps.filter(({ end }) => end.verdict === 'succeeded').map(({ step }) => step),
  )
  const indicesOf = (steps: readonly Step[]): readonly number[] =>
    steps.flatMap(({ old }) => (old === undefined ? [] : (baseIndexOf(old) ?? [])))
  const completedSteps = decidedSteps.filter(step => succeededSteps.has(step))
  const failedDeletes = decidedSteps.filter(
    step => step.op === 'delete-replaced' && !succeededSteps.has(step),
  )
  // A delete with the effect `mark-pending` precedes the create of its replacement. Other
  // `delete-replaced` steps have other effects.
  const isDeleteBeforeReplacement = ({ effect }: Step): boolean => effect === 'mark-pending'
  return {
    views,
    markedForDeleteIndices: indicesOf(completedSteps.filter(({ effect }) => effect === 'add-mark')),
    pendingReplacementIndices: indicesOf(completedSteps.filter(isDeleteBeforeReplacement)),
    // Stages that wait for such a delete continue, whether it succeeded or not.
    endedDeletes: decidedSteps.filter(isDeleteBeforeReplacement).map(({ urn }) => urn),
    removed: {
      deleted: failedDeletes.filter(isDeleteBeforeReplacement).map(({ urn }) => urn),
      condemnedIndices: indicesOf(failedDeletes),
    },
  }
}
