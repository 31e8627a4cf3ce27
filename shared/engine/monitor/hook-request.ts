import { ErrorHookRequest, ResourceHookRequest } from '../../../proto/gen/pulumi/resource.ts'
import { nameOf, typeOf } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { HookedOperationKind, HookCall } from '../hooks.ts'
import { optionsOfState } from './resource-options.ts'
import { wireOptionsOf } from './transforms.ts'

/**
 * Returns the request to a hook. `acceptsBytes`: whether the hook can read strings that are not
 * UTF-8.
 */
export function toHookRequest(hookCall: HookCall, acceptsBytes: boolean): ResourceHookRequest {
  const { hookType, old, next } = hookCall
  const encode = createValueEncoder(acceptsBytes)
  return {
    ...ResourceHookRequest.create(hookedResourceOf(hookCall)),
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
  hookCall: HookCall,
  failure: { readonly operation: HookedOperationKind; readonly errors: readonly string[] },
  acceptsBytes: boolean,
): ErrorHookRequest {
  const { old, next } = hookCall
  const encode = createValueEncoder(acceptsBytes)
  return {
    ...ErrorHookRequest.create(hookedResourceOf(hookCall)),
    newInputs: encode(next?.inputs),
    oldInputs: encode(old?.inputs),
    oldOutputs: encode(old?.outputs),
    failedOperation: failure.operation,
    errors: [...failure.errors],
    oldOptions: toHookOptions(old),
    newOptions: toHookOptions(next),
  }
}

function hookedResourceOf({ urn, next, old }: HookCall) {
  return { urn, id: (next ?? old)?.id ?? '', name: nameOf(urn), type: typeOf(urn) }
}

function createValueEncoder(acceptsBytes: boolean) {
  return (map: PropertyMap | undefined): Record<string, unknown> | undefined =>
    map === undefined ? undefined : encodeWire(map, wireOptionsOf(acceptsBytes))
}

function toHookOptions(state: ResourceState | undefined) {
  return state === undefined ? undefined : optionsOfState(state)
}
