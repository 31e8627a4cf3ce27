import { useMemo, useState } from 'react'
import { Checkbox } from 'react-aria-components'
import type { ShownProgress } from '../deployment/deployment-events.ts'
import type { OperationRow } from '../deployment/operation-row.ts'
import { formatNumber } from '../format/format-count.ts'
import { createMatcher } from '../format/match-filter.ts'
import { operationWordOf } from '../format/operation-words.ts'
import { DetailsDrawer } from '../widgets/details-drawer.tsx'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { resourceColumns } from './resource-columns.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'
import { MessageList } from './message-list.tsx'
import { ResourceOperations } from './operation-records.tsx'

/** The paths of a deployment and its stack in the API. */
interface DeploymentPaths {
  readonly path: string
  readonly stackPath: string
}

/** Shows the operations of a deployment. Unchanged resources are shown on request. */
export function OperationTable(
  props: DeploymentPaths & { progress: ShownProgress; isEnded: boolean },
) {
  const { progress, isEnded, path, stackPath } = props
  const [filter, setFilter] = useState('')
  const [isUnchangedShown, setIsUnchangedShown] = useState(false)
  const [openKey, setOpenKey] = useState<string>()
  const { rows } = progress
  const columns = useMemo(() => createColumns(isEnded), [isEnded])
  const unchangedCount = useMemo(() => rows.filter(({ op }) => op === 'same').length, [rows])
  const shown = useMemo(() => {
    const matches = createMatcher(filter)
    return rows.filter(row => {
      if (row.op === 'same' && !isUnchangedShown) return false
      return matches?.(`${row.urn} ${operationWordOf(row, isEnded).text}`) !== false
    })
  }, [rows, filter, isUnchangedShown, isEnded])
  const openRow = openKey === undefined ? undefined : rows.find(({ key }) => key === openKey)
  return (
    <>
      <div className="table-tools">
        <SearchBox
          label="Filter operations"
          placeholder="Filter by name, type or status"
          value={filter}
          onChange={setFilter}
        />
        {unchangedCount === 0 ? null : (
          <Checkbox
            className="checkbox"
            isSelected={isUnchangedShown}
            onChange={setIsUnchangedShown}
          >
            <span className="checkbox-box" aria-hidden="true" />
            Show {formatNumber(unchangedCount)} unchanged
          </Checkbox>
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyNote title={filter === '' ? 'No resource was changed' : 'No operation matches'} />
      ) : (
        <VirtualTable
          label="Operations"
          className="operations-table"
          columns={columns}
          rows={shown}
          keyOf={({ key }) => key}
          onOpen={({ key }) => setOpenKey(key)}
          openKey={openKey}
        />
      )}
      {openRow === undefined ? null : (
        <OperationDetails
          row={openRow}
          {...{ progress, isEnded, path, stackPath }}
          onClose={() => setOpenKey(undefined)}
        />
      )}
    </>
  )
}

function createColumns(isEnded: boolean): readonly TableColumn<OperationRow>[] {
  return [
    ...resourceColumns,
    {
      name: 'status',
      header: 'Status',
      show: row => <StatusLabel status={operationWordOf(row, isEnded)} />,
    },
    { name: 'diffs', header: 'Changed properties', show: ({ diffs }) => diffs.join(', ') },
  ]
}

function OperationDetails(
  props: DeploymentPaths & {
    row: OperationRow
    progress: ShownProgress
    isEnded: boolean
    onClose: () => void
  },
) {
  const { row, progress, isEnded, onClose, path, stackPath } = props
  const messages = progress.messages.filter(({ urn }) => urn === row.urn)
  return (
    <DetailsDrawer title={row.name} subtitle={row.type} onClose={onClose}>
      <StatusLabel status={operationWordOf(row, isEnded)} />
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
