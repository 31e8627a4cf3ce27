import { usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'

/** A schedule of a stack, as far as the page shows it. */
interface ShownSchedule {
  readonly name: string
  readonly value: {
    readonly when: string
    readonly zone: string
    readonly operation: { readonly kind: string; readonly remediate?: boolean }
    readonly isPaused: boolean
    readonly removesStack?: boolean
  }
}

const pollMs = 30_000

/** Shows the schedules of a stack. */
export function StackSchedules({ path }: { path: string }) {
  const { client } = useClient()
  const { value, failure } = usePolled({
    key: path,
    intervalMs: pollMs,
    read: signal =>
      client.read<{ readonly items: readonly ShownSchedule[] }>(`${path}/schedules`, signal),
  })
  if (failure !== undefined) return <FailureNote failure={failure} />
  if (value === undefined) return <LoadingRows label="Reading schedules" />
  if (value.items.length === 0)
    return (
      <EmptyNote title="This stack has no schedules">
        Create one with <code>antichain schedule create nightly --when &apos;0 3 * * *&apos;</code>.
      </EmptyNote>
    )
  return (
    <ul className="card schedule-list">
      {value.items.map(({ name, value: { when, zone, operation, isPaused, removesStack } }) => (
        <li key={name}>
          <b>{name}</b>
          <span>
            {operationTextOf(operation)}
            {removesStack === true && ', and remove the stack'}
          </span>
          <span className="code">{when}</span>
          <span className="quiet">{zone}</span>
          <StatusLabel
            status={isPaused ? { text: 'paused', tone: 'quiet' } : { text: 'active', tone: 'good' }}
          />
        </li>
      ))}
    </ul>
  )
}

function operationTextOf({ kind, remediate }: ShownSchedule['value']['operation']): string {
  if (kind !== 'refresh') return kind === 'up' ? 'update' : kind
  return remediate === true ? 'detect drift, and remove it' : 'detect drift'
}
