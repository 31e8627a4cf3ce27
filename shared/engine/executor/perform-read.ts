import type { Provider, ReadResult } from '../../providers/provider.ts'
import { isProviderType, unknownText } from '../../names/provider-reference.ts'
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
  subjectOf,
  viewStatusOf,
} from './provider-call.ts'

/**
 * Reads a resource that the program named by id (`.get()`). Source:
 * docs/spec/step-execution.md#step-kinds, docs/spec/step-generation.md#reads.
 */
export async function performRead(step: Step, deps: PerformDeps): Promise<StepEnd> {
  const next = step.next
  if (next === undefined) throw new TypeError('a read has a state to fill')
  if (next.id === unknownText) return successEndOf({ ...next, outputs: emptyMap })
  const provider = await resolveStepProvider(step, deps)
  const read = await provider.read({
    ...subjectOf(next),
    id: next.id,
    inputs: next.inputs,
    outputs: next.inputs,
    timeout: next.customTimeouts.read ?? 0,
    ...viewStatusOf(deps),
  })
  if (read.outputs === undefined)
    return failureEndOf({ message: `resource '${next.id}' does not exist`, status: 'ok' })
  const state = toReadState(step, next, read, deps.timestamp)
  if (read.initErrors.length === 0) return successEndOf(state)
  const error = { message: read.initErrors.join('\n'), status: 'partial' as const }
  return {
    verdict: 'partial',
    state: { ...state, initErrors: read.initErrors },
    resultOp: undefined,
    error,
  }
}

function toReadState(
  step: Step,
  next: ResourceState,
  read: ReadResult,
  now: () => string,
): ResourceState {
  const old = step.old?.state
  const state: ResourceState = {
    ...next,
    id: read.id === '' ? next.id : read.id,
    outputs: read.outputs ?? emptyMap,
  }
  if (old === undefined) return state
  const isMoved = !equalMaps(old.inputs, state.inputs) || !equalMaps(old.outputs, state.outputs)
  return { ...state, created: old.created, modified: isMoved ? now() : old.modified }
}

/**
 * Compares one state with the cloud. The end's state is the current one, undefined when the
 * resource is gone. `resultOp` is the resulting step. Source:
 * docs/spec/step-execution.md#refresh-step, docs/spec/provider-protocol.md#read.
 */
export async function performRefresh(step: Step, deps: PerformDeps): Promise<StepEnd> {
  const old = step.old?.state
  if (old === undefined) throw new TypeError('a refresh has a state to compare')
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement)
    return successEndOf(old, 'same')
  // A resource that the program registers is read under its current name. Its other fields come
  // from the program.
  const next = step.next ?? old
  const provider = await resolveStepProvider(step, deps)
  const subject = { ...old, urn: next.urn, type: next.type }
  const read = await provider.read({ ...toReadRequest(subject), ...deps.viewing })
  if (read.initErrors.length > 0) {
    const reasons = read.initErrors.map(reason => `\n* ${reason}`).join('')
    deps.warn(`Refreshed resource is in an unhealthy state:${reasons}`)
  }
  if (read.id === '' || read.outputs === undefined) return successEndOf(undefined, 'delete')
  const state: ResourceState = {
    ...next,
    id: read.id,
    inputs: read.inputs ?? old.inputs,
    outputs: read.outputs,
    refreshBeforeUpdate: read.refreshBeforeUpdate,
    initErrors: read.initErrors,
  }
  const outputsOnly = old.external || step.outputsOnly === true
  const inputs = outputsOnly ? (read.inputs ?? emptyMap) : state.inputs
  const moved = !equalMaps(old.inputs, inputs) || !equalMaps(old.outputs, state.outputs)
  const dated = moved ? { ...state, modified: deps.timestamp() } : state
  if (outputsOnly) {
    const isSame = equalMaps(old.outputs, dated.outputs)
    return successEndOf(dated, isSame ? 'same' : 'update')
  }
  const { hasDrifted, reason } = await detectDrift(old, dated, provider)
  return { ...successEndOf(dated, hasDrifted ? 'update' : 'same'), reason }
}

/** Compares the program's inputs with the read state, as an update would. */
async function detectDrift(
  old: ResourceState,
  now: ResourceState,
  provider: Provider,
): Promise<Drift> {
  const diff = await provider.diff({
    ...subjectOf(now),
    id: now.id,
    oldInputs: now.inputs,
    oldOutputs: now.outputs,
    newInputs: old.inputs,
    ignoreChanges: old.ignoreChanges,
    allowUnknowns: false,
  })
  return driftOf(diff, { now: now.inputs, wanted: old.inputs })
}
