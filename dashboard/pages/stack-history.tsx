import { useState } from 'react'
import { Button } from 'react-aria-components'
import type { ListPage, ProjectAndStack, ShownDeployment } from '../api/api-views.ts'
import { readPages } from '../api/read-pages.ts'
import { usePolled } from '../api/use-polled.ts'
import { commandLabelOf, listChangeTexts, resultStatusOf } from '../format/deployment-status.ts'
import { hrefOf } from '../routing/page-route.ts'
import { openRoute } from '../routing/use-route.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { RunTimeText } from '../widgets/time-text.tsx'
import { RequesterText } from './requester-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'
import { CompareForm } from './compare-form.tsx'

/** Shows the deployments of a stack, newest first. A row opens the page of its deployment. */
export function StackHistory(props: ProjectAndStack & { path: string; revision: string }) {
  const { project, stack, path, revision } = props
  const { client } = useClient()
  const [pagesMax, setPagesMax] = useState(1)
  const nowMs = useNow(1_000)
  const { value: pages, failure } = usePolled({
    key: path,
    revision: `${revision} ${pagesMax}`,
    intervalMs: 0,
    read: signal =>
      readPages<ListPage<ShownDeployment>>(client, `${path}/deployments`, { signal, pagesMax }),
  })
  if (pages === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading the history" />
    ) : (
      <FailureNote failure={failure} />
    )
  const deployments = pages.flatMap(({ items }) => items)
  if (deployments.length === 0) return <EmptyNote title="This stack was never deployed" />
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <CompareForm {...{ project, stack, deployments }} />
      <VirtualTable
        label="Deployments"
        className="history-table"
        columns={createColumns(nowMs)}
        rows={deployments}
        keyOf={({ number }) => String(number)}
        onOpen={({ number }) => openRoute(hrefOf({ kind: 'deployment', project, stack, number }))}
      />
      {pages.at(-1)?.next === undefined ? null : (
        <Button className="button load-more" onPress={() => setPagesMax(pages.length + 1)}>
          Show older deployments
        </Button>
      )}
    </>
  )
}

function createColumns(nowMs: number): readonly TableColumn<ShownDeployment>[] {
  return [
    {
      name: 'name',
      header: 'Deployment',
      show: ({ number, command }) => (
        <b>
          #{number} {commandLabelOf(command)}
        </b>
      ),
      sortBy: ({ number }) => number,
    },
    {
      name: 'status',
      header: 'Status',
      show: ({ result }) => <StatusLabel status={resultStatusOf(result)} />,
      sortBy: ({ result }) => resultStatusOf(result).text,
    },
    {
      name: 'when',
      header: 'When',
      show: deployment => <RunTimeText deployment={deployment} nowMs={nowMs} />,
      sortBy: ({ startedAt }) => startedAt,
    },
    {
      name: 'changes',
      header: 'Changes',
      show: ({ changes = {} }) => listChangeTexts(changes).join(', '),
      sortBy: countChanges,
    },
    {
      name: 'by',
      header: 'By',
      show: deployment => <RequesterText deployment={deployment} nowMs={nowMs} />,
      sortBy: ({ by }) => by,
    },
    {
      name: 'message',
      header: 'Message',
      show: ({ message }) => message,
      sortBy: ({ message }) => (message === '' ? undefined : message),
    },
  ]
}

function countChanges({ changes = {} }: ShownDeployment): number {
  return Object.entries(changes).reduce(
    (sum, [kind, count]) => (kind === 'same' ? sum : sum + count),
    0,
  )
}
