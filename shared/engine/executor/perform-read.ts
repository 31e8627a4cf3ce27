import type { ReadResult } from '../../providers/provider.ts'
import { unknownStringMarker } from '../../names/provider-reference.ts'
import type { ResourceState } from '../../state/resource.ts'
import { areEqualMaps } from '../../values/equal.ts'
import { emptyMap } from '../../values/value.ts'
import type { Step } from '../step.ts'
import { failureEndOf, type StepEnd, successEndOf } from '../step-end.ts'
import {
  type PerformDeps,
  resolveStepProvider,
  resourceIdentityOf,
  viewStatusOf,
} from './provider-call.ts'

/**
 * Reads a resource that the program named by id (`.get()`). A preview does not read a resource with
 * an unknown id. Source: docs/spec/step-execution.md#step-kinds,
 * docs/spec/step-generation.md#reads.
 */
export async function performRead(step: Step, deps: PerformDeps): Promise<StepEnd> {
  const next = step.next
  if (next === undefined) throw new TypeError('the read has no state to fill')
  if (next.id === unknownStringMarker) return successEndOf({ ...next, outputs: emptyMap })
  const provider = await resolveStepProvider(step, deps)
  const readResult = await provider.read({
    ...resourceIdentityOf(next),
    id: next.id,
    inputs: next.inputs,
    // The properties that the program passed also count as the state.
    outputs: next.inputs,
    timeoutSeconds: next.customTimeouts.read ?? 0,
    ...viewStatusOf(deps),
  })
  if (readResult.outputs === undefined)
    return failureEndOf({ message: `resource '${next.id}' does not exist`, status: 'ok' })
  const state = toReadState(step, next, readResult, deps.timestamp)
  if (readResult.initErrors.length === 0) return successEndOf(state)
  const error = { message: readResult.initErrors.join('\n'), status: 'partial' as const }
  return {
    verdict: 'partial',
    state: { ...state, initErrors: readResult.initErrors },
    resultOp: undefined,
    error,
  }
}

function toReadState(
  step: Step,
  next: ResourceState,
  readResult: ReadResult,
  timestamp: () => string,
): ResourceState {
  const old = step.old?.state
  const state: ResourceState = {
    ...next,
    id: readResult.id === '' ? next.id : readResult.id,
    outputs: readResult.outputs ?? emptyMap,
  }
  if (old === undefined) return state
  const hasChanged =
    !areEqualMaps(old.inputs, state.inputs) || !areEqualMaps(old.outputs, state.outputs)
  return { ...state, created: old.created, modified: hasChanged ? timestamp() : old.modified }
}
