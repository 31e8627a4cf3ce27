import type { CheckProtocol, ContractInfo, ContractOutcome } from './contract.ts'

/** The outcome of a contract for a resource type, or for the whole provider. */
export interface ReportEntry {
  readonly contract: ContractInfo
  /** The token of the resource type. Undefined for the whole provider. */
  readonly type: string | undefined
  readonly outcome: ContractOutcome
  readonly durationMs: number
}

/** The report of a check. */
export interface ProviderReport {
  readonly provider: string
  readonly protocol: CheckProtocol
  /** The protocol and version that the provider reports. Empty if it did not start. */
  readonly description: string
  readonly entries: readonly ReportEntry[]
  readonly durationMs: number
}

/**
 * The numbers of contracts by their results. A violated contract with the severity `warning` counts
 * in `warnings`, not in `failed`.
 */
export interface CheckCounts {
  readonly passed: number
  readonly failed: number
  readonly warnings: number
  readonly skipped: number
  readonly notApplicable: number
}

/** The result of an entry in reports. */
export type EntryResult = 'passed' | 'failed' | 'warning' | 'skipped' | 'not applicable'

/** Returns the result of an entry. */
export function resultOf({ contract, outcome }: ReportEntry): EntryResult {
  return outcome.kind === 'failed' && contract.severity === 'warning' ? 'warning' : outcome.kind
}

/** Counts the entries of a report. */
export function countEntries({ entries }: ProviderReport): CheckCounts {
  const count = (result: EntryResult): number =>
    entries.filter(entry => resultOf(entry) === result).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    warnings: count('warning'),
    skipped: count('skipped'),
    notApplicable: count('not applicable'),
  }
}

/** Returns the reason of an outcome, if it has one. */
export function outcomeReasonOf(outcome: ContractOutcome): string | undefined {
  return outcome.kind === 'passed' ? undefined : outcome.reason
}

/** Formats a duration in seconds. */
export function formatSeconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)}s`
}
