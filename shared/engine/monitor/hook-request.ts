import { ErrorHookRequest, ResourceHookRequest } from '../../../proto/gen/pulumi/resource.ts'
import { nameOf, typeOf } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { toWire } from '../../values/wire.ts'
import type { FailedOperation, HookMoment } from '../hooks.ts'
import { optionsOfState } from './resource-options.ts'
import { wireOptionsOf } from './transforms.ts'

/** Returns the request to a hook. `bytes`: whether it can read strings that are not UTF-8. */
export function toHookRequest(moment: HookMoment, bytes: boolean): ResourceHookRequest {
  const { hook, old, next } = moment
  const values = createValueEncoder(bytes)
  return {
    ...ResourceHookRequest.create(subjectOf(moment)),
    newInputs: values(next?.inputs),
    oldInputs: values(old?.inputs),
    newOutputs: hook.startsWith('After') ? values(next?.outputs) : undefined,
    oldOutputs: values(old?.outputs),
    oldOptions: toHookOptions(old),
    newOptions: toHookOptions(next),
  }
}

/** Returns the request to an error hook. */
export function toErrorHookRequest(
  moment: HookMoment,
  failed: { readonly operation: FailedOperation; readonly errors: readonly string[] },
  bytes: boolean,
): ErrorHookRequest {
  const { old, next } = moment
  const values = createValueEncoder(bytes)
  return {
    ...ErrorHookRequest.create(subjectOf(moment)),
    newInputs: values(next?.inputs),
    oldInputs: values(old?.inputs),
    oldOutputs: values(old?.outputs),
    failedOperation: failed.operation,
    errors: [...failed.errors],
    oldOptions: toHookOptions(old),
    newOptions: toHookOptions(next),
  }
}

function subjectOf({ urn, next, old }: HookMoment) {
  return { urn, id: (next ?? old)?.id ?? '', name: nameOf(urn), type: typeOf(urn) }
}

function createValueEncoder(bytes: boolean) {
  return (map: PropertyMap | undefined): Record<string, unknown> | undefined =>
    map === undefined ? undefined : toWire(map, wireOptionsOf(bytes))
}

function toHookOptions(state: ResourceState | undefined) {
  return state === undefined ? undefined : optionsOfState(state)
}
