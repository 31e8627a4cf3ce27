import { encodeResource } from '../../state/resource-codec.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { StoredResource } from '../../state/stored.ts'
import { maskSecretsInMap, maskSecrets } from '../../values/walk.ts'

/** Both states of a step as files hold them, with every secret shown as `[secret]`. */
export interface WholeStates {
  readonly old: StoredResource | undefined
  readonly new: StoredResource | undefined
}

/** A state as a digest prints it: whole, in the stored form, without any secret. */
export function toShownResource(state: ResourceState): StoredResource {
  const blind = {
    ...state,
    inputs: maskSecretsInMap(state.inputs),
    outputs: maskSecretsInMap(state.outputs),
    replacementTrigger: maskSecrets(state.replacementTrigger),
  }
  return encodeResource(blind, () => {
    throw new TypeError('secrets were taken out before')
  })
}
