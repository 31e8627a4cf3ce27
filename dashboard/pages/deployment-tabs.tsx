import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import type { WatchedDeployment } from '../deployment/use-deployment.ts'
import { formatNumber } from '../format/format-count.ts'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { MessageList } from './message-list.tsx'
import { OperationTable } from './operation-table.tsx'

/** Shows the parts of a deployment. `path`, `stackPath`: its path and that of its stack. */
export function DeploymentTabs(props: {
  watched: WatchedDeployment
  path: string
  stackPath: string
}) {
  const { watched, path, stackPath } = props
  const { progress, connection, isEnded } = watched
  const changedRows = progress.rows.filter(({ op }) => op !== 'same')
  return (
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
        {progress.rows.length === 0 && !isEnded && connection.kind !== 'refused' ? (
          <LoadingRows label="Waiting for the first operation" />
        ) : (
          <OperationTable {...{ progress, path, stackPath, isEnded }} />
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
  )
}

function Count({ value }: { value: number }) {
  return <span className="tab-count">{formatNumber(value)}</span>
}
