import { useTree } from '../widgets/use-tree.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'
import { resourceColumns } from '../pages/resource-columns.tsx'
import { listFlagLabels, type StateRow } from './state-resource.ts'

interface ResourceListProps {
  rows: readonly StateRow[]
  openKey: string | undefined
  onOpen: (key: string) => void
}

const columns: readonly TableColumn<StateRow>[] = [
  ...resourceColumns,
  {
    name: 'id',
    header: 'ID',
    show: ({ id }) => <span className="code">{id}</span>,
    sortBy: ({ id }) => id,
  },
  {
    name: 'marks',
    header: 'Flags',
    show: row =>
      listFlagLabels(row).map(word => (
        <span key={word} className={`tag${row.condition === 'condemned' ? ' tag-bad' : ''}`}>
          {word}
        </span>
      )),
    sortBy: row => listFlagLabels(row)[0],
  },
]

/** Shows resources as a table in the order of the state. */
export function ResourceTable({ rows, openKey, onOpen }: ResourceListProps) {
  return (
    <VirtualTable
      label="Resources"
      className="resources-table"
      columns={columns}
      rows={rows}
      keyOf={({ key }) => key}
      onOpen={({ key }) => onOpen(key)}
      openKey={openKey}
    />
  )
}

const treeColumns = columns.map(column => ({
  name: column.name,
  header: column.header,
  show: ({ row }: { readonly row: StateRow }) => column.show(row),
}))
const urnOf = ({ urn }: StateRow): string => urn
const parentOf = ({ parent }: StateRow): string | undefined => parent

/** Shows resources as a tree of parents and children. */
export function ResourceTreeTable({ rows, openKey, onOpen }: ResourceListProps) {
  const { treeRows, tree } = useTree(rows, urnOf, parentOf)
  return (
    <VirtualTable
      label="Resource tree"
      className="resources-table"
      columns={treeColumns}
      rows={treeRows}
      keyOf={({ row }) => row.key}
      onOpen={({ row }) => onOpen(row.key)}
      openKey={openKey}
      tree={tree}
    />
  )
}

/** Returns the rows that match, and their ancestors, so that a tree shows their place. Pure. */
export function includeAncestors(
  rows: readonly StateRow[],
  matches: ReadonlySet<string>,
): readonly StateRow[] {
  const shownUrns = new Set<string>()
  // The loop runs backwards, because parents precede their children.
  for (const { key, urn, parent } of rows.toReversed())
    if (matches.has(key) || shownUrns.has(urn)) {
      shownUrns.add(urn)
      if (parent !== undefined) shownUrns.add(parent)
    }
  return rows.filter(({ urn }) => shownUrns.has(urn))
}
