import { ErrorHookRequest, ResourceHookRequest } from '../../../proto/gen/pulumi/resource.ts'
import { nameOf, typeOf } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { toWire } from '../../values/wire.ts'
import type { FailedOperation, HookMoment } from '../hooks.ts'
import { optionsOfState } from './resource-options.ts'
import { wireOptionsOf } from './transforms.ts'

/**
 * Returns the request to a hook. `acceptsBytes`: whether the hook can read strings that are not
 * UTF-8.
 */
export function toHookRequest(moment: HookMoment, acceptsBytes: boolean): ResourceHookRequest {
  const { hookType, old, next } = moment
  const encode = createValueEncoder(acceptsBytes)
  return {
    ...ResourceHookRequest.create(subjectOf(moment)),
    newInputs: encode(next?.inputs),
    oldInputs: encode(old?.inputs),
    newOutputs: hookType.startsWith('After') ? encode(next?.outputs) : undefined,
    oldOutputs: encode(old?.outputs),
    oldOptions: toHookOptions(old),
    newOptions: toHookOptions(next),
  }
}

/** Returns the request to an error hook. */
export function toErrorHookRequest(
  moment: HookMoment,
  failure: { readonly operation: FailedOperation; readonly errors: readonly string[] },
  acceptsBytes: boolean,
): ErrorHookRequest {
  const { old, next } = moment
  const encode = createValueEncoder(acceptsBytes)
  return {
    ...ErrorHookRequest.create(subjectOf(moment)),
    newInputs: encode(next?.inputs),
    oldInputs: encode(old?.inputs),
    oldOutputs: encode(old?.outputs),
    failedOperation: failure.operation,
    errors: [...failure.errors],
    oldOptions: toHookOptions(old),
    newOptions: toHookOptions(next),
  }
}

function subjectOf({ urn, next, old }: HookMoment) {
  return { urn, id: (next ?? old)?.id ?? '', name: nameOf(urn), type: typeOf(urn) }
}

function createValueEncoder(acceptsBytes: boolean) {
  return (map: PropertyMap | undefined): Record<string, unknown> | undefined =>
    map === undefined ? undefined : toWire(map, wireOptionsOf(acceptsBytes))
}

function toHookOptions(state: ResourceState | undefined) {
  return state === undefined ? undefined : optionsOfState(state)
}
