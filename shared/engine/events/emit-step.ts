import type { Step } from '../step.ts'
import { type StepEnd, successEndOf } from '../step-end.ts'
import type { StepEmitter } from './step-emitter.ts'

/** Reports a step without a provider call, with its end, and counts it. */
export function emitStep(
  emitter: Pick<StepEmitter, 'emitBegin' | 'emitEnd' | 'count'>,
  step: Step,
  end: StepEnd = successEndOf(step.next),
): void {
  emitter.emitBegin(step)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
}
