import { isReplacing, type Step, stepOf } from '../step.ts'
import { succeeded } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/** Tells that a step begins; a replacement of what was deleted first is told before it is made. */
export function tellBegin(emitter: Pick<StepEmitter, 'pre' | 'ended'>, step: Step): void {
  const replace = isDeletedFirst(step) ? replaceStepOf(step) : undefined
  if (replace !== undefined) {
    emitter.pre(replace)
    emitter.ended(replace, succeeded(replace.next))
  }
  emitter.pre(step)
}

function isDeletedFirst({ effect }: Step): boolean {
  return effect === 'replace'
}

/** Counts the replacements of a chain that ended well, and tells of those that come last. */
export function tellReplaces(emitter: StepEmitter, steps: readonly Step[]): void {
  for (const step of steps) {
    const replace = replaceStepOf(step)
    if (replace === undefined) continue
    const end = succeeded(replace.next)
    if (!isDeletedFirst(step)) {
      emitter.pre(replace)
      emitter.ended(replace, end)
    }
    emitter.count(replace, end)
  }
}

/** The replace step that is told beside the create of a replacement. */
export function replaceStepOf(made: Step): Step | undefined {
  if (!isReplacing(made.op)) return undefined
  if (made.next === undefined) return undefined
  const { old, next, reason } = made
  return stepOf({ op: 'replace', effect: 'none', old, next, reason })
}
