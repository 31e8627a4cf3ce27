import type { ShownMessage } from '../deployment/deployment-events.ts'
import type { OperationRow } from '../deployment/operation-row.ts'
import { operationStatusOf } from '../format/operation-status.ts'
import { DetailsDrawer } from '../widgets/details-drawer.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { MessageList } from './message-list.tsx'
import { ResourceOperations } from './operation-records.tsx'

/** Shows an operation with its records and messages. `path`, `stackPath`: paths in the API. */
export function OperationDetails(props: {
  row: OperationRow
  messages: readonly ShownMessage[]
  isEnded: boolean
  path: string
  stackPath: string
  onClose: () => void
}) {
  const { row, isEnded, path, stackPath, onClose } = props
  const messages = props.messages.filter(({ urn }) => urn === row.urn)
  return (
    <DetailsDrawer title={row.name} subtitle={row.type} onClose={onClose}>
      <StatusLabel status={operationStatusOf(row, isEnded)} />
      <section>
        <h3>URN</h3>
        <p className="code wrap">{row.urn}</p>
      </section>
      {row.diffs.length === 0 ? null : (
        <section>
          <h3>Changed properties</h3>
          <p className="code wrap">{row.diffs.join(', ')}</p>
        </section>
      )}
      <ResourceOperations {...{ stackPath, path, isEnded }} urn={row.urn} />
      <section>
        <h3>Messages</h3>
        {messages.length === 0 ? (
          <p className="quiet">This operation has no messages.</p>
        ) : (
          <MessageList messages={messages} />
        )}
      </section>
    </DetailsDrawer>
  )
}
