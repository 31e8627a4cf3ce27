import { createError } from '../../errors/error.ts'

const secondsByUnit: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
}

/**
 * Returns the seconds of a duration in Go's syntax, which programs use (`1h30m`, `1.5s`). Returns 0
 * for '' and `0`. Throws RESOURCE_INVALID for a text that is not a duration.
 */
export function parseDuration(text: string): number {
  if (text === '' || text === '0') return 0
  let seconds = 0
  let position = 0
  for (const match of text.matchAll(/([0-9]*\.?[0-9]+)(ns|us|µs|ms|s|m|h)/g)) {
    if (match.index !== position) break
    seconds += Number(match[1]) * (secondsByUnit[match[2] ?? ''] ?? 0)
    position += match[0].length
  }
  if (position !== text.length)
    throw createError('RESOURCE_INVALID', `'${text}' is not a duration such as '1h30m'`)
  return seconds
}

/**
 * Formats seconds as a duration in Go's syntax, which programs use: `1h30m0s`, `1.5s`, `20ms`.
 * Returns '' for 0.
 */
export function formatDuration(seconds: number): string {
  if (seconds === 0) return ''
  const ms = seconds * 1000
  if (ms < 1) return `${roundDigits(ms * 1000)}µs`
  if (seconds < 1) return `${roundDigits(ms)}ms`
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  const secondsText = `${roundDigits(seconds % 60)}s`
  if (hours > 0) return `${hours}h${minutes}m${secondsText}`
  return minutes > 0 ? `${minutes}m${secondsText}` : secondsText
}

/** Rounds a number to remove digits that come only from its binary representation. */
function roundDigits(value: number): number {
  return Number(value.toFixed(9))
}
