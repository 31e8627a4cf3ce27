import type { ResourceState } from '../../state/resource.ts'
import { isReplacementOp, type Step, stepOf } from '../step.ts'
import { type EndedStep, successEndOf } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/**
 * Reports the begin of a step. For the create of a delete-before-create replacement, the begin and
 * the end of the `replace` step are reported first.
 */
export function emitStepBegin(
  emitter: Pick<StepEmitter, 'emitBegin' | 'emitEnd'>,
  step: Step,
): void {
  const replaceStep = isDeletedFirst(step) ? replaceStepOf(step) : undefined
  if (replaceStep !== undefined) {
    emitter.emitBegin(replaceStep)
    emitter.emitEnd(replaceStep, successEndOf(replaceStep.next))
  }
  emitter.emitBegin(step)
}

/**
 * Reports whether the old resource was deleted before a step that creates its replacement. The
 * result is meaningful only for such steps, because an update has the same effect.
 */
function isDeletedFirst({ effect }: Step): boolean {
  return effect === 'replace'
}

/**
 * Counts the replacements of a chain (`countedReplaceStepOf`). The replace step of a
 * create-before-delete replacement is also reported, with the new state and the old one marked for
 * deletion. `isComplete`: whether all steps of the chain succeeded.
 */
export function emitReplaceSteps(
  emitter: StepEmitter,
  chain: readonly EndedStep[],
  isComplete: boolean,
): void {
  for (const { step, end: createEnd } of chain) {
    const replaceStep = countedReplaceStepOf(step, isComplete)
    if (replaceStep === undefined) continue
    const end = successEndOf(createEnd.state ?? replaceStep.next)
    if (!isDeletedFirst(step)) {
      const completedStep = completeReplaceStep(replaceStep, createEnd.state)
      emitter.emitBegin(completedStep)
      emitter.emitEnd(completedStep, end)
    }
    emitter.count(replaceStep, end)
  }
}

/**
 * Returns the `replace` step that the summary counts for an ended step. If the old resource was
 * deleted first, the `replace` step counts even if the create failed. Otherwise it counts only in a
 * chain that succeeded. Returns undefined if the ended step replaces nothing, or does not count.
 */
export function countedReplaceStepOf(step: Step, isComplete: boolean): Step | undefined {
  return isComplete || isDeletedFirst(step) ? replaceStepOf(step) : undefined
}

/**
 * Returns the replace step that is reported after the create. It has the new state, and the old
 * state marked for deletion.
 */
export function completeReplaceStep(
  replaceStep: Step,
  createdState: ResourceState | undefined,
): Step {
  const { old } = replaceStep
  const markedOld = old && { ...old, state: { ...old.state, delete: true } }
  return { ...replaceStep, old: markedOld, next: createdState ?? replaceStep.next }
}

/**
 * Returns the `replace` step for a step that creates a replacement. Otherwise returns undefined.
 */
function replaceStepOf(createStep: Step): Step | undefined {
  if (!isReplacementOp(createStep.op)) return undefined
  if (createStep.next === undefined) return undefined
  const { old, next, reason } = createStep
  return stepOf({ op: 'replace', effect: 'none', old, next, reason })
}
