import { useMemo, useState } from 'react'
import type { ShownStack, StackListPage } from '../api/api-views.ts'
import { readPages } from '../api/read-pages.ts'
import { usePolled } from '../api/use-polled.ts'
import { commandLabelOf, resultStatusOf } from '../format/deployment-status.ts'
import { formatShownCount } from '../format/format-count.ts'
import { createMatcher } from '../format/match-filter.ts'
import { hrefOf } from '../routing/page-route.ts'
import { openRoute } from '../routing/use-route.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { SearchBox } from '../widgets/search-box.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { RunTimeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'
import { RequesterText } from './requester-text.tsx'
import { DriftLabel } from './drift-label.tsx'
import { usePageTitle } from './use-page-title.ts'

const pollMs = 5_000
/** The maximum number of pages of the API that are read. They contain at most 10,000 stacks. */
const pagesMax = 100

/** Shows all stacks of the token, with the last deployment of each. */
export function StacksPage() {
  const { client } = useClient()
  const heading = usePageTitle('Stacks')
  const [filter, setFilter] = useState('')
  const { value: pages, failure } = usePolled({
    key: 'stacks',
    intervalMs: pollMs,
    read: signal => readPages<StackListPage>(client, '/v1/stacks?last=true', { signal, pagesMax }),
  })
  const stacks = useMemo(() => pages?.flatMap(({ items }) => items), [pages])
  const unreadable = pages?.at(-1)?.unreadable ?? []
  const shownStacks = useMemo(() => filterStacks(stacks ?? [], filter), [stacks, filter])
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          Stacks
        </h1>
        {stacks === undefined ? null : (
          <p className="page-note" role="status">
            {formatShownCount(shownStacks.length, stacks.length, 'stack')}
          </p>
        )}
        <SearchBox
          label="Filter stacks"
          placeholder="Filter by project, stack, result or requester"
          value={filter}
          onChange={setFilter}
        />
      </div>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      {unreadable.map(({ id, code }) => (
        <p key={id} className="note note-warn" role="alert">
          The records of {id} cannot be read ({code}).
        </p>
      ))}
      {stacks === undefined && failure === undefined ? (
        <LoadingRows label="Reading stacks" />
      ) : null}
      {stacks === undefined ? null : <StackTable stacks={shownStacks} isFiltered={filter !== ''} />}
    </>
  )
}

function StackTable({
  stacks,
  isFiltered,
}: {
  stacks: readonly ShownStack[]
  isFiltered: boolean
}) {
  const nowMs = useNow(1_000)
  if (stacks.length === 0)
    return isFiltered ? (
      <EmptyNote title="No stack matches the filter" />
    ) : (
      <EmptyNote title="There are no stacks yet">
        Create one with <code>antichain stack init dev</code> in the folder of a program, or ask for
        a token that covers more stacks.
      </EmptyNote>
    )
  return (
    <VirtualTable
      label="Stacks"
      className="stacks-table"
      columns={createColumns(nowMs)}
      rows={stacks}
      keyOf={({ id }) => id}
      onOpen={({ project, stack }) =>
        openRoute(hrefOf({ kind: 'stack', project, stack, tab: 'resources' }))
      }
    />
  )
}

function createColumns(nowMs: number): readonly TableColumn<ShownStack>[] {
  return [
    {
      name: 'name',
      header: 'Stack',
      show: ({ project, stack }) => (
        <a
          tabIndex={-1}
          href={hrefOf({ kind: 'stack', project, stack, tab: 'resources' })}
          onClick={event => event.stopPropagation()}
        >
          <span className="quiet">{project} / </span>
          <b>{stack}</b>
        </a>
      ),
      sortBy: ({ project, stack }) => `${project} / ${stack}`,
    },
    {
      name: 'status',
      header: 'Status',
      show: ({ last }) =>
        last === undefined ? (
          <StatusLabel status={{ text: 'never deployed', tone: 'quiet' }} />
        ) : (
          <StatusLabel status={resultStatusOf(last.result)} />
        ),
      sortBy: ({ last }) => (last === undefined ? undefined : resultStatusOf(last.result).text),
    },
    {
      name: 'last',
      header: 'Last deployment',
      show: ({ last }) =>
        last === undefined ? null : `#${last.number} ${commandLabelOf(last.command)}`,
      sortBy: ({ last }) => last?.number,
    },
    {
      name: 'when',
      header: 'When',
      show: ({ last }) =>
        last === undefined ? null : <RunTimeText deployment={last} nowMs={nowMs} />,
      sortBy: ({ last }) => last?.startedAt,
    },
    {
      name: 'by',
      header: 'By',
      show: ({ last }) =>
        last === undefined ? null : <RequesterText deployment={last} nowMs={nowMs} />,
      sortBy: ({ last }) => last?.by,
    },
    { name: 'drift', header: 'Drift', show: stack => <DriftLabel stack={stack} /> },
  ]
}

/** Returns the stacks with every word of a filter in their names or last deployment. Pure. */
function filterStacks(stacks: readonly ShownStack[], filter: string): readonly ShownStack[] {
  const matches = createMatcher(filter)
  return stacks.filter(({ project, stack, last }) => {
    const status = last === undefined ? 'never deployed' : resultStatusOf(last.result).text
    return (
      matches?.(`${project}/${stack} ${status} ${last?.command ?? ''} ${last?.by ?? ''}`) !== false
    )
  })
}
