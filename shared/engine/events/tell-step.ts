import type { Step } from '../step.ts'
import { type StepEnd, succeeded } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/** Tells of a step that asks nobody, with its end, and counts it. */
export function tellStep(
  emitter: Pick<StepEmitter, 'pre' | 'ended' | 'count'>,
  step: Step,
  end: StepEnd = succeeded(step.next),
): void {
  emitter.pre(step)
  emitter.ended(step, end)
  emitter.count(step, end)
}
