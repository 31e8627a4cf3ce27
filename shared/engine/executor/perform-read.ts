import type { Provider, ReadResult } from '../../providers/provider.ts'
import { isProviderType, unknownStringMarker } from '../../names/provider-reference.ts'
import type { ResourceState } from '../../state/resource.ts'
import { equalMaps } from '../../values/equal.ts'
import { emptyMap } from '../../values/value.ts'
import type { Step } from '../step.ts'
import { type Drift, driftOf } from './drift.ts'
import { failureEndOf, type StepEnd, successEndOf } from '../step-end.ts'
import {
  type PerformDeps,
  resolveStepProvider,
  toReadRequest,
  resourceIdentityOf,
  viewStatusOf,
} from './provider-call.ts'

/**
 * Reads a resource that the program named by id (`.get()`). Source:
 * docs/spec/step-execution.md#step-kinds, docs/spec/step-generation.md#reads.
 */
export async function performRead(step: Step, deps: PerformDeps): Promise<StepEnd> {
  const next = step.next
  if (next === undefined) throw new TypeError('a read has a state to fill')
  if (next.id === unknownStringMarker) return successEndOf({ ...next, outputs: emptyMap })
  const provider = await resolveStepProvider(step, deps)
  const readResult = await provider.read({
    ...resourceIdentityOf(next),
    id: next.id,
    inputs: next.inputs,
    outputs: next.inputs,
    timeout: next.customTimeouts.read ?? 0,
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
  const hasChanged = !equalMaps(old.inputs, state.inputs) || !equalMaps(old.outputs, state.outputs)
  return { ...state, created: old.created, modified: hasChanged ? timestamp() : old.modified }
}

/**
 * Compares one state with the cloud. The end has the current state, or none if the resource is
 * gone. `resultOp` is the resulting step. A component, a provider, or a state with a pending
 * replacement is not read and counts as `same`. Source: docs/spec/step-execution.md#refresh-step,
 * docs/spec/provider-protocol.md#read.
 */
export async function performRefresh(step: Step, deps: PerformDeps): Promise<StepEnd> {
  const old = step.old?.state
  if (old === undefined) throw new TypeError('a refresh has a state to compare')
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement)
    return successEndOf(old, 'same')
  // A resource that the program registers is read under its current name. Fields that are not read
  // come from the program.
  const next = step.next ?? old
  const provider = await resolveStepProvider(step, deps)
  const subject = { ...old, urn: next.urn, type: next.type }
  const readResult = await provider.read({ ...toReadRequest(subject), ...deps.viewRequest })
  if (readResult.initErrors.length > 0) {
    const reasons = readResult.initErrors.map(reason => `\n* ${reason}`).join('')
    deps.warn(`Refreshed resource is in an unhealthy state:${reasons}`)
  }
  if (readResult.id === '' || readResult.outputs === undefined)
    return successEndOf(undefined, 'delete')
  const state: ResourceState = {
    ...next,
    id: readResult.id,
    inputs: readResult.inputs ?? old.inputs,
    outputs: readResult.outputs,
    refreshBeforeUpdate: readResult.refreshBeforeUpdate,
    initErrors: readResult.initErrors,
  }
  const outputsOnly = old.external || step.outputsOnly === true
  const inputs = outputsOnly ? (readResult.inputs ?? emptyMap) : state.inputs
  const hasChanged = !equalMaps(old.inputs, inputs) || !equalMaps(old.outputs, state.outputs)
  const stateWithTime = hasChanged ? { ...state, modified: deps.timestamp() } : state
  if (outputsOnly) {
    const isSame = equalMaps(old.outputs, stateWithTime.outputs)
    return successEndOf(stateWithTime, isSame ? 'same' : 'update')
  }
  const { hasDrifted, reason } = await detectDrift(old, stateWithTime, provider)
  return { ...successEndOf(stateWithTime, hasDrifted ? 'update' : 'same'), reason }
}

/** Compares the program's inputs with the read state, as an update would. */
async function detectDrift(
  old: ResourceState,
  actual: ResourceState,
  provider: Provider,
): Promise<Drift> {
  const diff = await provider.diff({
    ...resourceIdentityOf(actual),
    id: actual.id,
    oldInputs: actual.inputs,
    oldOutputs: actual.outputs,
    newInputs: old.inputs,
    ignoreChanges: old.ignoreChanges,
    allowUnknowns: false,
  })
  return driftOf(diff, { actual: actual.inputs, programInputs: old.inputs })
}
