import { useMemo, useState } from 'react'
import { Checkbox } from 'react-aria-components'
import type { ShownOperation } from '../api/operation-views.ts'
import {
  createTimeLine,
  durationMsOf,
  listCriticalIds,
  listTimeLineSegments,
  segmentKinds,
  type TimeLineClock,
  type TimeLineRow,
  waitedMsOf,
} from '../deployment/time-line.ts'
import { formatSpan } from '../format/format-time.ts'
import { createMatcher } from '../format/match-filter.ts'
import { stageStatusOf } from '../format/wait-status.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { useNow } from '../widgets/use-now.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'

const segmentLabels: Readonly<Record<(typeof segmentKinds)[number], string>> = {
  needs: 'waits for operations',
  slot: 'waits for a slot',
  limit: 'waits for a limit',
  queue: 'waits in the queue',
  call: 'provider',
  running: 'running',
  failed: 'failed',
}

/** Shows one bar per operation, with the critical path and the parts of each wait. */
export function DeploymentTimeLine(props: {
  operations: readonly ShownOperation[]
  startedAt: number
  /** Undefined while the deployment is open. */
  endedAt: number | undefined
  onOpen: (urn: string) => void
}) {
  const { operations, startedAt, endedAt, onOpen } = props
  const [filter, setFilter] = useState('')
  const [isCriticalOnly, setIsCriticalOnly] = useState(false)
  const currentMs = useNow(endedAt === undefined ? 1_000 : 30_000)
  const nowMs = endedAt ?? currentMs
  const timeLine = useMemo(() => createTimeLine(startedAt), [startedAt])
  const rows = useMemo(() => timeLine.update(operations), [timeLine, operations])
  const criticalIds = useMemo(() => listCriticalIds(operations), [operations])
  const shownRows = useMemo(() => {
    const matches = createMatcher(filter)
    if (matches === undefined && !isCriticalOnly) return rows
    return rows.filter(
      ({ name, operation }) =>
        (!isCriticalOnly || criticalIds.has(operation.id)) && matches?.(name) !== false,
    )
  }, [rows, filter, isCriticalOnly, criticalIds])
  const columns = useMemo(
    () => createColumns({ startedAt, nowMs }, criticalIds),
    [startedAt, nowMs, criticalIds],
  )
  return (
    <>
      <div className="table-tools">
        <SearchBox
          label="Filter the time line"
          placeholder="Filter by operation or name"
          value={filter}
          onChange={setFilter}
        />
        <Checkbox className="checkbox" isSelected={isCriticalOnly} onChange={setIsCriticalOnly}>
          <span className="checkbox-box" aria-hidden="true" />
          Only the critical path
        </Checkbox>
      </div>
      <Legend />
      {shownRows.length === 0 ? (
        <EmptyNote
          title={rows.length === 0 ? 'No operation was planned' : 'No operation matches'}
        />
      ) : (
        <VirtualTable
          label="Time line"
          className="time-line-table"
          columns={columns}
          rows={shownRows}
          keyOf={({ key }) => key}
          onOpen={({ operation }) => onOpen(operation.urn)}
        />
      )}
    </>
  )
}

function createColumns(
  clock: TimeLineClock,
  criticalIds: ReadonlySet<number>,
): readonly TableColumn<TimeLineRow>[] {
  const { startedAt, nowMs } = clock
  return [
    {
      name: 'name',
      header: 'Operation',
      show: ({ name, operation }) => (
        <>
          <b title={operation.urn}>{name}</b>{' '}
          {criticalIds.has(operation.id) ? (
            <span className="tag tag-critical">critical</span>
          ) : null}
        </>
      ),
      sortBy: ({ name }) => name,
    },
    {
      name: 'bar',
      header: `From 0 to ${formatSpan(nowMs - startedAt)}`,
      show: ({ operation }) => (
        <TimeLineBar {...{ operation, clock }} isCritical={criticalIds.has(operation.id)} />
      ),
    },
    {
      name: 'start',
      header: 'Start',
      show: ({ startMs }) => formatSpan(startMs),
      sortBy: ({ startMs }) => startMs,
    },
    {
      name: 'waited',
      header: 'Waiting',
      show: ({ operation }) => formatSpan(waitedMsOf(operation, nowMs)),
      sortBy: ({ operation }) => waitedMsOf(operation, nowMs),
    },
    {
      name: 'duration',
      header: 'Duration',
      show: ({ operation }) => {
        const durationMs = durationMsOf(operation)
        return durationMs === undefined ? (
          <StatusLabel status={stageStatusOf(operation)} />
        ) : (
          formatSpan(durationMs)
        )
      },
      sortBy: ({ operation }) => durationMsOf(operation) ?? 0,
    },
  ]
}

/** The width of a bar, in the units in which its segments are drawn. */
const barUnits = 1_000
/** The width of the shortest segments, below which a segment would be invisible. */
const segmentUnitsMin = 3

/** Draws the segments of a row. The other columns have the same facts as text. */
function TimeLineBar(props: {
  operation: ShownOperation
  clock: TimeLineClock
  isCritical: boolean
}) {
  const { operation, clock, isCritical } = props
  const totalMs = Math.max(1, clock.nowMs - clock.startedAt)
  const unitsOf = (ms: number): number => (ms / totalMs) * barUnits
  return (
    <svg
      className={`time-line-bar${isCritical ? ' is-critical' : ''}`}
      viewBox={`0 0 ${barUnits} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className="segment-track" x="0" y="9" width={barUnits} height="2" />
      {listTimeLineSegments(operation, clock).map(({ kind, startMs, endMs }) => {
        const width = Math.max(segmentUnitsMin, unitsOf(endMs - startMs))
        const isWait = !['call', 'failed', 'running'].includes(kind)
        return (
          <rect
            key={kind}
            className={`segment-${kind}`}
            x={Math.min(unitsOf(startMs), barUnits - segmentUnitsMin)}
            y={isWait ? 6 : 2}
            width={width}
            height={isWait ? 8 : 16}
          />
        )
      })}
    </svg>
  )
}

function Legend() {
  return (
    <ul className="time-line-legend" aria-label="Legend">
      {segmentKinds.map(kind => (
        <li key={kind}>
          <svg viewBox="0 0 14 14" aria-hidden="true">
            <rect className={`segment-${kind}`} width="14" height="14" />
          </svg>
          {segmentLabels[kind]}
        </li>
      ))}
    </ul>
  )
}
