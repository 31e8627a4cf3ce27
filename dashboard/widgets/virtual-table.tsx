import {
  defaultRangeExtractor,
  type Range,
  type Virtualizer,
  useVirtualizer,
} from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { findNextRowIndex } from './next-row-index.ts'
import { findTreeTarget, isToggleKey, type TreeState } from './tree-keys.ts'
import { chooseNextSort, type SortValue, sortRows, type TableSort } from './sort-rows.ts'
import { TableHead } from './table-head.tsx'
import { useMediaQuery } from './use-media-query.ts'

/** A column of a table. CSS places the cells of a column by their class, `cell-<name>`. */
export interface TableColumn<Row> {
  readonly name: string
  readonly header: string
  readonly show: (row: Row) => ReactNode
  /** Returns the value by which the column sorts. Absent: the column does not sort. */
  readonly sortBy?: (row: Row) => SortValue
}

/** A table of which only the visible rows are in the document. */
interface VirtualTableProps<Row> {
  readonly label: string
  /** The class of the table, which defines its columns. */
  readonly className: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Opens a row: Enter, Space or a click. */
  readonly onOpen?: ((row: Row) => void) | undefined
  /** The key of the row whose details are shown. */
  readonly openKey?: string | undefined
  /** Makes the table a tree. Its rows keep the order of `rows`, so its headers do not sort. */
  readonly tree?: TreeState<Row>
}

/** Heights of a row in px. styles/widgets.css has the same numbers. */
const rowHeightPx = { wide: 44, narrow: 68 }
/** The number of rows in the document above the visible ones, and of those below them. */
const overscanRows = 12

/**
 * Shows a table with any number of rows. The focus stays on the table, and the arrow keys, Page Up,
 * Page Down, Home and End move its active row. The headers of sortable columns are buttons.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, className, columns, tree, onOpen } = props
  const scrollRef = useRef<HTMLDivElement>(null)
  const tableId = useId()
  const [activeIndex, setActiveIndex] = useState(0)
  const { rows, sort, setSort } = useSortedRows(props)
  const rowHeight = useMediaQuery('(max-width: 720px)') ? rowHeightPx.narrow : rowHeightPx.wide
  const activeRowIndex = Math.min(activeIndex, rows.length - 1)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowHeight,
    overscan: overscanRows,
    // The active row stays in the document, because `aria-activedescendant` names it.
    rangeExtractor: range => includeIndex(range, activeRowIndex),
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const onKeyDown = (event: KeyboardEvent): void => {
    // The buttons of the header have keys of their own.
    if (event.target instanceof HTMLButtonElement) return
    const row = rows[activeRowIndex]
    const pageRows = Math.floor((scrollRef.current?.clientHeight ?? rowHeight) / rowHeight) - 1
    const position = { index: activeRowIndex, count: rows.length, pageRows }
    const index =
      findNextRowIndex(event.key, position) ??
      findTreeTarget(event.key, { row, index: activeRowIndex }, tree)
    if (index !== undefined) {
      setActiveIndex(index)
      virtualizer.scrollToIndex(index)
    } else if (row !== undefined && isToggleKey(event.key, row, tree)) tree?.onToggle(row)
    else if (row !== undefined && ['Enter', ' '].includes(event.key)) onOpen?.(row)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={scrollRef}
      role={tree === undefined ? 'grid' : 'treegrid'}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rows.length === 0 ? undefined : `${tableId}-${activeRowIndex}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={`table ${className}`}
    >
      <TableHead columns={columns} sort={sort} onSort={tree === undefined ? setSort : undefined} />
      <VisibleRows
        props={{ ...props, rows }}
        {...{ virtualizer, tableId, activeRowIndex }}
        onActivate={setActiveIndex}
      />
    </div>
  )
}

/** Returns the rows in the order that the user has chosen. */
function useSortedRows<Row>({ rows, columns }: VirtualTableProps<Row>) {
  const [sort, setSortState] = useState<TableSort>()
  const sortBy = columns.find(({ name }) => name === sort?.column)?.sortBy
  // A render may create the columns again, with functions that do the same. So only new rows or
  // another sort cause a new order, and new columns do not.
  const latestSortBy = useRef(sortBy)
  latestSortBy.current = sortBy
  const sortedRows = useMemo(
    () =>
      sort === undefined || latestSortBy.current === undefined
        ? rows
        : sortRows(rows, latestSortBy.current, sort.direction),
    [rows, sort],
  )
  const setSort = (column: string): void => setSortState(current => chooseNextSort(current, column))
  return { rows: sortedRows, sort, setSort }
}

function VisibleRows<Row>(options: {
  readonly props: VirtualTableProps<Row>
  readonly virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>
  readonly tableId: string
  readonly activeRowIndex: number
  readonly onActivate: (rowIndex: number) => void
}) {
  const { props, virtualizer, tableId, activeRowIndex, onActivate } = options
  const { columns, rows, keyOf, onOpen, openKey, tree } = props
  const showRow = (row: Row, index: number, startPx: number): ReactNode => (
    <div
      key={keyOf(row)}
      id={`${tableId}-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={onOpen === undefined ? undefined : keyOf(row) === openKey}
      aria-level={tree?.levelOf(row)}
      aria-expanded={tree?.isExpanded(row)}
      className={rowClassOf({
        'is-active': index === activeRowIndex,
        'is-last': index === rows.length - 1,
        'is-openable': onOpen !== undefined,
      })}
      style={{ transform: `translateY(${startPx}px)` }}
      onClick={() => {
        onActivate(index)
        onOpen?.(row)
      }}
    >
      {columns.map(({ name, show }, columnIndex) => (
        <div key={name} role="gridcell" className={`cell cell-${name}`}>
          {tree === undefined || columnIndex > 0 ? null : <TreeIndent row={row} tree={tree} />}
          {show(row)}
        </div>
      ))}
    </div>
  )
  return (
    <div role="rowgroup" className="table-body" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const row = rows[index]
        return row === undefined ? null : showRow(row, index, start)
      })}
    </div>
  )
}

/** The number of levels that are indented. Deeper rows have the indentation of the last one. */
const indentedLevels = 12

function TreeIndent<Row>({ row, tree }: { row: Row; tree: TreeState<Row> }) {
  const isExpanded = tree.isExpanded(row)
  const shape = isExpanded === undefined ? 'leaf' : isExpanded ? 'open' : 'closed'
  const depth = Math.min(tree.levelOf(row), indentedLevels) - 1
  return (
    <span
      className={`tree-toggle tree-${shape}`}
      style={{ marginInlineStart: depth * 18 }}
      aria-hidden="true"
      onClick={event => {
        if (isExpanded === undefined) return
        event.stopPropagation()
        tree.onToggle(row)
      }}
    >
      {isExpanded === undefined ? null : (
        <svg viewBox="0 0 16 16">
          <path d="M6 4l4 4-4 4" />
        </svg>
      )}
    </span>
  )
}

function includeIndex(range: Range, index: number): number[] {
  const indexes = defaultRangeExtractor(range)
  if (index < 0 || indexes.includes(index)) return indexes
  return [...indexes, index].toSorted((a, b) => a - b)
}

function rowClassOf(flags: Readonly<Record<string, boolean>>): string {
  const names = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : []))
  return ['table-row', ...names].join(' ')
}
