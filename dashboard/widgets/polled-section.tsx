import type { ReactNode } from 'react'
import { usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'
import { FailureBoundary } from './failure-boundary.tsx'
import { FailureNote } from './failure-note.tsx'
import { LoadingRows } from './loading-rows.tsx'

/** The pause between two reads of a section in ms. */
const pollMs = 30_000

/** Shows a part of a page that one request of the API fills, with its own errors. */
export function PolledSection<Value>(props: {
  title: string
  path: string
  /** Changes after an action, so that the section is read again. */
  revision?: number
  show: (value: Value) => ReactNode
}) {
  const { title, path, revision = 0, show } = props
  const { client } = useClient()
  const { value, failure } = usePolled({
    key: path,
    revision,
    intervalMs: pollMs,
    read: signal => client.read<Value>(path, signal),
  })
  return (
    <section className="page-section" aria-label={title}>
      <h2>{title}</h2>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      {value === undefined ? (
        failure === undefined && <LoadingRows label={`Reading: ${title}`} />
      ) : (
        <FailureBoundary subject="section">
          <ShownValue {...{ value, show }} />
        </FailureBoundary>
      )}
    </section>
  )
}

/**
 * Calls `show` in a component of its own, because the boundary catches only errors of components
 * below it.
 */
function ShownValue<Value>({ value, show }: { value: Value; show: (value: Value) => ReactNode }) {
  return show(value)
}
