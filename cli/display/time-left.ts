import type { Forecast } from '../../shared/records/forecast.ts'
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
