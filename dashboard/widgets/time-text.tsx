import type { ShownDeployment } from '../api/api-views.ts'
import { formatAge, formatSpan } from '../format/format-time.ts'

/** Shows a time as its distance from now. The exact local time is its title. */
export function AgeText({ timeMs, nowMs }: { timeMs: number; nowMs: number }) {
  const date = new Date(timeMs)
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {formatAge(timeMs, nowMs)}
    </time>
  )
}

/** Shows when a deployment started and how long it took, or since when it runs. */
export function RunTimeText(props: {
  deployment: Pick<ShownDeployment, 'startedAt' | 'endedAt'>
  nowMs: number
}) {
  const { deployment, nowMs } = props
  const { startedAt, endedAt } = deployment
  if (endedAt === undefined)
    return (
      <time
        dateTime={new Date(startedAt).toISOString()}
        title={new Date(startedAt).toLocaleString()}
      >
        for {formatSpan(nowMs - startedAt)}
      </time>
    )
  return (
    <>
      <AgeText timeMs={startedAt} nowMs={nowMs} />
      <span className="quiet"> · {formatSpan(endedAt - startedAt)}</span>
    </>
  )
}
