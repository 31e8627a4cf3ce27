import {
  defaultRangeExtractor,
  type Range,
  type Virtualizer,
  useVirtualizer,
} from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { nextRowIndex } from './next-row-index.ts'
import { useMediaQuery } from './use-media-query.ts'

/** A column of a table. The name is also the class of its cells, which CSS places. */
export interface TableColumn<Row> {
  readonly name: string
  readonly header: string
  readonly show: (row: Row) => ReactNode
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
  readonly onOpen?: (row: Row) => void
  /** The key of the row whose details are shown. */
  readonly openKey?: string | undefined
}

/** Heights of a row in px. styles/widgets.css has the same numbers. */
const rowHeightPx = { wide: 44, narrow: 68 }
const overscanRows = 12

/**
 * Shows a table with any number of rows. The focus stays on the table, and the arrow keys, Page Up,
 * Page Down, Home and End move its active row.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, className, columns, rows, onOpen } = props
  const scrollRef = useRef<HTMLDivElement>(null)
  const tableId = useId()
  const [activeIndex, setActiveIndex] = useState(0)
  const rowHeight = useMediaQuery('(max-width: 720px)') ? rowHeightPx.narrow : rowHeightPx.wide
  const shownIndex = Math.min(activeIndex, rows.length - 1)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowHeight,
    overscan: overscanRows,
    // The active row stays in the document, because `aria-activedescendant` names it.
    rangeExtractor: range => includeIndex(range, shownIndex),
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[shownIndex]
    const pageRows = Math.floor((scrollRef.current?.clientHeight ?? rowHeight) / rowHeight) - 1
    const index = nextRowIndex(event.key, { index: shownIndex, count: rows.length, pageRows })
    if (index !== undefined) {
      setActiveIndex(index)
      virtualizer.scrollToIndex(index)
    } else if (row !== undefined && ['Enter', ' '].includes(event.key)) onOpen?.(row)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={scrollRef}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rows.length === 0 ? undefined : `${tableId}-${shownIndex}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={`table ${className}`}
    >
      <div role="rowgroup" className="table-head">
        <div role="row" aria-rowindex={1} className="table-row">
          {columns.map(({ name, header }) => (
            <div key={name} role="columnheader" className={`cell cell-${name}`}>
              {header}
            </div>
          ))}
        </div>
      </div>
      <VisibleRows {...{ props, virtualizer, tableId, shownIndex, setActiveIndex }} />
    </div>
  )
}

function VisibleRows<Row>(options: {
  readonly props: VirtualTableProps<Row>
  readonly virtualizer: Virtualizer<HTMLDivElement, HTMLDivElement>
  readonly tableId: string
  readonly shownIndex: number
  readonly setActiveIndex: (index: number) => void
}) {
  const { props, virtualizer, tableId, shownIndex, setActiveIndex } = options
  const { columns, rows, keyOf, onOpen, openKey } = props
  const showRow = (row: Row, index: number, startPx: number): ReactNode => (
    <div
      key={keyOf(row)}
      id={`${tableId}-${index}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={onOpen === undefined ? undefined : keyOf(row) === openKey}
      className={rowClassOf({
        'is-active': index === shownIndex,
        'is-last': index === rows.length - 1,
        'is-openable': onOpen !== undefined,
      })}
      style={{ transform: `translateY(${startPx}px)` }}
      onClick={() => {
        setActiveIndex(index)
        onOpen?.(row)
      }}
    >
      {columns.map(({ name, show }) => (
        <div key={name} role="gridcell" className={`cell cell-${name}`}>
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

function includeIndex(range: Range, index: number): number[] {
  const indexes = defaultRangeExtractor(range)
  if (index < 0 || indexes.includes(index)) return indexes
  return [...indexes, index].toSorted((a, b) => a - b)
}

function rowClassOf(marks: Readonly<Record<string, boolean>>): string {
  const names = Object.entries(marks).flatMap(([name, isSet]) => (isSet ? [name] : []))
  return ['table-row', ...names].join(' ')
}
