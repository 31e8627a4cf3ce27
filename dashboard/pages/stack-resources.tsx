import { useMemo, useState } from 'react'
import { usePolled } from '../api/use-polled.ts'
import { resourceNameOf } from '../deployment/operation-row.ts'
import { formatShownCount } from '../format/format-count.ts'
import { createMatcher } from '../format/match-filter.ts'
import { useClient } from '../session/client-context.ts'
import { DetailsDrawer } from '../widgets/details-drawer.tsx'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { resourceColumns } from './resource-columns.tsx'
import { PropertyList } from '../widgets/property-list.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'

/** A resource of a state, as `export` returns it. */
interface StateResource {
  readonly urn: string
  readonly type: string
  readonly id?: string
  readonly parent?: string
  readonly custom?: boolean
  readonly delete?: boolean
  readonly protect?: boolean
  readonly external?: boolean
  readonly retainOnDelete?: boolean
  readonly taint?: boolean
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly outputs?: Readonly<Record<string, unknown>>
  readonly dependencies?: readonly string[]
  readonly stackTrace?: unknown
  readonly created?: string
  readonly modified?: string
}

interface ExportedState {
  readonly deployment: { readonly resources?: readonly StateResource[] } | null
}

interface ResourceRow extends StateResource {
  readonly key: string
  readonly name: string
  readonly searchText: string
}

/** Shows the resources of a stack in the order of its state. */
export function StackResources({ path, version }: { path: string; version: number }) {
  const { client } = useClient()
  const [filter, setFilter] = useState('')
  const [openKey, setOpenKey] = useState<string>()
  const { value: rows, failure } = usePolled({
    key: path,
    revision: version,
    intervalMs: 0,
    read: async signal => createRows(await client.read<ExportedState>(`${path}/export`, signal)),
  })
  const shown = useMemo(() => filterRows(rows ?? [], filter), [rows, filter])
  if (rows === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading resources" />
    ) : (
      <FailureNote failure={failure} />
    )
  const openRow = rows.find(({ key }) => key === openKey)
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="table-tools">
        <SearchBox
          label="Filter resources"
          placeholder="Filter by name, type or id"
          value={filter}
          onChange={setFilter}
        />
        <p className="page-note" role="status">
          {formatShownCount(shown.length, rows.length, 'resource')}
        </p>
      </div>
      {rows.length === 0 ? (
        <EmptyNote title="This stack has no resources">
          Deploy its program with <code>antichain up</code>.
        </EmptyNote>
      ) : shown.length === 0 ? (
        <EmptyNote title="No resource matches the filter" />
      ) : (
        <VirtualTable
          label="Resources"
          className="resources-table"
          columns={columns}
          rows={shown}
          keyOf={({ key }) => key}
          onOpen={({ key }) => setOpenKey(key)}
          openKey={openKey}
        />
      )}
      {openRow === undefined ? null : (
        <ResourceDetails row={openRow} onClose={() => setOpenKey(undefined)} />
      )}
    </>
  )
}

const columns: readonly TableColumn<ResourceRow>[] = [
  ...resourceColumns,
  { name: 'id', header: 'ID', show: ({ id }) => <span className="code">{id}</span> },
  {
    name: 'marks',
    header: 'Flags',
    show: row =>
      marksOf(row).map(mark => (
        <span key={mark} className="tag">
          {mark}
        </span>
      )),
  },
]

function ResourceDetails({ row, onClose }: { row: ResourceRow; onClose: () => void }) {
  const { name, type, urn, id, parent, dependencies = [], created, modified } = row
  const facts = {
    URN: urn,
    ...(id === undefined ? {} : { ID: id }),
    ...(parent === undefined ? {} : { parent: resourceNameOf(parent) }),
    ...(dependencies.length === 0
      ? {}
      : { 'depends on': dependencies.map(resourceNameOf).join(', ') }),
    ...(created === undefined ? {} : { created: new Date(created).toLocaleString() }),
    ...(modified === undefined ? {} : { modified: new Date(modified).toLocaleString() }),
  }
  return (
    <DetailsDrawer title={name} subtitle={type} onClose={onClose}>
      <PropertyList properties={facts} />
      <PropertySection title="Inputs" properties={row.inputs ?? {}} />
      <PropertySection title="Outputs" properties={row.outputs ?? {}} />
    </DetailsDrawer>
  )
}

function PropertySection(props: { title: string; properties: Readonly<Record<string, unknown>> }) {
  const { title, properties } = props
  return (
    <section>
      <h3>{title}</h3>
      {Object.keys(properties).length === 0 ? (
        <p className="quiet">none</p>
      ) : (
        <PropertyList properties={properties} />
      )}
    </section>
  )
}

function createRows({ deployment }: ExportedState): readonly ResourceRow[] {
  return (deployment?.resources ?? []).map(resource => {
    // The stack traces would take most of the memory.
    const { stackTrace: _stackTrace, ...kept } = resource
    const { urn, type, id = '' } = resource
    const marks = marksOf(resource)
    const name = resourceNameOf(urn)
    const searchText = `${name} ${type} ${id} ${marks.join(' ')}`
    return { ...kept, key: `${urn} ${id} ${String(resource.delete)}`, name, searchText }
  })
}

function filterRows(rows: readonly ResourceRow[], filter: string): readonly ResourceRow[] {
  const matches = createMatcher(filter)
  return matches === undefined ? rows : rows.filter(({ searchText }) => matches(searchText))
}

function marksOf(resource: StateResource): readonly string[] {
  const marks: readonly (readonly [isSet: boolean | undefined, word: string])[] = [
    [resource.delete, 'to be deleted'],
    [resource.protect, 'protected'],
    [resource.external, 'external'],
    [resource.retainOnDelete, 'retained'],
    [resource.taint, 'to be replaced'],
  ]
  return marks.flatMap(([isSet, word]) => (isSet === true ? [word] : []))
}
