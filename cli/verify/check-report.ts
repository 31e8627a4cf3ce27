import { formatElapsed } from '../display/format-elapsed.ts'
import { formatTable } from '../display/table.ts'

/** The checks of `antichain platform verify`, in their order. */
export const checkNames = ['chain', 'two-stacks', 'park', 'long-call', 'webhook', 'alarm'] as const

/** The name of a check. */
export type CheckName = (typeof checkNames)[number]

/**
 * The result of a check, with one sentence about it. `not-seen`: the deployment succeeded without
 * the behavior that the check looks for. `skipped`: the check was not made.
 */
export interface CheckOutcome {
  readonly result: 'passed' | 'failed' | 'not-seen' | 'skipped'
  readonly message: string
}

/** The outcome of one check, and its duration. */
export interface CheckReport extends CheckOutcome {
  readonly name: CheckName
  readonly durationMs: number
}

/** Returns the names of the checks that failed. */
export function failedChecksOf(reports: readonly CheckReport[]): readonly CheckName[] {
  return reports.filter(({ result }) => result === 'failed').map(({ name }) => name)
}

/** Formats the reports as a table. */
export function formatReports(reports: readonly CheckReport[]): readonly string[] {
  const rows = reports.map(({ name, result, durationMs, message }) => [
    name,
    result,
    formatElapsed(durationMs),
    message,
  ])
  return formatTable(['CHECK', 'RESULT', 'TIME', 'DETAILS'], rows)
}
