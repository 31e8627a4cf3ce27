import { useState } from 'react'
import { Button } from 'react-aria-components'
import type { ProjectAndStack } from '../api/api-views.ts'
import { usePolled } from '../api/use-polled.ts'
import { operationStatusOf } from '../format/operation-status.ts'
import { readQuery, sqlTextOf } from '../api/read-query.ts'
import { hrefOf } from '../routing/page-route.ts'
import { useClient } from '../session/client-context.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { AgeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'

interface ResourceStep {
  readonly deployment: number
  readonly time: string
  readonly operation: string
  readonly result: string | null
}

const stepsMax = 50

type ResourceHistoryProps = ProjectAndStack & { urn: string; version: number }

/**
 * Shows the operations of the last deployments that changed a resource. The query reads the records
 * of many deployments, and the audit log records it. So it runs only after a press of the button.
 */
export function ResourceHistory(props: ResourceHistoryProps) {
  const [shownUrn, setShownUrn] = useState('')
  return (
    <section>
      <h3>History</h3>
      {shownUrn === props.urn ? (
        <ResourceSteps {...props} />
      ) : (
        <Button className="button" onPress={() => setShownUrn(props.urn)}>
          Show the deployments that changed it
        </Button>
      )}
    </section>
  )
}

function ResourceSteps(props: ResourceHistoryProps) {
  const { project, stack, urn, version } = props
  const { client } = useClient()
  const nowMs = useNow(30_000)
  const { value: steps, failure } = usePolled({
    key: `${project}/${stack} ${urn}`,
    revision: version,
    intervalMs: 0,
    read: signal =>
      readQuery<ResourceStep>(client, {
        project,
        signal,
        sql: `select deployment, time, operation, result from steps
          where project = ${sqlTextOf(project)} and stack = ${sqlTextOf(stack)}
          and urn = ${sqlTextOf(urn)} and operation <> 'same'
          order by deployment desc, moment desc limit ${stepsMax}`,
      }),
  })
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      {steps === undefined && failure === undefined ? <p className="quiet">reading…</p> : null}
      {steps?.rows.length === 0 ? (
        <p className="quiet">none of the last 20 deployments changed this resource</p>
      ) : null}
      <ul className="neighbor-list">
        {steps?.rows.map(({ deployment, time, operation, result }) => (
          <li key={`${deployment} ${operation} ${time}`}>
            <a href={hrefOf({ kind: 'deployment', project, stack, number: deployment })}>
              #{deployment}
            </a>
            <StatusLabel status={statusOf(operation, result)} />
            <span className="quiet">
              <AgeText timeMs={Date.parse(time)} nowMs={nowMs} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function statusOf(op: string, result: string | null) {
  const state = result === null ? 'running' : result === 'succeeded' ? 'done' : 'failed'
  return operationStatusOf({ op, state }, true)
}
