import { error } from '../../../shared/errors/error.ts'
import {
  type DocumentKey,
  sealingContextOf,
  type StoredDocument,
} from '../../../shared/ports/documents.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import { notificationDocument } from '../../../shared/triggers/notifications/notification-document.ts'
import {
  readDeliveryHistory,
  type SentDelivery,
} from '../../../shared/triggers/notifications/delivery-history.ts'
import {
  type PingPorts,
  pingNotification,
  redeliverNotification,
} from '../../../shared/triggers/notifications/ping-notification.ts'
import type { KeyedNotification } from '../../../shared/triggers/notifications/send-delivery.ts'
import { refuseAddress } from '../../../shared/triggers/outbound/address-filter.ts'
import { parseDocumentValue } from '../../../shared/triggers/parse-document-value.ts'
import { toPrintable } from '../../../shared/triggers/printable.ts'
import { requirePermission } from '../authorization.ts'
import { stackOf } from '../define-route.ts'
import { documentChangedError, removeDocument, requireDocument } from '../document-store.ts'
import { hookForm, hookViewOf, readHook, removeSecretText } from './hook-form.ts'
import {
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
} from './service-route.ts'

/** Length of the generated name of a webhook, in bytes. */
const nameBytes = 4

/**
 * Routes for the webhooks of clients: the notifications of a stack, or of all stacks. They have the
 * permissions of our own routes of notifications.
 */
export const hookRoutes: readonly ServiceRoute[] = [
  ...createHookRoutes(`${stackPath}/hooks`),
  ...createHookRoutes('/api/orgs/{org}/hooks'),
]

function createHookRoutes(path: string): readonly ServiceRoute[] {
  const isOfStack = path.startsWith(stackPath)
  const hookPath = `${path}/{hook}`
  const define = (
    method: ServiceRoute['method'],
    routePath: string,
    run: (ports: ServicePorts, call: ServiceCall) => Promise<unknown>,
  ): ServiceRoute => ({
    method,
    path: routePath,
    role: isOfStack ? 'deploy' : 'admin',
    run: async (ports, call) => {
      if (!isOfStack) requirePermission(call.caller, 'admin', 'installation')
      else await requireStack(ports, stackOf(call.params))
      return run(ports, call)
    },
  })
  return [
    define('GET', path, listHooks),
    define('POST', path, createHook),
    define('GET', hookPath, async (ports, call) =>
      hookViewOf(await requireDocument(ports, keyOf(call))),
    ),
    define('PATCH', hookPath, changeHook),
    define('DELETE', hookPath, async (ports, call) => {
      await removeDocument(ports, keyOf(call))
      return new Response(null, { status: 204 })
    }),
    define('POST', `${hookPath}/ping`, pingHook),
    define('GET', `${hookPath}/deliveries`, listDeliveries),
    define('POST', `${hookPath}/deliveries/{delivery}/redeliver`, redeliverHook),
  ]
}

function keyOf({ params }: ServiceCall, name = params['hook'] ?? ''): DocumentKey {
  return {
    kind: 'notification',
    scope: params['stack'] === undefined ? '*' : stackOf(params),
    name,
  }
}

async function listHooks(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { scope } = keyOf(call)
  const hooks: object[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Awaited<ReturnType<typeof ports.documents.list>> = await ports.documents.list(
      'notification',
      cursor,
      scope,
    )
    hooks.push(...page.documents.map(hookViewOf))
    cursor = page.next
  }
  return hooks
}

async function createHook(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { name } = parseBody(hookForm, call)
  if (name && !/^[\w.-]+$/.test(name))
    throw error('API_INPUT_INVALID', `'${toPrintable(name)}' is not a valid name of a webhook`)
  const generatedName = Buffer.from(ports.random.bytes(nameBytes)).toString('hex')
  return putHook(ports, call, { key: keyOf(call, name || generatedName), previous: undefined })
}

async function changeHook(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const key = keyOf(call)
  return putHook(ports, call, { key, previous: await requireDocument(ports, key) })
}

async function putHook(
  ports: ServicePorts,
  call: ServiceCall,
  options: { readonly key: DocumentKey; readonly previous: StoredDocument | undefined },
): Promise<unknown> {
  const { key, previous } = options
  const hook = parseBody(hookForm, call)
  const previousValue =
    previous === undefined ? undefined : parseDocumentValue(notificationDocument, previous)
  const fields = readHook(hook, previousValue)
  refuseAddress(fields.url, ports.addresses)
  const secret = await sealSecret(ports, key, hook.secret ?? '', previousValue?.secret)
  if (secret === undefined && fields.format === 'signed')
    throw error('API_INPUT_INVALID', 'a webhook of the format signed needs a secret')
  const value = { ...fields, ...(secret === undefined ? {} : { secret }) }
  const version = await ports.documents.put(key, value, previous?.version ?? 0)
  if (version !== false) return hookViewOf({ key, version, value })
  if (previous !== undefined) throw documentChangedError(key)
  throw error('DOCUMENT_CHANGED', `the webhook '${toPrintable(key.name)}' already exists`)
}

/** Returns the sealed secret of a webhook. An empty text keeps the previous one. */
async function sealSecret(
  ports: ServicePorts,
  key: DocumentKey,
  text: string,
  previous: string | undefined,
): Promise<string | undefined> {
  if (text === '') return previous
  if (text === removeSecretText) return undefined
  return requireTriggers(ports, 'a webhook with a secret').sealing.seal(text, sealingContextOf(key))
}

/** Returns the ports of triggers. Throws FEATURE_MISSING where the service may not use them. */
function requireTriggers(
  { triggers }: ServicePorts,
  subject: string,
): NonNullable<ServicePorts['triggers']> {
  if (triggers !== undefined) return triggers
  throw error(
    'FEATURE_MISSING',
    `${subject} is not available at this address: use \`antichain notification create --format pulumi\``,
  )
}

async function pingHook(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const notification = await requireNotification(ports, call)
  const pingPorts = pingPortsOf(ports, 'a test delivery')
  return deliveryViewOf(await pingNotification(pingPorts, notification, ports.random.uuid()))
}

async function listDeliveries(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { key } = await requireDocument(ports, keyOf(call))
  return (await readDeliveryHistory(ports.documents, key)).map(deliveryViewOf)
}

async function redeliverHook(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const notification = await requireNotification(ports, call)
  const pingPorts = pingPortsOf(ports, 'a repeated delivery')
  const id = call.params['delivery'] ?? ''
  return deliveryViewOf(await redeliverNotification(pingPorts, notification, id))
}

async function requireNotification(
  ports: ServicePorts,
  call: ServiceCall,
): Promise<KeyedNotification> {
  const key = keyOf(call)
  return { key, value: parseDocumentValue(notificationDocument, await requireDocument(ports, key)) }
}

function pingPortsOf(ports: ServicePorts, subject: string): PingPorts {
  const { documents, clock, logger } = ports
  return { ...requireTriggers(ports, subject), documents, clock, logger }
}

/** Returns a delivery as clients of Pulumi show it. */
function deliveryViewOf(delivery: SentDelivery): object {
  const { id, kind, body, sentAt, durationMs, url, status, responseText } = delivery
  return {
    ...{ id, kind, payload: body, timestamp: Math.floor(sentAt / 1000), duration: durationMs },
    ...{ requestUrl: url, requestHeaders: linesOf(delivery.requestHeaders), responseCode: status },
    responseHeaders: linesOf(delivery.responseHeaders),
    responseBody: responseText,
  }
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}
