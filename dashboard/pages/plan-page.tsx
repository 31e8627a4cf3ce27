import { useState } from 'react'
import type { ApiFailure } from '../api/api-failure.ts'
import { apiPathOf, type ProjectAndStack, type ShownApproval } from '../api/api-views.ts'
import { usePolled } from '../api/use-polled.ts'
import { useDeploymentEvents } from '../deployment/use-deployment-events.ts'
import { useClient } from '../session/client-context.ts'
import { DetailsDrawer } from '../widgets/details-drawer.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { GoneNote, isGone } from './gone-note.tsx'
import { MessageList } from './message-list.tsx'
import { OperationTable } from './operation-table.tsx'
import { PlanForecast } from './plan-forecast.tsx'
import { PlanHead } from './plan-head.tsx'
import { PropertyChangeTable } from './property-change-table.tsx'

const pollMs = 5_000

/** Shows the preview of a request: its steps, its forecast, and the decision about its plan. */
export function PlanPage(props: ProjectAndStack & { request: string }) {
  const { project, stack, request } = props
  const { client } = useClient()
  const path = `${apiPathOf({ project, stack })}/requests/${encodeURIComponent(request)}`
  const { value, failure, reload } = usePolled({
    key: path,
    intervalMs: pollMs,
    read: signal => client.read<ShownApproval>(`${path}/approval`, signal),
  })
  const { progress, connection, end } = useDeploymentEvents(path, false)
  const [openKey, setOpenKey] = useState<string>()
  const streamFailure = connection.kind === 'refused' ? connection.failure : undefined
  const goneFailure = [failure, streamFailure].find(isRequestGone)
  if (goneFailure !== undefined) return <GoneNote failure={goneFailure} subject="request" />
  // A preview that needs no approval has a page too.
  const needsNoApproval = failure?.code === 'APPROVAL_UNKNOWN'
  const openRow = progress.rows.find(({ key }) => key === openKey)
  const isEnded = end !== undefined
  return (
    <>
      <Breadcrumbs project={project} stack={stack} isStackPage={false} />
      <PlanHead {...{ project, stack, path, end }} approval={value} onChanged={reload} />
      {failure === undefined || needsNoApproval ? null : <FailureNote failure={failure} />}
      <ConnectionNote connection={connection} />
      <MessageList title="Messages and policy findings" messages={progress.messages} />
      {end?.forecast === undefined ? null : <PlanForecast forecast={end.forecast} />}
      <section className="page-section" aria-label="Steps">
        <h2>Steps</h2>
        {progress.rows.length === 0 && !isEnded ? (
          <LoadingRows label="Waiting for the preview" />
        ) : (
          <OperationTable {...{ progress, isEnded, openKey }} onOpen={setOpenKey} />
        )}
      </section>
      {openRow === undefined ? null : (
        <DetailsDrawer
          title={openRow.name}
          subtitle={openRow.type}
          onClose={() => setOpenKey(undefined)}
        >
          <p className="code wrap">{openRow.urn}</p>
          {openRow.changes.length === 0 ? (
            <p className="quiet">No input of this resource changes.</p>
          ) : (
            <PropertyChangeTable properties={openRow.changes} />
          )}
        </DetailsDrawer>
      )}
    </>
  )
}

/** Reports whether a failure means that the request or its stack does not exist. */
function isRequestGone(failure: ApiFailure | undefined): failure is ApiFailure {
  const code = failure?.code
  return isGone(failure) || code === 'REQUEST_UNKNOWN'
}
