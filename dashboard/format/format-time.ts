const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Returns a duration as text, such as `0.4 s`, `12 s`, `3 min 05 s` or `2 h 04 min`. Pure. */
export function formatSpan(ms: number): string {
  // From 9,950 ms on, one decimal would show `10.0 s`.
  if (ms < 9_950) return `${(Math.max(0, ms) / secondMs).toFixed(1)} s`
  const seconds = Math.round(ms / secondMs)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${padTwo(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${padTwo(minutes % 60)} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** Returns the distance of an earlier time from now as text, such as `5 min ago`. Pure. */
export function formatAge(timeMs: number, nowMs: number): string {
  const ageMs = nowMs - timeMs
  if (ageMs < 5 * secondMs) return 'just now'
  if (ageMs < minuteMs) return `${Math.floor(ageMs / secondMs)} s ago`
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min ago`
  if (ageMs < dayMs) return `${Math.floor(ageMs / hourMs)} h ago`
  if (ageMs < 60 * dayMs) return countDays(Math.floor(ageMs / dayMs))
  return new Date(timeMs).toISOString().slice(0, 10)
}

function countDays(days: number): string {
  return days === 1 ? 'yesterday' : `${days} days ago`
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0')
}
