import { resourceNameOf } from '../deployment/operation-row.ts'
import { formatCount } from '../format/format-count.ts'
import { DetailsDrawer } from '../widgets/details-drawer.tsx'
import { PropertyList } from '../widgets/property-list.tsx'
import {
  type EdgeReason,
  findNeighbors,
  type ResourceGraph,
  type ResourceNeighbors,
} from './resource-graph.ts'
import type { StateRow } from './state-resource.ts'

/** Shows a resource: its properties, what it depends on, and what depends on it. */
export function ResourceDetails(props: {
  rows: readonly StateRow[]
  graph: ResourceGraph
  row: StateRow
  /** Returns the address that shows the details of another resource. */
  hrefOfRow: (row: StateRow) => string
  onClose: () => void
  children?: React.ReactNode
}) {
  const { rows, graph, row, hrefOfRow, onClose, children } = props
  const index = rows.indexOf(row)
  const { dependsOn, dependents } = findNeighbors(graph, index)
  const listProps = { rows, hrefOfRow }
  return (
    <DetailsDrawer title={row.name} subtitle={row.type} onClose={onClose}>
      <PropertyList properties={factsOf(row, graph.waves[index] ?? 1)} />
      <NeighborList {...listProps} title="Depends on" neighbors={dependsOn} />
      <NeighborList {...listProps} title="Is depended on by" neighbors={dependents} />
      <PropertySection title="Inputs" properties={row.inputs ?? {}} />
      <PropertySection title="Outputs" properties={row.outputs ?? {}} />
      {children}
    </DetailsDrawer>
  )
}

function factsOf(row: StateRow, wave: number): Readonly<Record<string, unknown>> {
  const { urn, id, parent, created, modified, pending } = row
  return {
    URN: urn,
    ...(id === undefined ? {} : { ID: id }),
    ...(parent === undefined ? {} : { parent: resourceNameOf(parent) }),
    ...(created === undefined ? {} : { created: new Date(created).toLocaleString() }),
    ...(modified === undefined ? {} : { modified: new Date(modified).toLocaleString() }),
    ...(pending === undefined ? {} : { 'unknown result of': pending }),
    'wave of a destroy': wave,
  }
}

/** Neighbors beyond this number are only counted. A provider may have 100,000 dependents. */
const neighborsMax = 200

const reasonLabels: Readonly<Record<EdgeReason, string>> = {
  dependency: '',
  parent: 'parent',
  provider: 'provider',
}

function NeighborList(props: {
  title: string
  neighbors: ResourceNeighbors['dependsOn']
  rows: readonly StateRow[]
  hrefOfRow: (row: StateRow) => string
}) {
  const { title, neighbors, rows, hrefOfRow } = props
  const hiddenCount = neighbors.length - neighborsMax
  return (
    <section>
      <h3>{title}</h3>
      {neighbors.length === 0 ? <p className="quiet">nothing</p> : null}
      <ul className="neighbor-list">
        {neighbors.slice(0, neighborsMax).map(({ index, reason }) => {
          const row = rows[index]
          return row === undefined ? null : (
            <li key={row.key}>
              <a href={hrefOfRow(row)}>{row.name}</a> <span className="code quiet">{row.type}</span>
              {reasonLabels[reason] === '' ? null : (
                <span className="tag">{reasonLabels[reason]}</span>
              )}
            </li>
          )
        })}
      </ul>
      {hiddenCount > 0 ? (
        <p className="quiet">and {formatCount(hiddenCount, 'other resource')}</p>
      ) : null}
    </section>
  )
}

/** Shows a group of properties under its title. */
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
