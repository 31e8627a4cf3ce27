import type { PropertyMap } from '../values/value.ts'

/** A view as its owner is told of it; `parentType` and `parentName`: '' below the owner itself. */
export interface View {
  readonly type: string
  readonly name: string
  readonly parentType: string
  readonly parentName: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
}

/** Where a provider says, during a call, what becomes of the views of its resource. */
export interface ViewStatusEndpoint {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** Good for this one call. */
  readonly token: string
}

/** What a call says of views: those that there are, and where to tell of others. */
export interface ViewRequest {
  readonly views?: readonly View[]
  readonly status?: ViewStatusEndpoint
}
