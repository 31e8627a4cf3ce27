import type { Provider } from '../../providers/provider.ts'
import { isProviderType } from '../../names/provider-reference.ts'
import type { ResourceState } from '../../state/resource.ts'
import { areEqualMaps } from '../../values/equal.ts'
import { emptyMap } from '../../values/value.ts'
import type { Step } from '../step.ts'
import { type Drift, driftOf } from './drift.ts'
import { type StepEnd, successEndOf } from '../step-end.ts'
import {
  type PerformDeps,
  resolveStepProvider,
  toReadRequest,
  resourceIdentityOf,
} from './provider-call.ts'

/**
 * Compares one state with the cloud. The end has the current state, or none if the resource no
 * longer exists. `resultOp` is the kind of step that corresponds to the difference. A component, a
 * provider, or a state with a pending replacement is not read and counts as `same`. Source:
 * docs/spec/step-execution.md#refresh-step, docs/spec/provider-protocol.md#read.
 */
export async function performRefresh(step: Step, deps: PerformDeps): Promise<StepEnd> {
  const old = step.old?.state
  if (old === undefined) throw new TypeError('the refresh has no state to compare')
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement)
    return successEndOf(old, 'same')
  // A resource that the program registers is read under its current name. The fields that the
  // provider does not return come from the registration.
  const next = step.next ?? old
  const provider = await resolveStepProvider(step, deps)
  const stateToRead = { ...old, urn: next.urn, type: next.type }
  const readResult = await provider.read({ ...toReadRequest(stateToRead), ...deps.viewRequest })
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
  // As in Pulumi, if only outputs are compared, a reply without inputs counts as one with empty
  // inputs. Source: RefreshStep.Apply of pkg/resource/deploy/step.go, 3.274.1.
  const inputs = outputsOnly ? (readResult.inputs ?? emptyMap) : state.inputs
  const hasChanged = !areEqualMaps(old.inputs, inputs) || !areEqualMaps(old.outputs, state.outputs)
  const stateWithTime = hasChanged ? { ...state, modified: deps.timestamp() } : state
  if (outputsOnly) {
    const isSame = areEqualMaps(old.outputs, stateWithTime.outputs)
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
