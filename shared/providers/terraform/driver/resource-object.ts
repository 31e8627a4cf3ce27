import type { CtyPath } from '../values/cty-path.ts'
import type { CtyValue } from '../values/cty-value.ts'

/** A resource as its provider knows it. */
export interface ResourceObject {
  /** A known object of the implied type of the resource's schema. */
  readonly value: CtyValue
  /** Data that only the provider interprets. */
  readonly private: Uint8Array
  /** Undefined for types without identity, and for objects that have none yet. */
  readonly identity: CtyValue | undefined
  /** Whether the creation of the object failed. The next deployment replaces it. */
  readonly isTainted: boolean
  /** The parts that are secret, by the schema or by the program. */
  readonly sensitivePaths: readonly CtyPath[]
}

/** The private data of a new object. */
export const noPrivateData = new Uint8Array()
