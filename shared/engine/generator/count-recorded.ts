import type { OperationId } from '../../records/ids.ts'
import { isUnsent } from '../../records/operation.ts'
import type { Base } from '../deployment/base.ts'
import { isWhole } from '../deployment/chain-run.ts'
import { replaceStepOf } from '../events/replaces.ts'
import type { RecordedEnd } from '../deployment/end-watcher.ts'
import { stepOfOperation } from '../deployment/operations.ts'
import { stepEndOf } from '../deployment/recorded-end.ts'
import { lastTry, type Recorded, type RecordedDecision } from '../deployment/recorded.ts'
import type { Sealing } from '../deployment/sealing.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { stepOf } from '../step.ts'
import { type EndedStep, succeeded } from '../step-end.ts'
import { sameViews } from './same-views.ts'

/** What counting needs. `before`: every end that stood when this life began. */
export interface CountDeps {
  readonly recorded: Recorded
  readonly before: ReadonlyMap<OperationId, RecordedEnd>
  readonly sealing: Sealing
  readonly emitter: Pick<StepEmitter, 'count'>
}

/**
 * Counts, without telling of them again, what earlier lives came to with a program that ended: it
 * does not run again, and the summary is of the whole deployment. What neither was decided about
 * nor is deleted the program wanted as it was, of which there is no record.
 */
export function countRecorded(deps: CountDeps, base: Base): void {
  const { recorded, emitter } = deps
  const planned = [...(recorded.plan('deletes') ?? []), ...(recorded.plan('refresh') ?? [])]
  const touched = new Set(planned.map(({ urn }) => urn))
  for (const decision of recorded.decisions) {
    for (const [old] of decision.sets.aliased ?? []) touched.add(old)
    touched.add(decision.kind === 'registration' ? decision.urn : decision.operation.urn)
    const ended = endedOf(deps, decision, base)
    for (const { step, end } of ended) {
      emitter.count(step, end)
      if (step.op !== 'same' || step.old === undefined) continue
      for (const view of sameViews(base, step.old.state)) emitter.count(view, succeeded(view.next))
    }
    const length =
      decision.kind === 'registration'
        ? decision.operations.filter(one => !isUnsent(one)).length
        : 1
    if (!isWhole(ended, length)) continue
    for (const { step } of ended) {
      const replace = replaceStepOf(step)
      if (replace !== undefined) emitter.count(replace, succeeded(replace.next))
    }
  }
  for (const [index, state] of base.snapshot.resources.entries()) {
    if (state.delete || touched.has(state.urn)) continue
    if (state.viewOf !== '' && touched.has(state.viewOf)) continue
    const step = stepOf({ op: 'same', effect: 'none', old: base.tracked(index), next: state })
    emitter.count(step, succeeded(state))
  }
}

function endedOf(
  { before, sealing, recorded: all }: CountDeps,
  decision: RecordedDecision,
  base: Base,
): readonly EndedStep[] {
  const open = { base, sealing, made: () => undefined }
  if (decision.kind === 'settled') {
    const { operation, state } = decision
    const next = state === undefined ? undefined : sealing.open(state)
    const step = { ...stepOfOperation(operation, open), next }
    return [{ step, end: succeeded(next), tracked: undefined }]
  }
  return decision.operations.flatMap(operation => {
    const recorded = before.get(lastTry(all, operation.id))
    if (recorded === undefined || isUnsent(operation)) return []
    const end = stepEndOf(recorded, sealing)
    return [{ step: stepOfOperation(operation, open), end, tracked: undefined }]
  })
}
