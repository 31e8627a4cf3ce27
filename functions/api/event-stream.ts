import { apiLimits } from '../../shared/config/api-limits.ts'
import { error } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import {
  type DeploymentId,
  deploymentIdOf,
  deploymentPartsOf,
  previewIdOf,
  type StackId,
} from '../../shared/records/ids.ts'
import type { RequestEnd } from '../../shared/records/request.ts'
import { readHistoryRecord } from '../../shared/engine/deployment/retention/stack-history.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import type { ApiPorts } from './define-route.ts'

/**
 * A message of a stream. `events`: engine events, with the id from which a new stream continues.
 * `started`: the number of the deployment that a request started. `end`: the result. `again`: the
 * stream has reached its maximum duration, and the client must reconnect with the last id. `alive`:
 * a heartbeat.
 */
export type StreamMessage =
  | { readonly event: 'events'; readonly id: string; readonly data: readonly unknown[] }
  | { readonly event: 'started'; readonly data: { readonly number: number } }
  | { readonly event: 'end'; readonly data: object }
  | { readonly event: 'again'; readonly data: object }
  | { readonly event: 'alive' }

/** The position of one caller's stream: its cursor, its end time, the time of its last message. */
interface StreamPosition {
  readonly ports: ApiPorts
  cursor: number
  readonly endMs: number
  lastMessageMs: number
}

/** Creates a position after the event of an id. Any id but a number starts at the first event. */
export function createStreamPosition(ports: ApiPorts, lastId: string): StreamPosition {
  const nowMs = ports.clock.monotonicMs()
  const cursor = /^\d{1,15}$/.test(lastId) ? Number(lastId) : 0
  return { ports, cursor, endMs: nowMs + apiLimits.streamMs, lastMessageMs: nowMs }
}

/**
 * Yields the progress of a request: heartbeats while the request waits, the events of its preview
 * or deployment, and its end.
 */
export async function* streamRequest(
  position: StreamPosition,
  {
    stack,
    key,
    dryRun,
  }: { readonly stack: StackId; readonly key: string; readonly dryRun: boolean },
): AsyncGenerator<StreamMessage> {
  const { requests } = position.ports
  for (;;) {
    const end = (await requests.find(stack, key))?.end
    // The events of a preview are stored before its end, so they are complete when the end exists.
    if (dryRun) yield* readNewEvents(position, previewIdOf(stack, key))
    if (end?.kind === 'started') {
      yield { event: 'started', data: { number: deploymentPartsOf(end.deployment).number } }
      return yield* streamDeployment(position, end.deployment)
    }
    if (end !== undefined) return yield { event: 'end', data: requestEndOf(end) }
    const pollMessage = await waitForNextPoll(position)
    if (pollMessage !== undefined) yield pollMessage
    if (pollMessage?.event === 'again') return
  }
}

/**
 * Yields the events of a deployment from the cursor on, and its result. Stops earlier with `again`
 * when the stream has reached its maximum duration.
 */
export async function* streamDeployment(
  position: StreamPosition,
  deployment: DeploymentId,
): AsyncGenerator<StreamMessage> {
  const { catalog, clock } = position.ports
  const { stack, number } = deploymentPartsOf(deployment)
  let endedMs: number | undefined
  let hasSummary = false
  for (;;) {
    const record = await findHistoryRecord(catalog, stack, number)
    for await (const message of readNewEvents(position, deployment)) {
      hasSummary ||= message.data.some(isSummary)
      yield message
    }
    if (record === undefined || record.result !== undefined) {
      endedMs ??= clock.monotonicMs()
      const isSummaryOverdue = clock.monotonicMs() - endedMs > apiLimits.lateEventsMs
      if (record === undefined || hasSummary || isSummaryOverdue)
        return yield { event: 'end', data: await deploymentEndOf(position.ports, stack, record) }
    }
    const pollMessage = await waitForNextPoll(position)
    if (pollMessage !== undefined) yield pollMessage
    if (pollMessage?.event === 'again') return
  }
}

