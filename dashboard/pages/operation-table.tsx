import { useMemo, useState } from 'react'
import { Button, Checkbox } from 'react-aria-components'
import type { ShownProgress } from '../deployment/deployment-events.ts'
import { keepAncestors, type OperationRow } from '../deployment/operation-row.ts'
import { formatNumber } from '../format/format-count.ts'
import { createMatcher } from '../format/match-filter.ts'
import { operationStatusOf } from '../format/operation-status.ts'
import { ChoiceSwitch } from '../widgets/choice-switch.tsx'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { useTree } from '../widgets/use-tree.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'
import { resourceColumns } from './resource-columns.tsx'

interface OperationListProps {
  rows: readonly OperationRow[]
  isEnded: boolean
  openKey: string | undefined
  onOpen: (key: string) => void
}

type OperationView = 'table' | 'tree'

const viewLabels: readonly (readonly [OperationView, string])[] = [
  ['table', 'Table'],
  ['tree', 'Tree'],
]

/**
 * Shows the operations of a deployment as a table or as a tree. Unchanged resources are shown on
 * request, and in the tree also as ancestors of others.
 */
export function OperationTable(props: {
  progress: ShownProgress
  isEnded: boolean
  openKey: string | undefined
  onOpen: (key: string) => void
}) {
  const { progress, isEnded, openKey, onOpen } = props
  const [filter, setFilter] = useState('')
  const [view, setView] = useState<OperationView>('table')
  const [isUnchangedShown, setIsUnchangedShown] = useState(false)
  const { rows, counts } = progress
  const unchangedCount = counts.unchanged
  const shownRows = useMemo(() => {
    const matches = createMatcher(filter)
    const isShown = (row: OperationRow): boolean => {
      if (row.op === 'same' && !isUnchangedShown) return false
      return matches?.(`${row.urn} ${operationStatusOf(row, isEnded).text}`) !== false
    }
    return view === 'tree' ? keepAncestors(rows, isShown) : rows.filter(isShown)
  }, [rows, filter, isUnchangedShown, isEnded, view])
  const listProps = { rows: shownRows, isEnded, openKey, onOpen }
  return (
    <>
      <div className="table-tools">
        <ChoiceSwitch label="View" choices={viewLabels} value={view} onChange={setView} />
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
      {shownRows.length === 0 ? (
        <EmptyNote title={filter === '' ? 'No resource was changed' : 'No operation matches'} />
      ) : view === 'table' ? (
        <FlatTable {...listProps} />
      ) : (
        <TreeTable {...listProps} />
      )}
    </>
  )
}

function FlatTable({ rows, isEnded, openKey, onOpen }: OperationListProps) {
  const columns = useMemo(() => createColumns(isEnded), [isEnded])
  return (
    <VirtualTable
      label="Operations"
      className="operations-table"
      columns={columns}
      rows={rows}
      keyOf={({ key }) => key}
      onOpen={({ key }) => onOpen(key)}
      openKey={openKey}
    />
  )
}

const urnOf = ({ urn }: OperationRow): string => urn
const parentOf = ({ parent }: OperationRow): string | undefined => parent

function TreeTable({ rows, isEnded, openKey, onOpen }: OperationListProps) {
  const { treeRows, tree, setAllCollapsed } = useTree(rows, urnOf, parentOf)
  const columns = useMemo(
    () =>
      createColumns(isEnded).map(({ name, header, show }) => ({
        name,
        header,
        show: ({ row }: { readonly row: OperationRow }) => show(row),
      })),
    [isEnded],
  )
  return (
    <>
      <div className="table-tools">
        <Button className="button" onPress={() => setAllCollapsed(false)}>
          Expand all
        </Button>
        <Button className="button" onPress={() => setAllCollapsed(true)}>
          Collapse all
        </Button>
      </div>
      <VirtualTable
        label="Operation tree"
        className="operations-table"
        columns={columns}
        rows={treeRows}
        keyOf={({ row }) => row.key}
        onOpen={({ row }) => onOpen(row.key)}
        openKey={openKey}
        tree={tree}
      />
    </>
  )
}

function createColumns(isEnded: boolean): readonly TableColumn<OperationRow>[] {
  return [
    ...resourceColumns,
    {
      name: 'status',
      header: 'Status',
      show: row => <StatusLabel status={operationStatusOf(row, isEnded)} />,
      sortBy: row => operationStatusOf(row, isEnded).text,
    },
    {
      name: 'diffs',
      header: 'Changed properties',
      show: ({ diffs }) => diffs.join(', '),
      sortBy: ({ diffs }) => diffs.join(', ') || undefined,
    },
  ]
}
