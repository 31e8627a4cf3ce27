import type { StreamConnection } from '../api/follow-events.ts'
import { FailureNote } from '../widgets/failure-note.tsx'

/** Shows that the events of a deployment do not arrive, and whether the page tries again. */
export function ConnectionNote({ connection }: { connection: StreamConnection }) {
  switch (connection.kind) {
    case 'refused':
      return <FailureNote failure={connection.failure} title="The events cannot be read" />
    case 'broken':
      return (
        <div role="alert" className="note note-warn">
          <p className="note-title">The connection is interrupted</p>
          <p>
            The page shows the deployment as it was then, and reconnects by itself. The deployment
            does not depend on this page.
          </p>
          <p className="note-code">{connection.failure.code}</p>
        </div>
      )
    default:
      return null
  }
}
