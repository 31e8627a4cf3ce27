import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { firstPinOf } from '../../shared/engine/deployment/rules.ts'
import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { isErrorCode, messageOf } from '../../shared/errors/error.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { DocumentKey, StoredDocument, TriggerPorts } from '../../shared/ports/documents.ts'
import type { NotificationsPort, OutgoingMessage } from '../../shared/ports/notifications.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { NotificationEvent } from '../../shared/records/notification.ts'
import type { DeploymentRequest, RequestEnd } from '../../shared/records/request.ts'
import { isWanted, notificationDocument } from '../../shared/triggers/notifications.ts'
import { once } from '../../shared/triggers/once.ts'
import { replyTo } from '../../shared/triggers/replies.ts'
import { remedyRequest } from '../../shared/triggers/trigger-requests.ts'
import { parseDocument } from '../../shared/triggers/webhook-document.ts'
import { changesIn, isChange } from './result.ts'

/** Who wants to know, what was told, and how messages leave. */
export interface Telling extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly notifications: Pick<NotificationsPort, 'send'>
}

/** What is told with; nobody is told anything where there is no `tell`. */
export interface TellDeps {
  readonly platform: Platform
  readonly tell?: Telling
}

/**
 * Tells whoever wants to know that a deployment has begun. Not throwing: it goes on without being
 * told of.
 */
export async function tellStarted(
  deps: TellDeps,
  deployment: DeploymentId,
  request: DeploymentRequest,
): Promise<void> {
  const { stack, options } = request
  const at = deps.platform.clock.now()
  const { number } = deploymentPartsOf(deployment)
  const event = { kind: 'started', stack, deployment, command: options.command, at } as const
  const reply = replyTo(request, 'pending', `deployment ${number} runs`)
  try {
    await send(deps, event, reply)
  } catch (thrown) {
    deps.platform.journal.write('warn', 'tell.failed', { deployment, message: messageOf(thrown) })
  }
}

/**
 * Tells what the last deployment of a stack came to, once, if that is not long ago: whoever died
 * before it could say so is made up for by the next that looks at the stack. Throws what the stores
 * throw; then it is still to be told.
 */
export async function tellEnded(deps: TellDeps, stack: StackId): Promise<void> {
  const { platform, tell } = deps
  if (tell === undefined) return
  const [line] = await platform.catalog.history(stack, 1)
  if (line === undefined || !isNews(line, platform.clock.now())) return
  const { deployment, changes = {}, result } = line
  const kind = result === 'succeeded' ? 'succeeded' : 'failed'
  const { number } = deploymentPartsOf(deployment)
  const about = { stack, deployment, command: line.command, at: line.endedAt ?? line.startedAt }
  const event: NotificationEvent =
    kind === 'succeeded'
      ? { kind, ...about, changes }
      : { kind, ...about, changes, codes: [codeOf(line)] }
  const work = { names: [`told ${deployment}`], keptMs: triggerLimits.deliveryKeptMs }
  await once({ marks: tell.marks, clock: platform.clock }, work, async () => {
    const pin = await firstPinOf(platform, deployment)
    const request = pin?.request
    const kept = request === undefined ? undefined : await platform.requests.find(stack, request)
    const text = `deployment ${number} ${result}: ${changesIn(changes)}`
    const state = kind === 'succeeded' ? 'success' : 'failure'
    await send(deps, event, kept && replyTo(kept.request, state, text))
  })
}

function isNews({ result, endedAt, command }: HistoryRecord, now: number): boolean {
  if (result === undefined || endedAt === undefined) return false
  if (['stack import', 'stack rename', 'state'].includes(command)) return false
  return now - endedAt < triggerLimits.newsMs
}

function codeOf({ result }: HistoryRecord): ErrorCode {
  return result === 'cancelled' ? 'DEPLOYMENT_CANCELLED' : 'DEPLOYMENT_FAILED'
}

/**
 * Tells what a request came to that became no deployment, and asks for what follows from it; then
 * the request ends. Who dies in between does both again, which is heard once.
 */
