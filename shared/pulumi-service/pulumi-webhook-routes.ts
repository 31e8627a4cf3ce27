import { createError } from '../errors/error.ts'
import type { DocumentKey, SealingPort, StoredDocument } from '../ports/documents.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { notificationDocument } from '../triggers/notifications/notification-document.ts'
import { readDeliveryHistory } from '../triggers/notifications/delivery-history.ts'
import {
  deliveryViewOf,
  type PulumiWebhookView,
  pulumiWebhookForm,
  pulumiWebhookViewOf,
  readPulumiWebhook,
} from '../triggers/notifications/pulumi-webhook.ts'
import type { DeliverySender } from '../triggers/notifications/delivery-sender.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import { readNotificationsOf } from '../triggers/notifications/read-notifications.ts'
import { toPrintable } from '../triggers/printable.ts'
import type { GroupedPorts } from '../runtime/groups/port-groups.ts'
import { requirePermission } from '../api/authorization.ts'
import { type ApiPorts, stackOf } from '../api/define-route.ts'
import {
  createDocumentChangedError,
  removeDocument,
  requireDocument,
} from '../api/document-store.ts'
import { createNotificationValue, requireNotification } from '../api/notification-value.ts'
import { parseBody, type ServiceCall, type ServiceRoute, stackPath } from './service-route.ts'

/** The ports of the routes for webhooks. */
export interface PulumiWebhookPorts
  extends Pick<
      ApiPorts,
      'documents' | 'catalog' | 'random' | 'addresses' | 'logger' | 'control' | 'audit' | 'clock'
    >,
    GroupedPorts<PulumiWebhookPorts> {
  /** Seals the secrets of webhooks. */
  readonly sealing: Pick<SealingPort, 'seal'>
  readonly sender: DeliverySender
}

/** The text that a client sends to remove the secret of a webhook. */
const removeSecretText = '__remove-secret'

/** Length of the generated name of a webhook, in bytes. */
const nameBytes = 4

/**
 * Routes for the webhooks of clients: the notifications of a stack, or of all stacks. They require
 * the same permissions as our own routes of notifications.
 */
export const pulumiWebhookRoutes: readonly ServiceRoute<PulumiWebhookPorts>[] = [
  ...createRoutesBelow(`${stackPath}/hooks`),
  ...createRoutesBelow('/api/orgs/{org}/hooks'),
]

function createRoutesBelow(path: string): readonly ServiceRoute<PulumiWebhookPorts>[] {
  const isOfStack = path.startsWith(stackPath)
  const webhookPath = `${path}/{hook}`
  const define = (
    method: ServiceRoute['method'],
    routePath: string,
    run: (ports: PulumiWebhookPorts, call: ServiceCall) => Promise<unknown>,
  ): ServiceRoute<PulumiWebhookPorts> => ({
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
    define('GET', path, listWebhooks),
    define('POST', path, createWebhook),
    define('GET', webhookPath, async (ports, call) =>
      viewOf(await requireDocument(ports, keyOf(call))),
    ),
    define('PATCH', webhookPath, changeWebhook),
    define('DELETE', webhookPath, async (ports, call) => {
      await removeDocument(ports, keyOf(call))
      return new Response(null, { status: 204 })
    }),
    define('POST', `${webhookPath}/ping`, pingWebhook),
    define('GET', `${webhookPath}/deliveries`, listDeliveries),
    define('POST', `${webhookPath}/deliveries/{delivery}/redeliver`, redeliverWebhook),
  ]
}

function keyOf({ params }: ServiceCall, name = params['hook'] ?? ''): DocumentKey {
  return {
    kind: 'notification',
    scope: params['stack'] === undefined ? '*' : stackOf(params),
    name,
  }
}

/**
 * Lists the readable webhooks. Logs and omits a webhook that another version wrote or that is
 * damaged.
 */
async function listWebhooks(ports: PulumiWebhookPorts, call: ServiceCall): Promise<unknown> {
  const { scope } = keyOf(call)
  const webhooks: object[] = []
  for await (const { stored } of readNotificationsOf(ports.documents, ports.logger, scope))
    webhooks.push(viewOf(stored))
  return webhooks
}

async function createWebhook(ports: PulumiWebhookPorts, call: ServiceCall): Promise<unknown> {
  const { name } = parseBody(pulumiWebhookForm, call)
  if (name && !/^[\w.-]+$/.test(name))
    throw createError(
      'API_INPUT_INVALID',
      `'${toPrintable(name)}' is not a valid name of a webhook`,
    )
  const generatedName = Buffer.from(ports.random.bytes(nameBytes)).toString('hex')
  return putWebhook(ports, call, { key: keyOf(call, name || generatedName), previous: undefined })
}

async function changeWebhook(ports: PulumiWebhookPorts, call: ServiceCall): Promise<unknown> {
  const key = keyOf(call)
  return putWebhook(ports, call, { key, previous: await requireDocument(ports, key) })
}

async function putWebhook(
  ports: PulumiWebhookPorts,
  call: ServiceCall,
  options: { readonly key: DocumentKey; readonly previous: StoredDocument | undefined },
): Promise<PulumiWebhookView> {
  const { key, previous } = options
  const webhook = parseBody(pulumiWebhookForm, call)
  const previousValue =
    previous === undefined ? undefined : parseDocumentValue(notificationDocument, previous)
  const draft = {
    ...readPulumiWebhook(webhook, previousValue),
    ...secretChangeOf(webhook.secret ?? ''),
  }
  const value = await createNotificationValue(ports, key, draft, previous)
  const version = await ports.documents.put(key, value, previous?.version ?? 0)
  if (version !== false) return viewOf({ key, version, value })
  if (previous !== undefined) throw createDocumentChangedError(key)
  throw createError('DOCUMENT_CHANGED', `the webhook '${toPrintable(key.name)}' already exists`)
}

/** Returns the change of a secret that a client requests. An empty text keeps the secret. */
function secretChangeOf(text: string): { readonly secret?: string | null } {
  if (text === '') return {}
  return { secret: text === removeSecretText ? null : text }
}

function viewOf(stored: StoredDocument): PulumiWebhookView {
  const { secret, ...value } = parseDocumentValue(notificationDocument, stored)
  return pulumiWebhookViewOf(stored.key, value, secret !== undefined)
}

async function pingWebhook(ports: PulumiWebhookPorts, call: ServiceCall): Promise<unknown> {
  const notification = await requireNotification(ports, keyOf(call))
  return deliveryViewOf(await ports.sender.ping(notification, ports.random.uuid()))
}

async function listDeliveries(ports: PulumiWebhookPorts, call: ServiceCall): Promise<unknown> {
  const { key } = await requireDocument(ports, keyOf(call))
  return (await readDeliveryHistory(ports.documents, key)).map(deliveryViewOf)
}

async function redeliverWebhook(ports: PulumiWebhookPorts, call: ServiceCall): Promise<unknown> {
  const notification = await requireNotification(ports, keyOf(call))
  return deliveryViewOf(await ports.sender.redeliver(notification, call.params['delivery'] ?? ''))
}
