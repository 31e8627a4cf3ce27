import { apiLimits } from '../../shared/config/api-limits.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import {
  type DeploymentId,
  deploymentIdOf,
  deploymentPartsOf,
  previewIdOf,
  type StackId,
} from '../../shared/records/ids.ts'
import { readHistoryRecord } from '../../shared/engine/deployment/retention/read-history-and-versions.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import type { ApiPorts, StreamAccess } from '../../shared/api/define-route.ts'
import type { ReleaseSlot } from '../../shared/api/stream-slots.ts'

/**
 * A message of a stream. `events`: engine events, with the id from which a new stream continues.
 * `started`: the number of the deployment that a request started. `end`: the result. `again`: the
 * stream has reached its maximum duration, or its token is no longer valid. The client must then
 * reconnect with the last id, and gets an error if its token is invalid. `alive`: a heartbeat.
 */
export type StreamMessage =
  | { readonly event: 'events'; readonly id: string; readonly data: readonly unknown[] }
  | { readonly event: 'started'; readonly data: { readonly number: number } }
  | { readonly event: 'end'; readonly data: object }
  | { readonly event: 'again'; readonly data: object }
  | { readonly event: 'alive' }

/**
 * The changing position of one stream, and the ports that read its events. The times are those of
 * the monotonic clock.
 */
interface StreamPosition {
  readonly ports: ApiPorts
  readonly isTokenValid: StreamAccess['isTokenValid']
  /** The cursor from which events are read next. */
  cursor: number
  /** Whether the reader has the summary event of the deployment. */
  hasSummary: boolean
  /** The time at which the stream must end. */
  endMs: number
  lastMessageMs: number
  /** The time of the last check of the token. */
  lastCheckMs: number
}

/** The id of a message: a cursor, then `s` if the summary was before it. */
const idPattern = /^(\d{1,15})(s?)$/

/**
 * Creates the position after the event with the id `lastId`. The stream starts at the first event
 * if `lastId` is not the id of a message.
 */
export function createStreamPosition(
  ports: ApiPorts,
  { isTokenValid }: Pick<StreamAccess, 'isTokenValid'>,
  lastId: string,
): StreamPosition {
  const nowMs = ports.clock.monotonicMs()
  const [, cursor = '0', flag = ''] = idPattern.exec(lastId) ?? []
  return {
    ports,
    isTokenValid,
    cursor: Number(cursor),
    hasSummary: flag !== '',
    endMs: nowMs + apiLimits.streamMs,
    lastMessageMs: nowMs,
    lastCheckMs: nowMs,
  }
}

/**
 * Yields the progress of a request: heartbeats while the request waits, the events of its preview
 * or deployment, and its end. Stops earlier with `again` when the reader must reconnect.
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
    // A request that waits for an approval has a preview too, which is read at its end.
    if (dryRun || end?.kind === 'previewed') yield* readNewEvents(position, previewIdOf(stack, key))
    if (await mustReconnect(position)) return yield { event: 'again', data: {} }
    if (end?.kind === 'started') {
      yield { event: 'started', data: { number: deploymentPartsOf(end.deployment).number } }
      return yield* streamDeployment(position, end.deployment)
    }
    if (end !== undefined) return yield { event: 'end', data: end }
    if (await waitForNextPoll(position)) yield { event: 'alive' }
  }
}

/**
 * Yields the events of a deployment from the cursor on, and its result. The summary event may be
 * stored after the result, so the stream waits up to `lateEventsMs` for it. Stops earlier with
 * `again` when the reader must reconnect.
 */
export async function* streamDeployment(
  position: StreamPosition,
  deployment: DeploymentId,
): AsyncGenerator<StreamMessage> {
  const { catalog, clock } = position.ports
  const { stack, number } = deploymentPartsOf(deployment)
  let endedMs: number | undefined
  for (;;) {
    const record = await findHistoryRecord(catalog, stack, number)
    for await (const message of readNewEvents(position, deployment)) {
      // A deployment without events gets no usage. Retention may have removed its records before,
      // and would then never remove a usage that is stored now.
      position.ports.assignUsage?.(deployment)
      yield message
    }
    if (await mustReconnect(position)) return yield { event: 'again', data: {} }
    if (record === undefined || record.result !== undefined) {
      endedMs ??= clock.monotonicMs()
      const isSummaryOverdue = clock.monotonicMs() - endedMs > apiLimits.lateEventsMs
      if (record === undefined || position.hasSummary || isSummaryOverdue)
        return yield { event: 'end', data: await deploymentEndOf(position.ports, stack, record) }
    }
    if (await waitForNextPoll(position)) yield { event: 'alive' }
  }
}

async function* readNewEvents(
  position: StreamPosition,
  id: DeploymentId,
): AsyncGenerator<StreamMessage & { readonly event: 'events' }> {
  for (;;) {
    if (await mustReconnect(position)) return
    const { events } = position.ports
    const page = await events.read(id, position.cursor, apiLimits.eventsPerMessage)
    if (page.events.length === 0) return
    position.cursor = page.cursor
    const data = page.events.map((line): unknown => JSON.parse(line))
    position.lastMessageMs = position.ports.clock.monotonicMs()
    position.hasSummary ||= data.some(isSummary)
    yield { event: 'events', id: `${page.cursor}${position.hasSummary ? 's' : ''}`, data }
    if (!page.hasMore) return
  }
}

/**
 * Reports whether the stream must end: it has reached its maximum duration, or its token is no
 * longer valid. Checks the token at most once in `tokenCheckMs`.
 */
async function mustReconnect(position: StreamPosition): Promise<boolean> {
  const nowMs = position.ports.clock.monotonicMs()
  if (nowMs >= position.endMs) return true
  if (nowMs - position.lastCheckMs < apiLimits.tokenCheckMs) return false
  position.lastCheckMs = nowMs
  if (await position.isTokenValid()) return false
  position.endMs = nowMs
  return true
}

/** Waits until the next poll. Reports whether a heartbeat is due. */
async function waitForNextPoll(position: StreamPosition): Promise<boolean> {
  const { clock } = position.ports
  await clock.sleep(apiLimits.streamPollMs)
  if (clock.monotonicMs() - position.lastMessageMs < apiLimits.heartbeatMs) return false
  position.lastMessageMs = clock.monotonicMs()
  return true
}

function isSummary(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'summaryEvent' in event
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

/**
 * Returns messages as server-sent events. Releases the slot of the stream at its end, or when the
 * client disconnects. A disconnection also stops the reading of events.
 */
export function toStreamResponse(
  ports: Pick<ApiPorts, 'logger'>,
  messages: AsyncGenerator<StreamMessage>,
  release: ReleaseSlot,
): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await messages.next()
        if (next.done !== true) return controller.enqueue(encoder.encode(messageTextOf(next.value)))
        // Lambda suspends the process at the end of the response, so the slot is released before.
        await release()
        controller.close()
      } catch (thrown) {
        await release().catch(() => undefined)
        ports.logger.write('error', 'api.stream-failed', { message: String(thrown) })
        // The client reconnects with its last id.
        controller.error(thrown)
      }
    },
    async cancel() {
      // The reading of events ends at the next message, at the latest at the next heartbeat.
      void messages.return(undefined)
      await release()
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