export async function endTold(
  deps: TellDeps,
  request: DeploymentRequest,
  end: RequestEnd,
): Promise<void> {
  const { requests, nudges } = deps.platform
  const { stack, key } = request
  if (deps.tell !== undefined) {
    await send(deps, eventOf(deps, request, end), replyOf(request, end))
    if (isDrift(request, end) && request.origin?.kind === 'schedule' && request.origin.remediate) {
      await requests.put(remedyRequest(request, deps.platform.clock.now()))
      await nudges.nudge(stack, 0)
    }
  }
  await requests.end(stack, key, end)
}

/** A refresh that a schedule asked for would change something of what is recorded. */
function isDrift({ origin, options }: DeploymentRequest, end: RequestEnd): boolean {
  if (end.kind !== 'previewed' || end.result !== 'succeeded') return false
  if (origin?.kind !== 'schedule' || options.command !== 'refresh') return false
  return countOf(end.changes) > 0
}

function eventOf(
  { platform }: TellDeps,
  request: DeploymentRequest,
  end: RequestEnd,
): NotificationEvent | undefined {
  const { stack, key, options, origin } = request
  const at = platform.clock.now()
  const about = { stack, request: key, command: options.command, at }
  if (end.kind === 'refused') {
    const codes = isErrorCode(end.code) ? [end.code] : []
    return { kind: 'failed', ...about, changes: {}, codes }
  }
  if (end.kind !== 'previewed') return undefined
  if (isDrift(request, end))
    return { kind: 'drift', ...about, count: countOf(end.changes), urns: end.urns ?? [] }
  if (end.result === 'succeeded' || origin?.kind !== 'schedule') return undefined
  return { kind: 'failed', ...about, changes: end.changes, codes: ['DEPLOYMENT_FAILED'] }
}

function countOf(changes: Readonly<Record<string, number>>): number {
  return Object.entries(changes)
    .filter(([op]) => isChange(op))
    .reduce((sum, [, count]) => sum + count, 0)
}

function replyOf(request: DeploymentRequest, end: RequestEnd) {
  if (end.kind === 'refused') return replyTo(request, 'error', `not begun: ${end.code}`)
  if (end.kind === 'superseded')
    return replyTo(request, 'error', 'left out: a later commit is deployed instead')
  if (end.kind !== 'previewed') return undefined
  const state = end.result === 'succeeded' ? 'success' : 'failure'
  const text = changesIn(end.changes)
  const lines = [text, ...(end.urns ?? []), ...end.errors]
  return replyTo(request, state, `preview ${end.result}: ${text}`, lines)
}

async function send(
  deps: TellDeps,
  event: NotificationEvent | undefined,
  reply: OutgoingMessage | undefined,
): Promise<void> {
  if (deps.tell === undefined) return
  const events = event === undefined ? [] : await wanted(deps, deps.tell, event)
  const messages = reply === undefined ? events : [...events, reply]
  if (messages.length > 0) await deps.tell.notifications.send(messages)
}

/** One message for each notification that is about the event; one that is wrong hides no other. */
async function wanted(
  { platform }: TellDeps,
  { documents }: Pick<TriggerPorts, 'documents'>,
  event: NotificationEvent,
): Promise<readonly OutgoingMessage[]> {
  const found: OutgoingMessage[] = []
  for (const scope of [event.stack, '*'] as const)
    for await (const stored of listed(documents, scope)) {
      try {
        const value = parseDocument(notificationDocument, stored)
        const { key } = stored
        if (isWanted(key, value, event)) found.push({ kind: 'notification', key, event })
      } catch (thrown) {
        const { name } = stored.key
        const message = messageOf(thrown)
        platform.journal.write('warn', 'notification.unreadable', { scope, name, message })
      }
    }
  return found
}

async function* listed(
  documents: TriggerPorts['documents'],
  scope: DocumentKey['scope'],
): AsyncGenerator<StoredDocument> {
  let cursor = ''
  for (let page = 0; page < triggerLimits.pagesMax; page += 1) {
    const read = await documents.list('notification', cursor, scope)
    yield* read.documents
    if (read.next === undefined) return
    cursor = read.next
  }
}
