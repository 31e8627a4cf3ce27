import type { ResourceState } from '../../state/resource.ts'
import { isReplacing, type Step, stepOf } from '../step.ts'
import { type EndedStep, successEndOf } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/** Tells that a step begins; a replacement of what was deleted first is told before it is made. */
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
 * Counts the replacements of a chain that ended well, and tells of those that come last: with what
 * was made, and of what was there that it is to be deleted.
 */
export function emitReplaces(emitter: StepEmitter, chain: readonly EndedStep[]): void {
  for (const { step, end: made } of chain) {
    const replace = replaceStepOf(step)
    if (replace === undefined) continue
    const end = successEndOf(made.state ?? replace.next)
    if (!isDeletedFirst(step)) {
      const replaceStep = completeReplaceStep(replace, made.state)
      emitter.emitBegin(replaceStep)
      emitter.emitEnd(replaceStep, end)
    }
    emitter.count(replace, end)
  }
}

/** A replace step that is told once the new resource is there, and the old one is to be deleted. */
export function completeReplaceStep(replace: Step, made: ResourceState | undefined): Step {
  const { old } = replace
  const marked = old && { ...old, state: { ...old.state, delete: true } }
  return { ...replace, old: marked, next: made ?? replace.next }
}

/** The replace step that is told beside the create of a replacement. */
export function replaceStepOf(made: Step): Step | undefined {
  if (!isReplacing(made.op)) return undefined
  if (made.next === undefined) return undefined
  const { old, next, reason } = made
  return stepOf({ op: 'replace', effect: 'none', old, next, reason })
}
