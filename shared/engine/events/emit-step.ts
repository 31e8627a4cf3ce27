import type { Step } from '../step.ts'
import { type StepEnd, successEndOf } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/** Reports the begin and the end of a step without a provider call, and counts the step. */
export function emitStep(
  emitter: Pick<StepEmitter, 'emitBegin' | 'emitEnd' | 'count'>,
  step: Step,
  end: StepEnd = successEndOf(step.next),
): void {
  emitter.emitBegin(step)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
}
