import { z } from 'zod'
import {
  type DocumentKey,
  type StoredDocument,
  sealingContextOf,
} from '../../../shared/ports/documents.ts'
import { refuseAddress } from '../../../shared/triggers/outbound/address-filter.ts'
import { notificationDocument } from '../../../shared/triggers/notifications/notifications.ts'
import { scheduleDocument } from '../../../shared/triggers/schedules/schedule.ts'
import {
  parseDocument,
  sealWebhook,
  webhookDocument,
  webhookDraft,
  webhookKeyOf,
} from '../../../shared/triggers/webhooks/webhook-document.ts'
import { requireStack } from '../../../shared/runtime/state/export-state.ts'
import {
  requireDocument,
  listDocuments,
  putDocument,
  removeDocument,
  documentViewOf,
} from '../document-store.ts'
import { pageQuery } from '../pages.ts'
import { placeSchedulerCalls, removeSchedulerCalls } from '../scheduler-calls.ts'
import { type ApiPorts, type RouteCall, type Route, defineRoute, stackOf } from '../define-route.ts'
import type { Role } from '../authorization.ts'

const view = z.object({
  name: z.string(),
  stack: z.string(),
  version: z.number(),
  value: z.unknown(),
})
const page = z.object({
  items: z.array(view),
  unreadable: z.array(z.object({ name: z.string(), code: z.string() })),
  next: z.string().optional(),
})
type Params = RouteCall<unknown, unknown>['params']

/** The documents of one kind at one path, with the functions that handle them. */
interface Collection<Draft extends z.ZodType> {
  readonly path: string
  readonly scope: Route['scope']
  readonly noun: string
  readonly readRole: Role
  readonly writeRole: Role
  readonly draft: Draft
  readonly keyOf: (params: Params) => DocumentKey
  /** Returns the value to store for a draft. */
  readonly createValue: (
    ports: ApiPorts,
    key: DocumentKey,
    draft: z.infer<Draft>,
    before: StoredDocument | undefined,
  ) => Promise<unknown>
  /** Returns the value of the document for callers, without secrets. */
  readonly show: (stored: StoredDocument) => unknown
  /** See `DocumentChange`. */
  readonly removeRelated?: (ports: ApiPorts, value: unknown) => Promise<void>
}

