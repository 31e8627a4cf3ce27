import type { TableSort } from './sort-rows.ts'

/** The parts of a column that its header shows. */
interface HeaderColumn {
  readonly name: string
  readonly header: string
  readonly sortBy?: unknown
}

/** Shows the headers of a table. A header that sorts is a button. */
export function TableHead(props: {
  columns: readonly HeaderColumn[]
  sort: TableSort | undefined
  /** Absent: the table cannot be sorted. */
  onSort?: ((column: string) => void) | undefined
}) {
  const { columns, sort, onSort } = props
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" aria-rowindex={1} className="table-row">
        {columns.map(({ name, header, sortBy }) => {
          const isSortable = sortBy !== undefined && onSort !== undefined
          const direction = sort?.column === name ? sort.direction : undefined
          return (
            <div
              key={name}
              role="columnheader"
              className={`cell cell-${name}`}
              aria-sort={isSortable ? (direction ?? 'none') : undefined}
            >
              {isSortable ? (
                <button type="button" className="sort-button" onClick={() => onSort(name)}>
                  {header}
                  <SortSymbol direction={direction} />
                </button>
              ) : (
                header
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function SortSymbol({ direction }: { direction: TableSort['direction'] | undefined }) {
  return (
    <svg
      viewBox="0 0 10 12"
      aria-hidden="true"
      className={`sort-symbol ${direction ?? 'unsorted'}`}
    >
      <path d={direction === 'descending' ? 'M2 4.5l3 3 3-3' : 'M2 7.5l3-3 3 3'} />
    </svg>
  )
}
