import type { RunningDeployment } from '../../shared/engine/request.ts'
import type { CatalogPort } from '../../shared/ports/catalog.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { expectedMsOfHistory } from '../display/time-left.ts'

/**
 * Time from the start of a deployment to the read of the history, in ms. For a shorter deployment,
 * the history is not read.
 */
const readDelayMs = 2_000
/** Maximum number of entries of the history that are read. */
const entriesMax = 20

/** The expected duration of a deployment without a preview, from the history of its stack. */
export interface HistoryEstimate {
  /** Returns the expected duration in ms. Undefined for an unknown or short duration. */
  readonly readExpectedMs: () => number | undefined
  /** Starts to estimate a running deployment. Returns the function that ends the estimate. */
  readonly startEstimate: (deployment: Pick<RunningDeployment, 'lastEndAt'>) => () => void
}

/**
 * Creates an estimate that reads the history once, after the deployment has run for 2 s. A failed
 * read leaves the duration unknown, because an estimate must not end a deployment.
 */
export function createHistoryEstimate(
  catalog: Pick<CatalogPort, 'listHistory'>,
  stack: StackId,
  command: Command,
): HistoryEstimate {
  let expectedMs: number | undefined
  return {
    readExpectedMs: () => expectedMs,
    startEstimate({ lastEndAt }) {
      const timer = setTimeout(() => {
        catalog.listHistory(stack, entriesMax).then(
          history => {
            expectedMs = expectedMsOfHistory(history, { command, lastEndAt })
          },
          () => undefined,
        )
      }, readDelayMs)
      timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
