/** Formats a duration for users: `0.3s`, `12s`, `4m05s`, `2h03m`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  // From 9.95 on, one decimal could round up to `10.0s`.
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  const wholeSeconds = Math.round(seconds)
  if (wholeSeconds < 60) return `${wholeSeconds}s`
  const minutes = Math.floor(wholeSeconds / 60)
  if (minutes < 60) return `${minutes}m${padTwoDigits(wholeSeconds % 60)}s`
  return `${Math.floor(minutes / 60)}h${padTwoDigits(minutes % 60)}m`
}

function padTwoDigits(count: number): string {
  return String(count).padStart(2, '0')
}
