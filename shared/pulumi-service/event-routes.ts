import * as z from 'zod'
import { readHistoryRecord } from '../engine/deployment/retention/read-history-and-versions.ts'
import { eventKindCodes } from '../engine/events/event-filter.ts'
import { createError } from '../errors/error.ts'
import { type DeploymentId, deploymentPartsOf, previewIdOf, type StackId } from '../records/ids.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { toPrintable } from '../triggers/printable.ts'
import { clientLogOf } from './client-deployment.ts'
import { readClientSteps } from './read-client-steps.ts'
import { changeUpdate, requireUpdate, type StoredUpdate } from './client-update.ts'
import {
  engineDeploymentPrefix,
  parseEngineDeployment,
  parseEnginePreview,
} from './deployment-updates.ts'
import { findNamedDeployment } from './find-named-deployment.ts'
import { readSelectedEvents, type UpdateEventSource } from './event-pages.ts'
import { requirePulumiDeployment } from './pulumi-deployment.ts'
import { stackOf } from '../api/define-route.ts'
import {
  type LeasedCall,
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  updatePath,
} from './service-route.ts'
import { parseForm } from '../values/parse-form.ts'

const batchForm = z.looseObject({
  events: z.array(z.looseObject({ sequence: z.int().nonnegative() })).max(10_000),
})

const summaryForm = z.looseObject({
  summaryEvent: z.looseObject({ resourceChanges: z.record(z.string(), z.number()).nullish() }),
})

/** Maximum size of an unpacked batch of events. */
const eventsBytesMax = 32 * 1024 * 1024

/** Routes for the engine events of updates. */
export const serviceEventRoutes: readonly ServiceRoute[] = [
  {
    method: 'POST',
    path: `${updatePath}/events/batch`,
    role: 'lease',
    bodyBytesMax: eventsBytesMax,
    run: (ports, call) => storeEvents(ports, call as LeasedCall),
  },
  {
    method: 'GET',
    path: `${updatePath}/events`,
    role: 'read',
    run: (ports, call) => readEvents(ports, call),
  },
]

/** Returns the id under which the events of an update are stored. */
function eventsIdOf({ id, update }: StoredUpdate): DeploymentId {
  return update.deployment ?? previewIdOf(update.stack, id)
}

/** Stores a batch. Batches arrive in any order, so each one has a writer of its own. */
async function storeEvents(ports: ServicePorts, call: LeasedCall): Promise<unknown> {
  const { events } = parseBody(batchForm, call)
  const [first] = events
  if (first === undefined) return {}
  const lines = events.map(event => JSON.stringify(event))
  const writer = `client-${first.sequence}`
  await ports.events.append(eventsIdOf(call.update), writer, 0, lines)
  await recordSteps(ports, call.update, events)
  const summary = events.map(event => parseForm(summaryForm, event)).find(({ success }) => success)
  const changes = summary?.data?.summaryEvent.resourceChanges
  if (changes != null) await changeUpdate(ports, call.update, update => ({ ...update, changes }))
  return {}
}

/** Records the steps of a client without a journal, so that no create is lost with the client. */
async function recordSteps(
  ports: ServicePorts,
  storedUpdate: StoredUpdate,
  events: readonly unknown[],
): Promise<void> {
  const { sendsCheckpoints, deployment } = storedUpdate.update
  if (sendsCheckpoints !== true || deployment === undefined) return
  const steps = events.flatMap(readClientSteps)
  if (steps.length > 0)
    await ports.clientLogs.append(clientLogOf(storedUpdate), [{ kind: 'client-steps', steps }])
}

/** The token of a page of `latest`: the number of the deployment, and the token of its events. */
const latestTokenPattern = /^(\d{1,9})-(.*)$/

/**
 * Returns events in order of arrival. The parameters `type` (codes of event kinds) and `urn` select
 * events. A continuation token means that more may follow. All pages of `latest` are those of the
 * deployment that was the latest at the first page. Throws API_INPUT_INVALID.
 */
async function readEvents(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const stack = stackOf(call.params)
  const update = call.params['update'] ?? ''
  const isLatest = update === 'latest'
  const pageToken = call.query['continuationToken'] ?? ''
  const [, number, token = pageToken] = isLatest ? (latestTokenPattern.exec(pageToken) ?? []) : []
  const updateOfPage = number === undefined ? update : `${engineDeploymentPrefix}${number}`
  const eventSource = await findUpdateEventSource(ports, stack, updateOfPage)
  const { urn } = call.query
  const selection = { codes: call.queryList('type').map(requireKindCode), urn }
  const { events, next } = await readSelectedEvents(ports, eventSource, { token, selection })
  const prefix = isLatest ? `${deploymentPartsOf(eventSource.id).number}-` : ''
  return { events, continuationToken: next === undefined ? null : `${prefix}${next}` }
}

function requireKindCode(code: string): string {
  if (eventKindCodes.has(code)) return code
  const message = `'${toPrintable(code)}' is not the code of an event kind`
  throw createError('API_INPUT_INVALID', `${message}: the codes are 1 to ${eventKindCodes.size}`)
}

/**
 * Finds where the events of an update are stored. The update is one of this engine or of a client.
 * Clients name it by its id, by its version, or `latest`. Throws DEPLOYMENT_UNKNOWN.
 */
async function findUpdateEventSource(
  ports: ServicePorts,
  stack: StackId,
  id: string,
): Promise<UpdateEventSource> {
  const previewNumber = parseEnginePreview(id)
  if (previewNumber !== undefined) {
    const stackRecord = await requireStack(ports, stack)
    const { request, end } = await requirePulumiDeployment(ports, stackRecord, previewNumber)
    return { id: previewIdOf(stack, request.key), isOver: end !== undefined }
  }
  const deployment = parseEngineDeployment(stack, id)
  if (deployment !== undefined) return eventSourceOf(ports, deployment)
  const namedDeployment = await findNamedDeployment(
    ports.catalog,
    await requireStack(ports, stack),
    id,
  )
  if (namedDeployment !== undefined) return eventSourceOf(ports, namedDeployment)
  const storedUpdate = await requireUpdate(ports, stack, id)
  if (storedUpdate.update.deployment !== undefined)
    return eventSourceOf(ports, storedUpdate.update.deployment)
  const { status, expiresAt = 0 } = storedUpdate.update
  return {
    id: eventsIdOf(storedUpdate),
    isOver: status !== undefined || ports.clock.now() >= expiresAt,
  }
}

async function eventSourceOf(
  { catalog }: ServicePorts,
  id: DeploymentId,
): Promise<UpdateEventSource> {
  const record = await readHistoryRecord(catalog, id)
  if (record === undefined) throw createError('DEPLOYMENT_UNKNOWN', 'the stack has no such update')
  return { id, isOver: record.result !== undefined, endedAt: record.endedAt }
}
