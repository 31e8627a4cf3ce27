import { shortTypeOf } from '../deployment/operation-row.ts'
import type { TableColumn } from '../widgets/virtual-table.tsx'

/** The columns with name and type of a resource. Their tooltips show the URN and the whole type. */
export const resourceColumns: readonly TableColumn<{
  readonly name: string
  readonly urn: string
  readonly type: string
}>[] = [
  {
    name: 'name',
    header: 'Name',
    show: ({ name, urn }) => <b title={urn}>{name}</b>,
    sortBy: ({ name }) => name,
  },
  {
    name: 'type',
    header: 'Type',
    show: ({ type }) => (
      <span className="code quiet" title={type}>
        {shortTypeOf(type)}
      </span>
    ),
    sortBy: ({ type }) => type,
  },
]
