import { encodeResource } from '../../state/resource-codec.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { StoredResource } from '../../state/stored.ts'
import { maskSecretsInMap, maskSecrets } from '../../values/special-values.ts'

/**
 * Both states of a step as a preview digest prints them: all fields in stored form, with every
 * secret shown as `[secret]`.
 */
export interface PreviewDigestStates {
  readonly old: StoredResource | undefined
  readonly new: StoredResource | undefined
}

/** Returns the stored form of a state, with every secret shown as `[secret]`. */
export function toMaskedResource(state: ResourceState): StoredResource {
  const maskedState = {
    ...state,
    inputs: maskSecretsInMap(state.inputs),
    outputs: maskSecretsInMap(state.outputs),
    replacementTrigger: maskSecrets(state.replacementTrigger),
  }
  return encodeResource(maskedState, () => {
    throw new TypeError('the state still contains a secret after masking')
  })
}
