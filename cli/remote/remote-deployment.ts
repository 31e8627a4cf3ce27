import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { EngineEventPayload, EventSink } from '../../shared/engine/events/event.ts'
import type { DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import { countChanges } from '../../shared/records/change-counts.ts'
import type { ApiClient } from './api-client.ts'
import { followStream } from './follow-stream.ts'
import { forecastForm } from './forecast-form.ts'
import { refusalErrorOf, refusalForm } from './refusal.ts'

/** A request to the API for a deployment or preview of an uploaded program. */
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
  z.object({
    kind: z.literal('previewed'),
    result: resultForm,
    changes: changesForm,
    forecast: forecastForm.optional(),
    approval: z.object({ expiresAt: z.number() }).optional(),
  }),
  refusalForm,
  z.object({ kind: z.literal('superseded'), by: z.string() }),
  z.object({ kind: z.literal('removed') }),
])

/**
 * Requests a deployment or preview, and emits its events. `done` resolves with the result of the
 * deployment. If the request is refused, `done` rejects with an error that has the code of the
 * refusal, or else REQUEST_REFUSED.
 */
export async function deployRemotely(
  client: ApiClient,
  stackPath: string,
  { dryRun, archive, options }: RemoteRequest,
  sink: EventSink,
): Promise<RunningDeployment> {
  const key = randomUUID()
  await client.call({
    method: 'POST',
    path: `${stackPath}/${dryRun ? 'previews' : 'deployments'}`,
    body: { ...options, archive },
    headers: { 'idempotency-key': key },
    isRepeatable: true,
  })
  const numberResolvers = Promise.withResolvers<number>()
  let isStarted = false
  const onNumber = (number: number): void => {
    isStarted = true
    numberResolvers.resolve(number)
  }
  /** Withdraws the request, unless its deployment has started. */
  const withdraw = async (): Promise<{ readonly hasStarted: boolean }> => {
    const requestPath = `${stackPath}/requests/${key}`
    const response = await client
      .call({ method: 'DELETE', path: requestPath })
      .catch((thrown: unknown) => {
        if (!hasCode(thrown, 'REQUEST_BEGUN')) throw thrown
        return client.call({ method: 'GET', path: requestPath })
      })
    const { end } = z.object({ end: z.object({ kind: z.string() }) }).parse(response)
    return { hasStarted: end.kind === 'started' }
  }
  const cancel = async (force: boolean): Promise<void> => {
    // A request that waits for other deployments has no number yet, and can be withdrawn.
    if (!isStarted && !(await withdraw()).hasStarted) return
    await requestStop(client, `${stackPath}/deployments/${await numberResolvers.promise}`, force)
  }
  const path = `${stackPath}/requests/${key}/stream`
  // Until the deployment has started, the events are those of its preview. Only diagnostics are
  // shown, because the others would look like changes.
  const shownSink: EventSink = {
    ...sink,
    emit: (...args) => {
      if (dryRun || isStarted || 'diagnosticEvent' in args[0]) sink.emit(...args)
    },
  }
  const done = followDeployment(client, path, { sink: shownSink, onNumber, key })
  return { done, ...createStopFunctions(sink, cancel) }
}

/**
 * Lets the server resume an interrupted deployment now, and emits its events from the beginning.
 * Throws NOTHING_TO_RESUME and the errors of the API.
 */
export async function resumeRemotely(
  client: ApiClient,
  stackPath: string,
  number: number,
  sink: EventSink,
): Promise<RunningDeployment> {
  const deploymentPath = `${stackPath}/deployments/${number}`
  await client.call({ method: 'POST', path: `${deploymentPath}/resume`, isRepeatable: true })
  const done = followDeployment(client, `${deploymentPath}/stream`, {
    sink,
    onNumber: () => undefined,
  })
  return { done, ...createStopFunctions(sink, force => requestStop(client, deploymentPath, force)) }
}

async function requestStop(
  client: ApiClient,
  deploymentPath: string,
  force: boolean,
): Promise<void> {
  const body = { force }
  await client.call({ method: 'POST', path: `${deploymentPath}/cancel`, body, isRepeatable: true })
}

/** Emits the events of a stream, and returns the result at its end. */
async function followDeployment(
  client: ApiClient,
  path: string,
  {
    sink,
    onNumber,
    key,
  }: {
    readonly sink: EventSink
    readonly onNumber: (deploymentNumber: number) => void
    /** The key of the request that is followed. Absent: a deployment is followed. */
    readonly key?: string
  },
): Promise<DeployResult> {
  for await (const { event, data } of followStream(client, path)) {
    if (event === 'started') onNumber(z.object({ number: z.number() }).parse(data).number)
    if (event === 'events') for (const engineEvent of parseEvents(data)) sink.emit(engineEvent)
    if (event !== 'end') continue
    const result = parseDeployResult(data)
    if (key !== undefined) emitWaitingApproval(sink, key, data)
    return result
  }
  throw createError('API_ANSWER_UNKNOWN', 'the event stream ended without a result')
}

/** Emits a message if the previewed request waits for the approval of its plan. */
function emitWaitingApproval(sink: EventSink, key: string, data: unknown): void {
  const end = endForm.parse(data)
  if (end.kind !== 'previewed' || end.approval === undefined) return
  const time = new Date(end.approval.expiresAt).toISOString()
  const message = `Nothing was changed: the plan needs an approval until ${time}. A token with the role approve approves it with \`antichain deployment approve ${key}\`.\n`
  sink.emit({ diagnosticEvent: { message, color: 'raw', severity: 'warning' } })
}

/** Creates the functions that stop a deployment through the API. The stream reports the result. */
function createStopFunctions(
  sink: EventSink,
  cancel: (force: boolean) => Promise<void>,
): Pick<RunningDeployment, 'cancel' | 'terminate'> {
  const stop = (force: boolean): void => {
    cancel(force).catch((thrown: unknown) =>
      sink.emit({
        diagnosticEvent: {
          message: `cannot stop the deployment: ${String(thrown)}\n`,
          color: 'raw',
          severity: 'warning',
        },
      }),
    )
  }
  return { cancel: () => stop(false), terminate: () => stop(true) }
}

/** Parses events without checking their fields. The display ignores unknown events. */
function parseEvents(data: unknown): readonly EngineEventPayload[] {
  return z.array(z.looseObject({})).parse(data) as unknown as readonly EngineEventPayload[]
}

function parseDeployResult(data: unknown): DeployResult {
  const end = endForm.parse(data)
  if (end.kind === 'refused') throw refusalErrorOf(end)
  if (end.kind === 'superseded')
    throw createError(
      'REQUEST_REFUSED',
      `the request was superseded by ${end.by}, which does the same work`,
    )
  if (end.kind === 'removed') throw createError('REQUEST_REFUSED', 'the stack was removed')
  const { result } = end
  // A request that waits for an approval changed nothing.
  const changes = end.kind === 'previewed' && end.approval !== undefined ? {} : end.changes
  const hasChanges = countChanges(changes) > 0
  if (end.kind === 'deployed') return { result, changes, hasChanges, pending: end.pending }
  const forecastField = end.forecast === undefined ? {} : { forecast: end.forecast }
  return { result, changes, hasChanges, pending: [], ...forecastField }
}
