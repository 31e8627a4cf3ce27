import type { ViewOutcome } from '../../../records/head.ts'
import { type Step, stepOf } from '../../step.ts'
import type { ViewEnd } from '../../step-end.ts'
import { reasonOf, toReasonRecord } from './step-operations.ts'
import type { Sealing } from './state-sealing.ts'

/**
 * Converts the end of a view step to the form that is stored in the outcome of the view's owner.
 */
export function viewOutcomeOf({ step, end }: ViewEnd, sealing: Sealing): ViewOutcome {
  const { urn, type, op, effect, old, next } = step
  return {
    urn,
    type,
    op,
    effect,
    verdict: end.verdict === 'interrupted' ? 'failed' : end.verdict,
    ...(old === undefined
      ? {}
      : { old: { at: old.ref, state: sealing.seal(old.state, old.state) } }),
    ...(next === undefined ? {} : { state: sealing.seal(next, old?.state) }),
    ...(end.resultOp === undefined ? {} : { resultOp: end.resultOp }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...toReasonRecord(step.reason),
  }
}

/** Returns the end of a view step from a stored outcome. */
export function viewEndOfOutcome(outcome: ViewOutcome, sealing: Sealing): ViewEnd {
  const { urn, type, op, effect, old, verdict, resultOp, error } = outcome
  const next = outcome.state === undefined ? undefined : sealing.open(outcome.state)
  const trackedOld = old === undefined ? undefined : { ref: old.at, state: sealing.open(old.state) }
  const fields = { op, effect, urn, type, reason: reasonOf(outcome) }
  const state = verdict === 'failed' ? undefined : next
  return {
    step: createViewStep(fields, trackedOld, next),
    end: { verdict, state, resultOp, error },
  }
}

function createViewStep(
  fields: Pick<Step, 'op' | 'effect' | 'urn' | 'type' | 'reason'>,
  old: Step['old'],
  next: Step['next'],
): Step {
  if (next !== undefined) return stepOf({ ...fields, old, next })
  if (old !== undefined) return stepOf({ ...fields, old })
  throw new TypeError('the view step has neither an old nor a new state')
}
