/** A decoder under test. The target also checks the laws of its results. */
export interface FuzzTarget {
  /**
   * Decodes an input, and checks the result. To refuse the input, throws a `DeployError` without an
   * `INTERNAL_` code, or an error that `isRefusal` accepts. Any other error is a defect.
   */
  readonly decode: (input: Uint8Array) => unknown
  /** Reports whether an error that is no `DeployError` refuses the input. */
  readonly isRefusal?: (thrown: unknown) => boolean
  /** Releases the resources of the target. */
  readonly close?: () => Promise<void>
}

/** Throws an error for a broken law, which the runner reports as a defect. */
export function requireLaw(holds: boolean, law: string): void {
  if (!holds) throw new Error(`broken law: ${law}`)
}
