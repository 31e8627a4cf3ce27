import { useMemo, useState } from 'react'
import { Tab, TabList, Tabs } from 'react-aria-components'
import type { WatchedDeployment } from '../deployment/use-deployment.ts'
import { countWaves } from '../deployment/wave-counts.ts'
import { formatNumber } from '../format/format-count.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { TabContent } from '../widgets/tab-content.tsx'
import { DeploymentTimeLine } from './deployment-time-line.tsx'
import { MessageList } from './message-list.tsx'
import { OperationDetails } from './operation-details.tsx'
import { OperationTable } from './operation-table.tsx'
import { WaveTable } from './wave-table.tsx'

/** Shows the parts of a deployment. `path`, `stackPath`: API paths of deployment and stack. */
export function DeploymentTabs(props: {
  watched: WatchedDeployment
  path: string
  stackPath: string
}) {
  const { watched, path, stackPath } = props
  const { progress, connection, isEnded, recordedOperations } = watched
  const [openKey, setOpenKey] = useState<string>()
  const operations = recordedOperations.value?.operations
  const waves = useMemo(() => countWaves(operations ?? []), [operations])
  const openRow = openKey === undefined ? undefined : progress.rows.find(row => row.key === openKey)
  return (
    <>
      <Tabs className="tabs">
        <TabList aria-label="Parts of the deployment" className="tab-list">
          <CountedTab
            id="operations"
            title="Operations"
            count={progress.rows.length - progress.counts.unchanged}
          />
          <Tab id="time" className="tab">
            Time line
          </Tab>
          {waves.length === 0 ? null : <CountedTab id="waves" title="Waves" count={waves.length} />}
          <CountedTab
            id="messages"
            title="Messages"
            count={progress.messages.length + progress.omittedMessages}
          />
        </TabList>
        <TabContent id="operations">
          {progress.rows.length === 0 && !isEnded && connection.kind !== 'refused' ? (
            <LoadingRows label="Waiting for the first operation" />
          ) : (
            <OperationTable {...{ progress, isEnded, openKey }} onOpen={setOpenKey} />
          )}
        </TabContent>
        <TabContent id="time">
          <TimeLinePart
            watched={watched}
            onOpen={urn => setOpenKey(progress.rows.find(row => row.urn === urn)?.key)}
          />
        </TabContent>
        {waves.length === 0 ? null : (
          <TabContent id="waves">
            <WaveTable waves={waves} />
          </TabContent>
        )}
        <TabContent id="messages">
          <MessageList messages={progress.messages} />
          {progress.omittedMessages === 0 ? null : (
            <p className="quiet">
              {formatNumber(progress.omittedMessages)} further messages are not shown.
            </p>
          )}
        </TabContent>
      </Tabs>
      {openRow === undefined ? null : (
        <OperationDetails
          row={openRow}
          messages={progress.messages}
          {...{ isEnded, path, stackPath }}
          onClose={() => setOpenKey(undefined)}
        />
      )}
    </>
  )
}

function TimeLinePart(props: { watched: WatchedDeployment; onOpen: (urn: string) => void }) {
  const { deployment, recordedOperations } = props.watched
  const { value, failure } = recordedOperations
  if (failure?.code === 'RECORDS_REMOVED')
    return <EmptyNote title="The records of this deployment were removed" />
  if (value === undefined || deployment === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading the records" />
    ) : (
      <FailureNote failure={failure} />
    )
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <DeploymentTimeLine
        operations={value.operations}
        startedAt={deployment.startedAt}
        endedAt={deployment.endedAt}
        onOpen={props.onOpen}
      />
    </>
  )
}

function CountedTab({ id, title, count }: { id: string; title: string; count: number }) {
  return (
    <Tab id={id} className="tab">
      {title} <span className="tab-count">{formatNumber(count)}</span>
    </Tab>
  )
}
