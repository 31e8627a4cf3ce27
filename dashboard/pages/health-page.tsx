import { useMemo } from 'react'
import type { DashboardClient } from '../api/dashboard-client.ts'
import {
  apiPathOf,
  type ListPage,
  type ShownDeployment,
  type ShownStack,
  type StackListPage,
} from '../api/api-views.ts'
import { readPages } from '../api/read-pages.ts'
import { usePolled } from '../api/use-polled.ts'
import { commandLabelOf } from '../format/deployment-status.ts'
import { formatCount } from '../format/format-count.ts'
import { hrefOf } from '../routing/page-route.ts'
import { openRoute } from '../routing/use-route.ts'
import { useClient } from '../session/client-context.ts'
import { DocumentList } from './document-list.tsx'
import { PolledSection } from '../widgets/polled-section.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { StatusLabel } from '../widgets/status-label.tsx'
import { RunTimeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'

const pollMs = 10_000
/** Maximum number of pages of stacks that are read. */
const pagesMax = 100
/** Open deployments whose records are read. The others are only counted. */
const openMax = 50

/** Undelivered notifications that are read: one page of the API. */
const undeliveredMax = 100

/** An open deployment with the holder of its log. */
interface OpenDeployment extends ShownDeployment {
  readonly holder?: string
}

interface OpenItem {
  readonly stack: ShownStack
  readonly deployment: OpenDeployment
}

/** The health of a platform, as its API shows it. */
interface PlatformHealth {
  /** The time until the API answered, in ms. */
  readonly answerMs: number
  readonly stackCount: number
  readonly unreadable: StackListPage['unreadable']
  readonly openCount: number
  readonly openItems: readonly OpenItem[]
  /** The number of undelivered notifications of one page, and whether there are more. */
  readonly undelivered: { readonly count: number; readonly hasMore: boolean }
}

/** Shows whether the platform answers, and what waits or is stuck in it. */
export function HealthPage() {
  const { client } = useClient()
  const nowMs = useNow(1_000)
  const { value: health, failure } = usePolled({
    key: 'health',
    intervalMs: pollMs,
    read: signal => readHealth(client, signal),
  })
  const columns = useMemo(() => createColumns(nowMs), [nowMs])
  if (health === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading the health" />
    ) : (
      <FailureNote failure={failure} />
    )
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <HealthFacts health={health} />
      <section className="page-section" aria-label="Open deployments">
        <h2>Open deployments</h2>
        {health.openItems.length === 0 ? (
          <p className="quiet">none</p>
        ) : (
          <VirtualTable
            label="Open deployments"
            className="open-table"
            columns={columns}
            rows={health.openItems}
            keyOf={({ stack }) => stack.id}
            onOpen={({ stack, deployment: { number } }) =>
              openRoute(
                hrefOf({ kind: 'deployment', project: stack.project, stack: stack.stack, number }),
              )
            }
          />
        )}
        {health.openCount > health.openItems.length ? (
          <p className="quiet">
            and {formatCount(health.openCount - health.openItems.length, 'other open deployment')}
          </p>
        ) : null}
      </section>
      <QueueDepths />
    </>
  )
}

/** A queue in the API. */
interface QueueView {
  readonly queue: string
  readonly waiting: number
  readonly held: number
  readonly dead?: number
}

/** Shows the approximate numbers of messages of each queue of an installation on AWS. */
function QueueDepths() {
  return (
    <PolledSection<ListPage<QueueView>>
      title="Queues"
      path="/v1/queues"
      show={({ items }) =>
        items.length === 0 ? (
          <p className="quiet">This server has no queues outside its process.</p>
        ) : (
          <DocumentList
            items={items.map(({ queue, waiting, held, dead = 0 }) => ({
              name: queue,
              facts: [
                `${waiting} waiting`,
                `${held} in work`,
                ...(dead === 0 ? [] : [formatCount(dead, 'dead letter')]),
              ],
            }))}
          />
        )
      }
    />
  )
}

