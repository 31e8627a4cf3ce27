import type { PropertyMap } from '../values/value.ts'

/**
 * A view in a request to a provider. A view is a part of a resource (its owner) that the provider
 * shows as a resource of its own. `parentType` and `parentName` are empty for a view directly below
 * the owner.
 */
export interface View {
  readonly type: string
  readonly name: string
  readonly parentType: string
  readonly parentName: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
}

/** The address where a provider reports changes to its resource's views during a call. */
export interface ViewStatusEndpoint {
  /** The address, such as `127.0.0.1:<port>`. */
  readonly address: string
  /** The token of this call, which is valid for no other call. */
  readonly token: string
}

/** The view parts of a call: the existing views, and the address for reports. */
export interface ViewRequest {
  readonly views?: readonly View[]
  readonly status?: ViewStatusEndpoint
}
