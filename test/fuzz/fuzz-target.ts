/** A decoder under test, with the laws of its results. */
export interface FuzzTarget {
  /**
   * Decodes an input. Returns when the value is correct. Throws a `DeployError` for a refused
   * input, and any other error for a defect.
   */
  readonly decode: (input: Uint8Array) => unknown
  /** Reports whether an error is of the documented class of the decoder's layer. */
  readonly isRefusal?: (thrown: unknown) => boolean
  /** Releases the resources of the target. */
  readonly close?: () => Promise<void>
}

/** Throws an error for a broken law, which the runner reports as a defect. */
export function requireLaw(holds: boolean, law: string): void {
  if (!holds) throw new Error(`broken law: ${law}`)
}
