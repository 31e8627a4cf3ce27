import type { WaveCounts } from '../deployment/wave-counts.ts'
import { formatNumber } from '../format/format-count.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'

const columns: readonly TableColumn<WaveCounts>[] = [
  {
    name: 'wave',
    header: 'Wave',
    show: ({ wave }) => <b>{wave}</b>,
    sortBy: ({ wave }) => wave,
  },
  { name: 'bar', header: 'Progress', show: counts => <WaveBar counts={counts} /> },
  {
    name: 'counts',
    header: 'Deletes',
    show: countsTextOf,
    sortBy: ({ total }) => total,
  },
]

/**
 * Shows the progress of each wave of deletes. A wave waits only for those deletes that it needs.
 */
export function WaveTable({ waves }: { waves: readonly WaveCounts[] }) {
  return (
    <VirtualTable
      label="Waves"
      className="waves-table"
      columns={columns}
      rows={waves}
      keyOf={({ wave }) => String(wave)}
    />
  )
}

function countsTextOf({ total, done, running, failed }: WaveCounts): string {
  const parts = [
    `${formatNumber(done)} of ${formatNumber(total)} deleted`,
    ...(running === 0 ? [] : [`${formatNumber(running)} running`]),
    ...(failed === 0 ? [] : [`${formatNumber(failed)} failed`]),
  ]
  return parts.join(', ')
}

/** Draws the shares of a wave. The next column has the same numbers as text. */
function WaveBar({ counts }: { counts: WaveCounts }) {
  const { total, done, running, failed } = counts
  return (
    <svg
      className="time-line-bar"
      viewBox={`0 0 ${total} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className="segment-track" y="4" width={total} height="12" />
      <rect className="segment-call" y="4" width={done} height="12" />
      <rect className="segment-failed" x={done} y="4" width={failed} height="12" />
      <rect className="segment-running" x={done + failed} y="4" width={running} height="12" />
    </svg>
  )
}
