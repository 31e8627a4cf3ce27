import type { CatalogPort, HistoryRecord, StackRecord } from '../shared/ports/catalog.ts'
import type { NotificationsPort } from '../shared/ports/notifications.ts'
import { listOpenDeployments } from '../shared/ports/open-deployments.ts'
import type { RequestsPort } from '../shared/ports/requests.ts'
import type { ClockPort } from '../shared/ports/system.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import { stackPartsOf } from '../shared/records/ids.ts'
import type { StackRequest } from '../shared/records/stack-request.ts'
import { measureOldestRequestMs, skipUnreadable } from './oldest-request.ts'
import type { Metric, Sample } from './prometheus-text.ts'

/** The ports from which metrics are read. */
export interface MetricPorts {
  readonly catalog: Pick<CatalogPort, 'listStacks' | 'listHistory'>
  readonly requests: Pick<RequestsPort, 'listWaiting'>
  readonly notifications: Pick<NotificationsPort, 'listDeadLetters'>
  readonly readOldestChainAgeMs: EmbeddedPlatform['readOldestChainAgeMs']
  readonly clock: Pick<ClockPort, 'now'>
}

/** The records of a stack from which its metrics are computed. */
export interface MeasuredStack {
  readonly record: StackRecord
  /** The last entry of the history that has ended. */
  readonly lastEnded: HistoryRecord | undefined
  readonly waiting: readonly StackRequest[]
}

/** Maximum number of waiting requests that are read per stack. */
const waitingMax = 100
/** Maximum number of dead letters of notifications that are read. */
const deadLettersMax = 1_000
/**
 * Maximum number of history entries that are read per stack. The newest entries may belong to
 * running deployments, so the last one that has ended may be an older entry.
 */
const entriesMax = 5

/**
 * Reads the metrics of all stacks and of this process. The metrics contain names of projects and
 * stacks, and no other text of a state, so they contain no secret.
 */
export async function collectMetrics(ports: MetricPorts): Promise<readonly Metric[]> {
  const { stacks, unreadable } = await ports.catalog.listStacks()
  const results = await Promise.all(stacks.map(record => readStack(ports, record)))
  const measuredStacks = results.filter(result => result !== undefined)
  const unreadableCount = unreadable.length + results.length - measuredStacks.length
  const deadLetters = await ports.notifications.listDeadLetters(deadLettersMax)
  const oldestChainMs = await ports.readOldestChainAgeMs()
  return [
    ...measureStacks(measuredStacks, ports.clock.now()),
    createGauge(
      'oldest_chain_age_seconds',
      'Age of the oldest chain that waits for an executor.',
      oldestChainMs / 1_000,
    ),
    createGauge('unreadable_stacks', 'Stacks with an unreadable record.', unreadableCount),
    createGauge('dead_notifications', 'Notifications without a delivery.', deadLetters.length),
    ...measureProcess(),
  ]
}

/**
 * Reads the history and the requests of a stack. Returns undefined when a record is unreadable, so
 * that one stack does not hide the metrics of the others. Throws the errors of the store.
 */
async function readStack(
  { catalog, requests }: MetricPorts,
  record: StackRecord,
): Promise<MeasuredStack | undefined> {
  return skipUnreadable(async () => {
    const history = await catalog.listHistory(record.id, entriesMax)
    const waiting = await requests.listWaiting(record.id, waitingMax)
    return { record, lastEnded: history.find(entry => entry.endedAt !== undefined), waiting }
  })
}

/** Returns the metrics of stacks at the time `nowMs`. Pure. */
export function measureStacks(
  measuredStacks: readonly MeasuredStack[],
  nowMs: number,
): readonly Metric[] {
  const waitingRequests = measuredStacks.flatMap(stack => stack.waiting)
  const openDeployments = measuredStacks.flatMap(({ record }) => listOpenDeployments(record))
  const perStack = (sampleOf: (lastEnded: HistoryRecord) => readonly Sample[]): readonly Sample[] =>
    measuredStacks.flatMap(({ record, lastEnded }) =>
      lastEnded === undefined
        ? []
        : sampleOf(lastEnded).map(({ value, labels }) => ({
            value,
            labels: { ...stackPartsOf(record.id), ...labels },
          })),
    )
  return [
    createGauge('stacks', 'Stacks in the store.', measuredStacks.length),
    createGauge(
      'open_deployments',
      'Deployments that are running or interrupted.',
      openDeployments.length,
    ),
    createGauge('waiting_requests', 'Requests that have not ended.', waitingRequests.length),
    createGauge(
      'oldest_request_age_seconds',
      'Age of the oldest request that has not ended.',
      measureOldestRequestMs(waitingRequests, nowMs) / 1_000,
    ),
    {
      name: `${prefix}last_deployment_success`,
      kind: 'gauge',
      help: 'Whether the last deployment of the stack succeeded.',
      samples: perStack(({ command, result }) => [
        { value: result === 'succeeded' ? 1 : 0, labels: { command } },
      ]),
    },
    {
      name: `${prefix}last_deployment_end_timestamp_seconds`,
      kind: 'gauge',
      help: 'End of the last deployment of the stack.',
      samples: perStack(({ endedAt = 0 }) => [{ value: endedAt / 1_000 }]),
    },
    {
      name: `${prefix}last_deployment_duration_seconds`,
      kind: 'gauge',
      help: 'Duration of the last deployment of the stack.',
      samples: perStack(({ startedAt, endedAt = 0 }) => [{ value: (endedAt - startedAt) / 1_000 }]),
    },
    {
      name: `${prefix}last_deployment_operations`,
      kind: 'gauge',
      help: 'Operations of the last deployment of the stack, by kind.',
      samples: perStack(({ changes = {} }) =>
        Object.entries(changes).map(([operation, value]) => ({ value, labels: { operation } })),
      ),
    },
  ]
}

const prefix = 'antichain_'

function createGauge(name: string, help: string, value: number): Metric {
  return { name: `${prefix}${name}`, kind: 'gauge', help, samples: [{ value }] }
}

/** Returns the metrics of this process, with the names that Prometheus' clients use. */
function measureProcess(): readonly Metric[] {
  const { user, system } = process.cpuUsage()
  const startSeconds = Math.round(Date.now() / 1_000 - process.uptime())
  return [
    {
      name: 'process_cpu_seconds_total',
      kind: 'counter',
      help: 'Processor time of this process.',
      samples: [{ value: (user + system) / 1_000_000 }],
    },
    {
      name: 'process_resident_memory_bytes',
      kind: 'gauge',
      help: 'Resident memory of this process.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      kind: 'gauge',
      help: 'Start of this process, as seconds since 1970.',
      samples: [{ value: startSeconds }],
    },
  ]
}
