import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { EngineEventPayload, EventSink } from '../../shared/engine/events/event.ts'
import type { DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { type ErrorCode, catalogue } from '../../shared/errors/catalogue.ts'
import { error, hasCode } from '../../shared/errors/error.ts'
import type { ApiClient } from './api-client.ts'
import { followStream } from './event-source.ts'

/** What is asked of an API: a deployment or preview of a program that was sent. */
export interface RemoteRequest {
  readonly dryRun: boolean
  readonly archive: string
  readonly options: Readonly<Record<string, unknown>>
}

const changesForm = z.record(z.string(), z.number())
const resultForm = z.enum(['succeeded', 'failed', 'cancelled', 'interrupted'])
const endForm = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('deployed'),
    result: resultForm,
    changes: changesForm,
    pending: z.array(z.object({ urn: z.string(), type: z.string() })),
  }),
  z.object({ kind: z.literal('previewed'), result: resultForm, changes: changesForm }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
  z.object({ kind: z.literal('superseded'), by: z.string() }),
  z.object({ kind: z.literal('removed') }),
])

/**
 * Asks for a deployment or preview, and tells what it tells. What it comes to is that of the
 * deployment; a request that is refused throws its code, or REQUEST_REFUSED.
 */
export async function deployRemotely(
  client: ApiClient,
  path: string,
  { dryRun, archive, options }: RemoteRequest,
  sink: EventSink,
): Promise<RunningDeployment> {
  const key = randomUUID()
  await client.call({
    method: 'POST',
    path: `${path}/${dryRun ? 'previews' : 'deployments'}`,
    body: { ...options, archive },
    headers: { 'idempotency-key': key },
    isRepeatable: true,
  })
  const started = Promise.withResolvers<number>()
  let isStarted = false
  // Nobody waits for it unless somebody cancels.
  started.promise.catch(() => undefined)
  const onNumber = (number: number): void => {
    isStarted = true
    started.resolve(number)
  }
  const withdraw = async (): Promise<{ readonly isWithdrawn: boolean }> => {
    const at = `${path}/requests/${key}`
    const answer = await client.call({ method: 'DELETE', path: at }).catch((thrown: unknown) => {
      if (!hasCode(thrown, 'REQUEST_BEGUN')) throw thrown
      return client.call({ method: 'GET', path: at })
    })
    const { end } = z.object({ end: z.object({ kind: z.string() }) }).parse(answer)
    return { isWithdrawn: end.kind !== 'started' }
  }
  const cancel = async (force: boolean): Promise<void> => {
    // What waits behind other deployments has no number yet.
    if (!isStarted && (await withdraw()).isWithdrawn) return
    await requestStop(client, `${path}/deployments/${await started.promise}`, force)
  }
  const done = followDeployment(client, `${path}/requests/${key}/stream`, { sink, onNumber })
  return { done, ...createStops(sink, cancel) }
}

/**
 * Has whoever serves go on with an open deployment now, and tells what it tells, from its beginning
 * on. Throws NOTHING_TO_RESUME and what the API says.
 */
export async function resumeRemotely(
  client: ApiClient,
  path: string,
  number: number,
  sink: EventSink,
): Promise<RunningDeployment> {
  const at = `${path}/deployments/${number}`
  await client.call({ method: 'POST', path: `${at}/resume`, isRepeatable: true })
  const done = followDeployment(client, `${at}/stream`, { sink, onNumber: () => undefined })
  return { done, ...createStops(sink, force => requestStop(client, at, force)) }
}

async function requestStop(client: ApiClient, at: string, force: boolean): Promise<void> {
  const body = { force }
  await client.call({ method: 'POST', path: `${at}/cancel`, body, isRepeatable: true })
}

/** Tells what a stream says until its end. */
async function followDeployment(
  client: ApiClient,
  path: string,
  { sink, onNumber }: { readonly sink: EventSink; readonly onNumber: (n: number) => void },
): Promise<DeployResult> {
  for await (const { event, data } of followStream(client, path)) {
    if (event === 'started') onNumber(z.object({ number: z.number() }).parse(data).number)
    if (event === 'events') for (const one of parseEvents(data)) sink.emit(one)
    if (event === 'end') return toDeployResult(data)
  }
  throw error('API_ANSWER_UNKNOWN', 'the stream of events has no end')
}

/** How a person stops what runs there; what comes of it is told by its stream. */
function createStops(
  sink: EventSink,
  cancel: (force: boolean) => Promise<void>,
): Pick<RunningDeployment, 'cancel' | 'terminate'> {
  const stop = (force: boolean): void => {
    cancel(force).catch((thrown: unknown) =>
      sink.emit({
        diagnosticEvent: {
          message: `it could not be told to stop: ${String(thrown)}\n`,
          color: 'raw',
          severity: 'warning',
        },
      }),
    )
  }
  return { cancel: () => stop(false), terminate: () => stop(true) }
}

/** Events are shown as they came: what the display does not know it leaves out. */
function parseEvents(data: unknown): readonly EngineEventPayload[] {
  return z.array(z.looseObject({})).parse(data) as unknown as readonly EngineEventPayload[]
}

/** Operations that change nothing. */
const quiet = new Set(['same', 'read', 'discard', 'read-replacement'])

function toDeployResult(data: unknown): DeployResult {
  const end = endForm.parse(data)
  if (end.kind === 'refused')
    throw isCode(end.code)
      ? error(end.code, end.message)
      : error('REQUEST_REFUSED', `${end.code}: ${end.message}`)
  if (end.kind === 'superseded')
    throw error('REQUEST_REFUSED', `the request ${end.by} does all that this one would have done`)
  if (end.kind === 'removed') throw error('REQUEST_REFUSED', 'the stack was removed')
  const { result, changes } = end
  const hasChanges = Object.entries(changes).some(([op, count]) => count > 0 && !quiet.has(op))
  return { result, changes, hasChanges, pending: end.kind === 'deployed' ? end.pending : [] }
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code)
}
