import { computeMedian } from '../../shared/engine/forecast/step-durations.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { Forecast } from '../../shared/records/forecast.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { formatElapsed } from './format-elapsed.ts'

/** Minimum expected duration of a deployment whose remaining time is displayed. */
const expectedMinMs = 30_000

/**
 * Returns the expected duration of a deployment in ms. Returns undefined for a short deployment,
 * and when the duration of more than half of its calls is unknown.
 */
export function expectedMsOf(forecast: Forecast | undefined): number | undefined {
  if (forecast === undefined) return undefined
  const { estimates, wallMs, overheadMs = 0 } = forecast
  const callCount = Object.values(estimates).reduce((sum, count) => sum + count, 0)
  if ((estimates.default ?? 0) * 2 > callCount) return undefined
  const expectedMs = wallMs + overheadMs
  return expectedMs < expectedMinMs ? undefined : expectedMs
}

/** The minimum and maximum number of earlier deployments from which a duration is estimated. */
const [comparedMin, comparedMax] = [3, 5]
/** Maximum ratio between the median duration and that of a similar deployment. */
const similarRatio = 1.5

/**
 * Estimates the duration of the running deployment, which has the newest entry of `history`, in ms.
 * The estimate is the median of the last successful deployments of the same command. Returns
 * undefined if there are fewer than 3 of them, if most durations are far from the median, and for a
 * short deployment. `lastEndAt`: the end of the last operation before a resume. The time from the
 * deployment's start to this end is subtracted from the estimate.
 */
export function expectedMsOfHistory(
  history: readonly HistoryRecord[],
  { command, lastEndAt }: { readonly command: Command; readonly lastEndAt?: EpochMs | undefined },
): number | undefined {
  const durationsMs = history
    .flatMap(({ result, startedAt, endedAt, ...record }) =>
      record.command === command && result === 'succeeded' && endedAt !== undefined
        ? [endedAt - startedAt]
        : [],
    )
    .slice(0, comparedMax)
  if (durationsMs.length < comparedMin) return undefined
  const medianMs = computeMedian(durationsMs)
  const similarCount = durationsMs.filter(
    durationMs => durationMs <= medianMs * similarRatio && durationMs * similarRatio >= medianMs,
  ).length
  if (similarCount * 2 <= durationsMs.length) return undefined
  const [running] = history
  const passedMs =
    lastEndAt === undefined || running === undefined ? 0 : lastEndAt - running.startedAt
  const expectedMs = medianMs - passedMs
  return expectedMs < expectedMinMs ? undefined : expectedMs
}

/** Formats the time left, with a comma before it. Returns '' without an expected duration. */
export function formatTimeLeft(expectedMs: number | undefined, elapsedMs: number): string {
  if (expectedMs === undefined) return ''
  if (elapsedMs >= expectedMs) return `, longer than the expected ${formatElapsed(expectedMs)}`
  return `, about ${formatElapsed(roundUp(expectedMs - elapsedMs))} left`
}

/**
 * Rounds a time up to 5 s, or to 30 s above 2 minutes, so that the displayed text changes rarely.
 */
function roundUp(ms: number): number {
  const stepMs = ms > 120_000 ? 30_000 : 5000
  return Math.ceil(ms / stepMs) * stepMs
}
