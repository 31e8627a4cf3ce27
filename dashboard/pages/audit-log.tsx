import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components'
import type { ListPage } from '../api/api-views.ts'
import { readPages } from '../api/read-pages.ts'
import { usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { AgeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'

/**
 * An entry of the audit log in the API. `asked`: written before the change. `answered`: written
 * after the change, with its status. `request`: the id of the request.
 */
interface AuditEntryView {
  readonly request: string
  readonly at: number
  readonly who: string
  readonly from: string
  readonly what: string
  readonly kind: 'asked' | 'answered'
  readonly status?: number
  readonly importedFrom?: string
}

const pollMs = 10_000

/** Shows the audit log, newest first: one row for each request. */
export function AuditLog() {
  const { client } = useClient()
  const nowMs = useNow(10_000)
  const [pagesMax, setPagesMax] = useState(1)
  const { value: pages, failure } = usePolled({
    key: 'audit',
    revision: pagesMax,
    intervalMs: pollMs,
    read: signal => readPages<ListPage<AuditEntryView>>(client, '/v1/audit', { signal, pagesMax }),
  })
  const requests = useMemo(() => mergeEntries(pages?.flatMap(({ items }) => items) ?? []), [pages])
  const columns = useMemo(() => createColumns(nowMs), [nowMs])
  if (pages === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading the audit log" />
    ) : (
      <FailureNote failure={failure} />
    )
  if (requests.length === 0) return <EmptyNote title="The audit log is empty" />
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <VirtualTable
        label="Audit log"
        className="audit-table"
        columns={columns}
        rows={requests}
        keyOf={keyOfRequest}
      />
      {pages.at(-1)?.next === undefined ? null : (
        <Button className="button load-more" onPress={() => setPagesMax(pages.length + 1)}>
          Show older entries
        </Button>
      )}
    </>
  )
}

/** Returns one entry for each request: the one with its status, if it was answered. */
function mergeEntries(entries: readonly AuditEntryView[]): readonly AuditEntryView[] {
  const byRequest = new Map<string, AuditEntryView>()
  // The newest entry of a request comes first, and has its status.
  for (const entry of entries) {
    const key = keyOfRequest(entry)
    if (!byRequest.has(key)) byRequest.set(key, entry)
  }
  return [...byRequest.values()]
}

/**
 * Returns the key of a request. It names the source too, because an import of this installation's
 * own export repeats the ids of requests.
 */
function keyOfRequest({ request, importedFrom = '' }: AuditEntryView): string {
  return JSON.stringify([importedFrom, request])
}

function createColumns(nowMs: number): readonly TableColumn<AuditEntryView>[] {
  return [
    {
      name: 'when',
      header: 'When',
      show: ({ at }) => <AgeText timeMs={at} nowMs={nowMs} />,
      sortBy: ({ at }) => at,
    },
    {
      name: 'who',
      header: 'Token',
      show: ({ who, importedFrom }) => (
        <>
          <b>{who}</b>
          {importedFrom === undefined ? null : <span className="tag">imported</span>}
        </>
      ),
      sortBy: ({ who }) => who,
    },
    {
      name: 'what',
      header: 'Request',
      show: ({ what }) => (
        <span className="code" title={what}>
          {what}
        </span>
      ),
      sortBy: ({ what }) => what,
    },
    {
      name: 'status',
      header: 'Result',
      show: ({ status }) => <StatusLabel status={statusWordOf(status)} />,
      sortBy: ({ status }) => status,
    },
    { name: 'from', header: 'Address', show: describeOrigin, sortBy: describeOrigin },
  ]
}

/** Returns the client address, with the installation that an imported entry comes from. */
function describeOrigin({ from, importedFrom }: AuditEntryView): string {
  return importedFrom === undefined ? from : `${from} (in ${importedFrom})`
}

function statusWordOf(status: number | undefined) {
  if (status === undefined) return { text: 'no result', tone: 'warn' } as const
  if (status < 400) return { text: 'done', tone: 'good' } as const
  return { text: `refused (${status})`, tone: 'bad' } as const
}
