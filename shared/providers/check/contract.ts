/**
 * check: drives a provider of either protocol through its contracts, and reports the violated ones.
 * Imports providers and below.
 *
 * Invariants: a contract is violated for one reason only. A contract whose precondition failed is
 * skipped, so that one defect does not cause a list of failures. Every object that a check creates
 * is deleted, or is named in the report.
 */

/** The protocol of a checked provider. */
export type CheckProtocol = 'pulumi' | 'terraform'

/** The result of a contract. */
export type ContractOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The provider keeps the contract in a way that is often a defect. */
  | { readonly kind: 'warning'; readonly reason: string }
  /** `requiredContract`: the contract whose success is missing. */
  | {
      readonly kind: 'skipped'
      readonly reason: string
      readonly requiredContract?: string
    }
  | { readonly kind: 'not applicable'; readonly reason: string }

/** The description of a contract, for reports and docs/provider-check.md. */
export interface ContractInfo {
  readonly id: string
  readonly title: string
  /** The documentation of the contract: a page with a section, or the call of the protocol. */
  readonly source: string
  /** A violated contract with the severity `warning` does not fail the check. */
  readonly severity: 'error' | 'warning'
  readonly protocols: readonly CheckProtocol[]
  /** The advice for the author of a provider that violates the contract. */
  readonly remedy: string
}

/**
 * A contract with the function that checks it. A thrown PreconditionError skips the contract, and
 * an error of the provider fails it.
 */
export interface Contract<Context> extends ContractInfo {
  readonly run: (context: Context) => Promise<ContractOutcome> | ContractOutcome
}

/** The outcome of a kept contract. */
export const passed: ContractOutcome = { kind: 'passed' }

/** Returns the outcome of a violated contract. */
export function fail(reason: string): ContractOutcome {
  return { kind: 'failed', reason }
}

/** Returns the outcome of a contract that is kept in a doubtful way. */
export function warn(reason: string): ContractOutcome {
  return { kind: 'warning', reason }
}

/** Returns `passed` without a reason, and a failure with one. */
export function failIf(reason: string | undefined): ContractOutcome {
  return reason === undefined ? passed : fail(reason)
}

/** Returns the outcome of a contract that does not apply to this provider or configuration. */
export function exempt(reason: string): ContractOutcome {
  return { kind: 'not applicable', reason }
}

/** Returns the outcome of a contract that could not be checked. */
export function skip(reason: string): Extract<ContractOutcome, { kind: 'skipped' }> {
  return { kind: 'skipped', reason }
}

/** The error for a contract whose precondition is the success of another contract. */
export class PreconditionError extends Error {
  readonly requiredContract: string

  constructor(contractId: string) {
    super(`it needs the success of '${contractId}'`)
    this.name = 'PreconditionError'
    this.requiredContract = contractId
  }
}

/** The providers of both protocols. */
export const bothProtocols: readonly CheckProtocol[] = ['pulumi', 'terraform']