function HealthFacts({ health }: { health: PlatformHealth }) {
  const { answerMs, stackCount, unreadable, openCount, openItems, undelivered } = health
  const stuckCount = openItems.reduce((sum, item) => sum + (item.deployment.undelivered ?? 0), 0)
  const undeliveredText = `${formatCount(undelivered.count, 'notification')}${undelivered.hasMore ? ' or more' : ''}`
  const facts = [
    ['API', true, `answers within ${Math.round(answerMs)} ms`],
    ['Stacks', unreadable.length === 0, readableTextOf(stackCount, unreadable)],
    ['Open deployments', true, openCount === 0 ? 'none' : String(openCount)],
    // Without known dead letters the row is omitted: on AWS the API cannot list them, so `none` may
    // be wrong.
    ...(stuckCount === 0
      ? []
      : [
          [
            'Dead letters',
            false,
            `${stuckCount}: retry them with the action Redrive of their deployments`,
          ] as const,
        ]),
    [
      'Undelivered',
      undelivered.count === 0,
      undelivered.count === 0 ? 'none' : `${undeliveredText}: see the tab Notifications`,
    ],
  ] as const
  return (
    <ul className="card schedule-list health-list" aria-label="Health">
      {facts.map(([name, isGood, text]) => (
        <li key={name}>
          <b>{name}</b>
          <StatusLabel status={{ text, tone: isGood ? 'good' : 'bad' }} />
        </li>
      ))}
    </ul>
  )
}

function readableTextOf(count: number, unreadable: StackListPage['unreadable']): string {
  if (unreadable.length === 0) return `${formatCount(count, 'stack')}, all readable`
  const names = unreadable.map(({ id, code }) => `${id} (${code})`)
  return `the records of ${names.join(', ')} cannot be read`
}

async function readHealth(client: DashboardClient, signal: AbortSignal): Promise<PlatformHealth> {
  const startMs = performance.now()
  await client.read('/v1/whoami', signal)
  const answerMs = performance.now() - startMs
  const [pages, undelivered] = await Promise.all([
    readPages<StackListPage>(client, '/v1/stacks?last=true', { signal, pagesMax }),
    client.read<ListPage<unknown>>(`/v1/dead-notifications?limit=${undeliveredMax}`, signal),
  ])
  const stacks = pages.flatMap(({ items }) => items)
  const openStacks = stacks.filter(({ current }) => current !== '')
  const openItems = await Promise.all(
    openStacks.slice(0, openMax).map(async (stack): Promise<OpenItem> => {
      const path = `${apiPathOf(stack)}/deployments/${stack.deployments}`
      return { stack, deployment: await client.read<OpenDeployment>(path, signal) }
    }),
  )
  return {
    answerMs,
    stackCount: stacks.length,
    openCount: openStacks.length,
    openItems,
    unreadable: pages.at(-1)?.unreadable ?? [],
    undelivered: {
      count: undelivered.items.length,
      hasMore: undelivered.items.length === undeliveredMax,
    },
  }
}

function createColumns(nowMs: number): readonly TableColumn<OpenItem>[] {
  return [
    {
      name: 'stack',
      header: 'Stack',
      show: ({ stack: { project, stack } }) => (
        <>
          <span className="quiet">{project} / </span>
          <b>{stack}</b>
        </>
      ),
      sortBy: ({ stack: { id } }) => id,
    },
    {
      name: 'deployment',
      header: 'Deployment',
      show: ({ deployment: { number, command } }) => `#${number} ${commandLabelOf(command)}`,
      sortBy: ({ deployment }) => deployment.number,
    },
    {
      name: 'since',
      header: 'Runs',
      show: ({ deployment }) => <RunTimeText deployment={deployment} nowMs={nowMs} />,
      sortBy: ({ deployment }) => deployment.startedAt,
    },
    {
      name: 'holder',
      header: 'Held by',
      show: ({ deployment: { holder = '' } }) => (holder === '' ? 'nothing' : holder),
      sortBy: ({ deployment }) => deployment.holder,
    },
    {
      name: 'state',
      header: 'State',
      show: ({ deployment }) => <StatusLabel status={stateOf(deployment)} />,
    },
  ]
}

function stateOf({ stop = 'none', undelivered = 0 }: OpenDeployment) {
  if (undelivered > 0) return { text: `${undelivered} undelivered`, tone: 'bad' } as const
  if (stop !== 'none') return { text: 'stopping', tone: 'warn' } as const
  return { text: 'open', tone: 'busy' } as const
}
