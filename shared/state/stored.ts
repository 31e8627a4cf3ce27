import type { Json } from '../values/json.ts'

export type { Json } from '../values/json.ts'

/**
 * A resource in its JSON form, with encrypted secrets. Its fields have the order of
 * docs/spec/state-format.md#fields-of-a-resource.
 */
export interface StoredResource {
  readonly urn: string
  readonly custom: boolean
  readonly type: string
  readonly [field: string]: Json
}

/** A pending operation in its JSON form. */
export interface StoredOperation {
  readonly resource: StoredResource
  readonly type: string
  /**
   * The attempt of a pending create. A late outcome of the attempt is recognized by this field.
   * Exports do not contain this field.
   */
  readonly origin?: {
    readonly deployment: string
    readonly operation: number
    readonly attempt: number
  }
}

/**
 * Key in a deployment in memory, for the fields of its envelope that this version of Antichain does
 * not know. JSON does not contain the key: `envelopeOf` moves the fields back into the envelope.
 */
export const envelopeFieldsKey: unique symbol = Symbol('fields of the envelope')

/** The field `deployment` of an export (docs/spec/state-format.md#fields-of-a-deployment). */
export interface StoredDeployment {
  readonly manifest: { readonly time: string; readonly magic: string; readonly version: string }
  readonly secrets_providers?: { readonly type: string; readonly state?: Json }
  readonly resources?: readonly StoredResource[]
  readonly pending_operations?: readonly StoredOperation[]
  readonly metadata: { readonly [field: string]: Json }
  /**
   * Pieces of code that only Pulumi Cloud creates. A resource names its snippet in `snippetID`. The
   * snippets are kept in the state, but are not run.
   */
  readonly snippets?: readonly Json[]
  readonly extensions?: { readonly [ref: string]: Json }
  readonly [envelopeFieldsKey]?: { readonly [field: string]: Json }
}

/**
 * The envelope that `stack export` prints and `stack import` reads
 * (docs/spec/state-format.md#envelope).
 */
export interface StoredEnvelope {
  readonly version: number
  readonly features?: readonly string[]
  readonly deployment: StoredDeployment | null
}
