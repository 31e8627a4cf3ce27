import type { ResourceState } from '../../state/resource.ts'
import { isReplacementOp, type Step, stepOf } from '../step.ts'
import { type EndedStep, successEndOf } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/**
 * Reports the begin of a step. Before the create of a delete-before-create replacement, its replace
 * step is reported with its end.
 */
export function emitStepBegin(
  emitter: Pick<StepEmitter, 'emitBegin' | 'emitEnd'>,
  step: Step,
): void {
  const replace = isDeletedFirst(step) ? replaceStepOf(step) : undefined
  if (replace !== undefined) {
    emitter.emitBegin(replace)
    emitter.emitEnd(replace, successEndOf(replace.next))
  }
  emitter.emitBegin(step)
}

function isDeletedFirst({ effect }: Step): boolean {
  return effect === 'replace'
}

/**
 * Counts the replacements of a successful chain. The replace step of a create-before-delete
 * replacement is also reported, with the new state and the old one marked for deletion.
 */
export function emitReplaces(emitter: StepEmitter, chain: readonly EndedStep[]): void {
  for (const { step, end: createEnd } of chain) {
    const replace = replaceStepOf(step)
    if (replace === undefined) continue
    const end = successEndOf(createEnd.state ?? replace.next)
    if (!isDeletedFirst(step)) {
      const replaceStep = completeReplaceStep(replace, createEnd.state)
      emitter.emitBegin(replaceStep)
      emitter.emitEnd(replaceStep, end)
    }
    emitter.count(replace, end)
  }
}

/**
 * Returns the replace step that is reported after the create. It has the new state, and the old
 * state marked for deletion.
 */
export function completeReplaceStep(replace: Step, createdState: ResourceState | undefined): Step {
  const { old } = replace
  const markedOld = old && { ...old, state: { ...old.state, delete: true } }
  return { ...replace, old: markedOld, next: createdState ?? replace.next }
}

/**
 * Returns the `replace` step for a step that creates a replacement. Otherwise returns undefined.
 */
export function replaceStepOf(createStep: Step): Step | undefined {
  if (!isReplacementOp(createStep.op)) return undefined
  if (createStep.next === undefined) return undefined
  const { old, next, reason } = createStep
  return stepOf({ op: 'replace', effect: 'none', old, next, reason })
}