async function* readNewEvents(
  position: StreamPosition,
  id: DeploymentId,
): AsyncGenerator<StreamMessage & { readonly event: 'events' }> {
  for (;;) {
    const { events } = position.ports
    const page = await events.read(id, position.cursor, apiLimits.eventsPerMessage)
    if (page.events.length === 0) return
    position.cursor = page.cursor
    const data = page.events.map((line): unknown => JSON.parse(line))
    position.lastMessageMs = position.ports.clock.monotonicMs()
    yield { event: 'events', id: String(page.cursor), data }
  }
}

/** Waits until the next poll. Returns a message to send, if any. */
async function waitForNextPoll(position: StreamPosition): Promise<StreamMessage | undefined> {
  const { clock } = position.ports
  if (clock.monotonicMs() >= position.endMs) return { event: 'again', data: {} }
  await clock.sleep(apiLimits.streamPollMs)
  if (clock.monotonicMs() - position.lastMessageMs < apiLimits.heartbeatMs) return undefined
  position.lastMessageMs = clock.monotonicMs()
  return { event: 'alive' }
}

function isSummary(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'summaryEvent' in event
}

function requestEndOf(end: Exclude<RequestEnd, { readonly kind: 'started' }>): object {
  return end
}

async function findHistoryRecord(
  catalog: ApiPorts['catalog'],
  stack: StackId,
  number: number,
): Promise<HistoryRecord | undefined> {
  const record = await catalog.getStack(stack)
  if (record === undefined) return undefined
  return readHistoryRecord(catalog, deploymentIdOf(stack, number))
}

/**
 * Returns the result of a deployment. Lists the pending operations of its state only while no later
 * state is published.
 */
async function deploymentEndOf(
  { catalog, blobs }: ApiPorts,
  stack: StackId,
  record: HistoryRecord | undefined,
): Promise<object> {
  if (record === undefined) return { kind: 'removed' }
  const { result, changes, version } = record
  const stackRecord = await catalog.getStack(stack)
  const isCurrentVersion =
    stackRecord !== undefined && stackRecord.snapshot !== '' && stackRecord.version === version
  const pending = isCurrentVersion
    ? ((await readSnapshotBlob(blobs, stackRecord.snapshot)).pending_operations ?? [])
    : []
  const pendingOperations = pending.map(({ resource, type }) => ({ urn: resource.urn, type }))
  return { kind: 'deployed', result, changes: changes ?? {}, version, pending: pendingOperations }
}

const encoder = new TextEncoder()
const openStreams = { count: 0 }

/**
 * Returns messages as server-sent events. Reading stops when the client disconnects. Throws
 * API_RATE_LIMITED when too many streams are open.
 */
export function toStreamResponse(
  ports: Pick<ApiPorts, 'logger'>,
  messages: AsyncGenerator<StreamMessage>,
): Response {
  if (openStreams.count >= apiLimits.streamsMax) {
    const details = { retryAfterSeconds: 5 }
    throw error('API_RATE_LIMITED', 'too many streams are open', { details })
  }
  openStreams.count += 1
  let isOpen = true
  const close = (): void => {
    if (isOpen) openStreams.count -= 1
    isOpen = false
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await messages.next()
        if (next.done !== true) return controller.enqueue(encoder.encode(messageTextOf(next.value)))
        close()
        controller.close()
      } catch (thrown) {
        close()
        ports.logger.write('error', 'api.stream-failed', { message: String(thrown) })
        // The client reconnects with its last id.
        controller.error(thrown)
      }
    },
    async cancel() {
      close()
      await messages.return(undefined)
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  })
}

/**
 * Returns a message as text. JSON contains no raw line breaks, so the data of a message is one
 * line.
 */
function messageTextOf(message: StreamMessage): string {
  if (message.event === 'alive') return ': alive\n\n'
  const id = message.event === 'events' ? `id: ${message.id}\n` : ''
  return `${id}event: ${message.event}\ndata: ${JSON.stringify(message.data)}\n\n`
}