/** Creates the routes that list, read, put and remove the documents of a collection. */
function createCollectionRoutes<Draft extends z.ZodType>(
  collection: Collection<Draft>,
): readonly Route[] {
  const { path, scope, noun, readRole, writeRole, draft, keyOf, createValue, show } = collection
  const removerOf = (ports: ApiPorts) => async (value: unknown) =>
    collection.removeRelated?.(ports, value)
  const documentPath = `${path}/{name}`
  return [
    defineRoute({
      method: 'GET',
      path,
      role: readRole,
      scope,
      summary: `List ${noun}s`,
      query: z.object({ cursor: pageQuery.cursor }),
      output: page,
      run: async (ports, { params, query: { cursor } }) => {
        const key = keyOf(params)
        const listQuery = { kind: key.kind, scope: key.scope, cursor }
        return { json: await listDocuments(ports, listQuery, show) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: documentPath,
      role: readRole,
      scope,
      summary: `A ${noun}`,
      output: view,
      run: async (ports, { params }) => ({
        json: documentViewOf(await requireDocument(ports, keyOf(params)), show),
      }),
    }),
    defineRoute({
      method: 'PUT',
      path: documentPath,
      role: writeRole,
      scope,
      summary: `Create or update a ${noun}; its secrets are never shown again`,
      body: draft,
      output: view.extend({ created: z.boolean() }),
      run: async (ports, { params, body }) => {
        const key = keyOf(params)
        if (key.scope !== '*') await requireStack(ports, key.scope)
        const change = {
          createValue: (before: StoredDocument | undefined) =>
            createValue(ports, key, body, before),
          show,
          removeRelated: removerOf(ports),
        }
        return { json: await putDocument(ports, key, change) }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: documentPath,
      role: writeRole,
      scope,
      summary: `Remove a ${noun}`,
      output: z.object({ removed: z.boolean() }),
      run: async (ports, { params }) => {
        await removeDocument(ports, keyOf(params), removerOf(ports))
        return { json: { removed: true } }
      },
    }),
  ]
}

const documentNameOf = (params: Params): string => params['name'] ?? ''

/**
 * The routes of webhooks. The rules of a webhook can name any stack. So only an administrator of
 * the installation may read or change webhooks.
 */
const webhooks = createCollectionRoutes({
  path: '/v1/webhooks',
  scope: 'installation',
  noun: 'webhook',
  readRole: 'admin',
  writeRole: 'admin',
  draft: webhookDraft,
  keyOf: params => webhookKeyOf(documentNameOf(params)),
  createValue: async ({ sealing, addresses }, { name }, draft) => {
    refuseAddress(draft.apiUrl, addresses)
    return sealWebhook(sealing, name, draft)
  },
  show: stored => {
    const { secrets, credential, ...plainFields } = parseDocument(webhookDocument, stored)
    return { ...plainFields, secrets: secrets.length, hasCredential: credential !== undefined }
  },
})

const scheduleDraft = scheduleDocument.omit({ createdAt: true, lastAt: true, placed: true })

const schedules = createCollectionRoutes({
  path: '/v1/stacks/{project}/{stack}/schedules',
  scope: 'stack',
  noun: 'schedule',
  readRole: 'read',
  writeRole: 'deploy',
  draft: scheduleDraft,
  keyOf: params => ({ kind: 'schedule', scope: stackOf(params), name: documentNameOf(params) }),
  createValue: async (ports, key, draft, before) => {
    const now = ports.clock.now()
    const previous = before === undefined ? undefined : parseDocument(scheduleDocument, before)
    // A change counts as the last run, so that due times before the change are skipped.
    const lastRunField = previous === undefined ? {} : { lastAt: now }
    const schedule = { ...draft, createdAt: previous?.createdAt ?? now, ...lastRunField }
    return placeSchedulerCalls(ports, key, schedule)
  },
  show: stored => {
    const { placed: _placed, ...visibleFields } = parseDocument(scheduleDocument, stored)
    return visibleFields
  },
  removeRelated: removeSchedulerCalls,
})

const notificationDraft = notificationDocument
  .omit({ secret: true })
  .extend({ secret: z.string().min(16).max(1000) })

const notificationParts = {
  noun: 'notification',
  draft: notificationDraft,
  createValue: async (
    { sealing, addresses }: ApiPorts,
    key: DocumentKey,
    { secret, ...plainFields }: z.infer<typeof notificationDraft>,
  ) => {
    refuseAddress(plainFields.url, addresses)
    return { ...plainFields, secret: await sealing.seal(secret, sealingContextOf(key)) }
  },
  show: (stored: StoredDocument) => {
    const { secret: _secret, ...plainFields } = parseDocument(notificationDocument, stored)
    return plainFields
  },
} as const

const notifications = [
  ...createCollectionRoutes({
    ...notificationParts,
    path: '/v1/notifications',
    scope: 'installation',
    readRole: 'admin',
    writeRole: 'admin',
    keyOf: params => ({ kind: 'notification', scope: '*', name: documentNameOf(params) }),
  }),
  ...createCollectionRoutes({
    ...notificationParts,
    path: '/v1/stacks/{project}/{stack}/notifications',
    scope: 'stack',
    // The address of a notification can be confidential.
    readRole: 'deploy',
    writeRole: 'deploy',
    keyOf: params => ({
      kind: 'notification',
      scope: stackOf(params),
      name: documentNameOf(params),
    }),
  }),
]

/** Routes of webhooks, schedules and notifications. */
export const documentRoutes: readonly Route[] = [...webhooks, ...schedules, ...notifications]
