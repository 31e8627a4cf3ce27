import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { apiPathOf, type ProjectAndStack, type ShownDeployment } from '../api/api-views.ts'
import { usePolled } from '../api/use-polled.ts'
import { useDeploymentEvents } from '../deployment/use-deployment-events.ts'
import { formatNumber } from '../format/format-count.ts'
import { useClient } from '../session/client-context.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { ConnectionNote } from './connection-note.tsx'
import { DeploymentHead } from './deployment-head.tsx'
import { GoneNote, isGone } from './gone-note.tsx'
import { MessageList } from './message-list.tsx'
import { OperationTable } from './operation-table.tsx'

const openPollMs = 2_000

/** Shows a deployment, while it runs or afterwards. */
export function DeploymentPage({ project, stack, number }: ProjectAndStack & { number: number }) {
  const { client } = useClient()
  const path = `${apiPathOf({ project, stack })}/deployments/${number}`
  const { progress, connection, end } = useDeploymentEvents(path)
  const {
    value: deployment,
    failure,
    reload,
  } = usePolled({
    key: path,
    // The record of an ended deployment never changes.
    revision: end === undefined ? 'open' : 'ended',
    intervalMs: end === undefined ? openPollMs : 0,
    read: signal => client.read<ShownDeployment>(path, signal),
  })
  const streamFailure = connection.kind === 'refused' ? connection.failure : undefined
  const goneFailure = [failure, streamFailure].find(isGone)
  if (goneFailure !== undefined) return <GoneNote failure={goneFailure} subject="deployment" />
  // The note of the connection says the same.
  const isExplained = failure?.status === 0 && connection.kind === 'broken'
  const changedRows = progress.rows.filter(({ op }) => op !== 'same')
  const errors = progress.messages.filter(({ severity }) => severity === 'error')
  return (
    <>
      <Breadcrumbs project={project} stack={stack} isStackPage={false} />
      <DeploymentHead
        {...{ project, stack, number, deployment, progress, end }}
        onCancelled={reload}
      />
      {failure === undefined || isExplained ? null : <FailureNote failure={failure} />}
      <ConnectionNote connection={connection} />
      {errors.length === 0 ? null : <MessageList title="Errors" messages={errors.slice(0, 5)} />}
      <Tabs className="tabs">
        <TabList aria-label="Parts of the deployment" className="tab-list">
          <Tab id="operations" className="tab">
            Operations <Count value={changedRows.length} />
          </Tab>
          <Tab id="messages" className="tab">
            Messages <Count value={progress.messages.length + progress.omittedMessages} />
          </Tab>
        </TabList>
        <TabPanel id="operations" className="tab-panel">
          {progress.rows.length === 0 && end === undefined && connection.kind !== 'refused' ? (
            <LoadingRows label="Waiting for the first operation" />
          ) : (
            <OperationTable progress={progress} isEnded={end !== undefined} />
          )}
        </TabPanel>
        <TabPanel id="messages" className="tab-panel">
          <MessageList messages={progress.messages} />
          {progress.omittedMessages === 0 ? null : (
            <p className="quiet">
              {formatNumber(progress.omittedMessages)} further messages are not shown.
            </p>
          )}
        </TabPanel>
      </Tabs>
    </>
  )
}

function Count({ value }: { value: number }) {
  return <span className="tab-count">{formatNumber(value)}</span>
}
