import { useMemo, useState } from 'react'
import type { ProjectAndStack } from '../api/api-views.ts'
import type { OperationRow } from '../deployment/operation-row.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatShownCount } from '../format/format-count.ts'
import { createMatcher } from '../format/match-filter.ts'
import { ResourceDetails } from '../resources/resource-details.tsx'
import { ResourceHistory } from '../resources/resource-history.tsx'
import { ResourceGraphView } from '../resources/resource-graph-view.tsx'
import { includeAncestors, ResourceTable, ResourceTreeTable } from '../resources/resource-table.tsx'
import { createResourceRows, type StateExport, type StateRow } from '../resources/state-resource.ts'
import { hrefOf, type ResourceView } from '../routing/page-route.ts'
import { type LiveGraph, useLiveGraph } from '../resources/use-live-graph.ts'
import { useClient } from '../session/client-context.ts'
import { ChoiceSwitch } from '../widgets/choice-switch.tsx'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { FollowedDeployment } from './followed-deployment.tsx'

type StackResourcesProps = ProjectAndStack & {
  path: string
  version: number
  /** The number of the deployment that has not ended, if any. */
  openDeployment: number | undefined
  view: ResourceView
  /** The key of the resource whose details are shown. */
  resource: string | undefined
}

const viewChoices: readonly (readonly [ResourceView, string])[] = [
  ['table', 'Table'],
  ['tree', 'Tree'],
  ['graph', 'Graph'],
]

const noRows: readonly StateRow[] = []

/** Shows the resources of a stack as a table, a tree or a graph. */
export function StackResources(props: StackResourcesProps) {
  const { path, version, view, openDeployment } = props
  const { client } = useClient()
  const { value: stateRows, failure } = usePolled({
    key: path,
    revision: version,
    intervalMs: 0,
    read: async signal =>
      createResourceRows(await client.read<StateExport>(`${path}/export`, signal)),
  })
  const [filter, setFilter] = useState('')
  const [operations, setOperations] = useState<readonly OperationRow[]>()
  const liveGraph = useLiveGraph(stateRows ?? noRows, operations)
  const { rows } = liveGraph
  const matches = useMemo(() => findMatches(rows, filter), [rows, filter])
  if (stateRows === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading resources" />
    ) : (
      <FailureNote failure={failure} />
    )
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="table-tools">
        <ChoiceSwitch
          label="View"
          choices={viewChoices}
          value={view}
          onChange={next => replaceRoute({ ...props, view: next, resource: undefined })}
        />
        <SearchBox
          label="Filter resources"
          placeholder="Filter by name, type or id"
          value={filter}
          onChange={setFilter}
        />
        <p className="page-note" role="status">
          {formatShownCount(matches?.size ?? rows.length, rows.length, 'resource')}
        </p>
      </div>
      {view === 'graph' && openDeployment !== undefined ? (
        // The operations of two deployments must not mix.
        <FollowedDeployment
          key={openDeployment}
          path={`${path}/deployments/${openDeployment}`}
          onChange={setOperations}
        />
      ) : null}
      <ResourcesInView {...props} {...liveGraph} matches={matches} />
    </>
  )
}

function ResourcesInView(
  props: StackResourcesProps &
    LiveGraph & {
      matches: ReadonlySet<string> | undefined
    },
) {
  const { rows, graph, states, matches, view, resource } = props
  const shownRows = useMemo(() => {
    if (matches === undefined) return rows
    return view === 'table'
      ? rows.filter(({ key }) => matches.has(key))
      : includeAncestors(rows, matches)
  }, [rows, matches, view])
  const openRow = rows.find(({ key }) => key === resource)
  const onOpen = (key: string): void => replaceRoute({ ...props, resource: key })
  const tableProps = { rows: shownRows, openKey: resource, onOpen }
  return (
    <>
      {rows.length === 0 ? (
        <EmptyNote title="This stack has no resources">
          Deploy its program with <code>antichain up</code>.
        </EmptyNote>
      ) : matches?.size === 0 && view !== 'graph' ? (
        <EmptyNote title="No resource matches the filter" />
      ) : view === 'table' ? (
        <ResourceTable {...tableProps} />
      ) : view === 'tree' ? (
        <ResourceTreeTable {...tableProps} />
      ) : (
        <ResourceGraphView
          {...{ rows, graph, matches, states, onOpen }}
          fallback={<ResourceTreeTable {...tableProps} />}
        />
      )}
      {openRow === undefined ? null : (
        <ResourceDetails
          {...{ rows, graph }}
          row={openRow}
          hrefOfRow={({ key }) => hrefOfView({ ...props, resource: key })}
          onClose={() => replaceRoute({ ...props, resource: undefined })}
        >
          <ResourceHistory {...props} urn={openRow.urn} />
        </ResourceDetails>
      )}
    </>
  )
}

type ViewAddress = Pick<StackResourcesProps, 'project' | 'stack' | 'view' | 'resource'>

function hrefOfView({ project, stack, view, resource }: ViewAddress): string {
  const base = { kind: 'stack', project, stack, tab: 'resources', view } as const
  return hrefOf(resource === undefined ? base : { ...base, resource })
}

/** Shows another view. The views of a page are one entry in the history of the browser. */
function replaceRoute(address: ViewAddress): void {
  location.replace(hrefOfView(address))
}

/** Returns the keys of the rows that match a filter, or undefined without a filter. */
function findMatches(rows: readonly StateRow[], filter: string): ReadonlySet<string> | undefined {
  const matches = createMatcher(filter)
  if (matches === undefined) return undefined
  return new Set(rows.flatMap(({ key, searchText }) => (matches(searchText) ? [key] : [])))
}
