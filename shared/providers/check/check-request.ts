import type { PropertyMap } from '../../values/value.ts'
import type { ProviderContext } from './check-context.ts'
import type { CheckProtocol, ContractInfo, ContractOutcome } from './contract.ts'
import type { ProviderOpener } from './opened-provider.ts'

/** The configurations of a check. */
export interface CheckConfig {
  readonly provider: PropertyMap
  /**
   * The configurations of each type. An object is created with the first one, and updated to the
   * others.
   */
  readonly types: ReadonlyMap<string, readonly PropertyMap[]>
}

/** A check to run. */
export interface ProviderCheckRequest {
  /** The name of the provider in the report. */
  readonly name: string
  readonly protocol: CheckProtocol
  readonly open: ProviderOpener
  readonly config: CheckConfig
  /** The tokens of the checked types. Empty: those with a configuration, or else all. */
  readonly typeTokens: readonly string[]
  /** A text that makes the sample inputs of this check unique. */
  readonly label: string
  /** The time that the provider gets for each call. */
  readonly callTimeoutMs: number
  /** Whether the user interrupted the check. Then only the clean-up is left. */
  readonly isInterrupted: () => boolean
  /** Returns a time in milliseconds that never decreases. */
  readonly nowMs: () => number
}

/** A running check: its provider, and the function that adds to its report. */
export interface ProviderCheckRun {
  readonly request: ProviderCheckRequest
  readonly context: ProviderContext
  /**
   * Runs a function as a contract, and adds the outcome to the report. A crashed provider is
   * started again first. With `runsAlways`, the contract also runs after an interruption. The
   * secrets of `listSecretSources` are redacted in the outcome.
   */
  readonly record: (
    contract: ContractInfo,
    run: () => Promise<ContractOutcome> | ContractOutcome,
    options?: {
      readonly type?: string
      readonly runsAlways?: boolean
      readonly listSecretSources?: () => readonly PropertyMap[]
    },
  ) => Promise<ContractOutcome>
}
