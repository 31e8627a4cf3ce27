/** A time as `0.4s`, `12s` or `1m05s`. */
export function shortTime(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000
  return seconds < 10 ? `${seconds.toFixed(1)}s` : longTime(seconds)
}

/** A time as `12s`, `1m05s` or `2h03m05s`. */
export function longTime(seconds: number): string {
  const whole = Math.round(seconds)
  const rest = String(whole % 60).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}m${rest}s`
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m${rest}s`
}
