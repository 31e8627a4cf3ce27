import { formatAge } from '../format/format-time.ts'

/** Shows a time as its distance from now. The exact local time is its title. */
export function AgeText({ timeMs, nowMs }: { timeMs: number; nowMs: number }) {
  const date = new Date(timeMs)
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {formatAge(timeMs, nowMs)}
    </time>
  )
}
