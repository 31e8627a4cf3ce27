import { DeployError, messageOf } from '../../shared/errors/error.ts'
import type { CheckName, CheckOutcome, CheckReport } from './check-report.ts'
import { formatElapsed } from '../display/format-elapsed.ts'

/** The checks by their names. A check throws when it fails. */
export type VerificationChecks = Readonly<Record<CheckName, () => Promise<CheckOutcome>>>

/** The options of a run of checks. */
export interface CheckRunOptions {
  readonly names: readonly CheckName[]
  /** Aborts when the user interrupts the verification. The remaining checks are then skipped. */
  readonly signal: AbortSignal
  /** Removes the stacks of a check. Returns a sentence for each stack that remains. */
  readonly cleanUp: () => Promise<readonly string[]>
  /** Prints a line about the progress. */
  readonly report: (line: string) => void
}

/** The reports of a run, and a sentence for each stack that the clean-up could not remove. */
export interface CheckRun {
  readonly reports: readonly CheckReport[]
  readonly remainders: readonly string[]
}

/** Runs checks one after the other, and cleans up after each. A failure does not end the run. */
export async function runVerification(
  checks: VerificationChecks,
  options: CheckRunOptions,
): Promise<CheckRun> {
  const { names, signal, cleanUp, report } = options
  const reports: CheckReport[] = []
  const remainders: string[] = []
  for (const name of names) {
    if (signal.aborted) {
      reports.push({ name, durationMs: 0, ...interruptedOutcome })
      continue
    }
    report(`Checking ${name}.`)
    const startMs = performance.now()
    const outcome = await checks[name]().catch((thrown: unknown) =>
      signal.aborted ? interruptedOutcome : failedOutcomeOf(thrown),
    )
    const durationMs = Math.round(performance.now() - startMs)
    reports.push({ name, durationMs, ...outcome })
    report(`${name}: ${outcome.result} after ${formatElapsed(durationMs)}. ${outcome.message}`)
    remainders.push(...(await cleanUp()))
  }
  return { reports, remainders }
}

const interruptedOutcome: CheckOutcome = {
  result: 'skipped',
  message: 'Not checked: the verification was interrupted.',
}

function failedOutcomeOf(thrown: unknown): CheckOutcome {
  const code = thrown instanceof DeployError ? `[${thrown.code}] ` : ''
  return { result: 'failed', message: `${code}${messageOf(thrown)}` }
}
