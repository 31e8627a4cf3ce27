import { z } from 'zod'
import { type DocumentKey, type StoredDocument, placeOf } from '../../../shared/ports/documents.ts'
import { refuseAddress } from '../../../shared/triggers/addresses.ts'
import { notificationDocument } from '../../../shared/triggers/notifications.ts'
import { scheduleDocument } from '../../../shared/triggers/schedule.ts'
import {
  parseDocument,
  sealWebhook,
  webhookDocument,
  webhookDraft,
  webhookKey,
} from '../../../shared/triggers/webhook-document.ts'
import { knownStack } from '../../compaction/export-state.ts'
import {
  knownDocument,
  listDocuments,
  putDocument,
  removeDocument,
  viewOf,
} from '../document-store.ts'
import { pageQuery } from '../page.ts'
import { placeCalls, removeCalls } from '../placed-calls.ts'
import { type ApiPorts, type Asked, type Route, route, stackOf } from '../route.ts'
import type { Role } from '../roles.ts'

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
type Params = Asked<unknown, unknown>['params']

/** One kind of document at one place, and what is done to it. */
interface Collection<Draft extends z.ZodType> {
  readonly path: string
  readonly scope: Route['scope']
  readonly what: string
  readonly reads: Role
  readonly writes: Role
  readonly draft: Draft
  readonly keyOf: (params: Params) => DocumentKey
  /** What is stored of a draft. */
  readonly made: (
    ports: ApiPorts,
    key: DocumentKey,
    draft: z.infer<Draft>,
    before: StoredDocument | undefined,
  ) => Promise<unknown>
  /** What callers see of it: no secrets. */
  readonly shown: (stored: StoredDocument) => unknown
  /** See `Making`. */
  readonly dropped?: (ports: ApiPorts, value: unknown) => Promise<void>
}

/** Listing, looking at, putting and removing the documents of a collection. */
function collectionRoutes<Draft extends z.ZodType>(about: Collection<Draft>): readonly Route[] {
  const { path, scope, what, reads, writes, draft, keyOf, made, shown } = about
  const droppedIn = (ports: ApiPorts) => async (value: unknown) => about.dropped?.(ports, value)
  const one = `${path}/{name}`
  return [
    route({
      method: 'GET',
      path,
      role: reads,
      scope,
      summary: `List ${what}s`,
      query: z.object({ cursor: pageQuery.cursor }),
      output: page,
      run: async (ports, { params, query: { cursor } }) => {
        const key = keyOf(params)
        const of = { kind: key.kind, scope: key.scope, cursor }
        return { json: await listDocuments(ports, of, shown) }
      },
    }),
    route({
      method: 'GET',
      path: one,
      role: reads,
      scope,
      summary: `A ${what}`,
      output: view,
      run: async (ports, { params }) => ({
        json: viewOf(await knownDocument(ports, keyOf(params)), shown),
      }),
    }),
    route({
      method: 'PUT',
      path: one,
      role: writes,
      scope,
      summary: `Make or change a ${what}; its secrets are never shown again`,
      body: draft,
      output: view,
      run: async (ports, { params, body }) => {
        const key = keyOf(params)
        if (key.scope !== '*') await knownStack(ports, key.scope)
        const making = {
          made: (before: StoredDocument | undefined) => made(ports, key, body, before),
          shown,
          dropped: droppedIn(ports),
        }
        return { json: await putDocument(ports, key, making) }
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      role: writes,
      scope,
      summary: `Remove a ${what}`,
      output: z.object({ removed: z.boolean() }),
      run: async (ports, { params }) => {
        await removeDocument(ports, keyOf(params), droppedIn(ports))
        return { json: { removed: true } }
      },
    }),
  ]
}

const nameOf = (params: Params): string => params['name'] ?? ''

/** A webhook may name any stack in its rules, so only who may do everything has a hand in it. */
const webhooks = collectionRoutes({
  path: '/v1/webhooks',
  scope: 'installation',
  what: 'webhook',
  reads: 'admin',
  writes: 'admin',
  draft: webhookDraft,
  keyOf: params => webhookKey(nameOf(params)),
  made: async ({ sealing, addresses }, { name }, draft) => {
    refuseAddress(draft.apiUrl, addresses)
    return sealWebhook(sealing, name, draft)
  },
  shown: stored => {
    const { secrets, credential, ...open } = parseDocument(webhookDocument, stored)
    return { ...open, secrets: secrets.length, hasCredential: credential !== undefined }
  },
})

const scheduleDraft = scheduleDocument.omit({ createdAt: true, lastAt: true, placed: true })

const schedules = collectionRoutes({
  path: '/v1/stacks/{project}/{stack}/schedules',
  scope: 'stack',
  what: 'schedule',
  reads: 'read',
  writes: 'deploy',
  draft: scheduleDraft,
  keyOf: params => ({ kind: 'schedule', scope: stackOf(params), name: nameOf(params) }),
  made: async (ports, key, draft, before) => {
    const now = ports.clock.now()
    const earlier = before === undefined ? undefined : parseDocument(scheduleDocument, before)
    // What was missed while it was paused, or said something else, is not made up for.
    const since = earlier === undefined ? {} : { lastAt: now }
    const schedule = { ...draft, createdAt: earlier?.createdAt ?? now, ...since }
    return placeCalls(ports, key, schedule)
  },
  shown: stored => {
    const { placed: _placed, ...shown } = parseDocument(scheduleDocument, stored)
    return shown
  },
  dropped: removeCalls,
})

const notificationDraft = notificationDocument
  .omit({ secret: true })
  .extend({ secret: z.string().min(16).max(1000) })

const notificationParts = {
  what: 'notification',
  draft: notificationDraft,
  made: async (
    { sealing, addresses }: ApiPorts,
    key: DocumentKey,
    { secret, ...open }: z.infer<typeof notificationDraft>,
  ) => {
    refuseAddress(open.url, addresses)
    return { ...open, secret: await sealing.seal(secret, placeOf(key)) }
  },
  shown: (stored: StoredDocument) => {
    const { secret: _secret, ...open } = parseDocument(notificationDocument, stored)
    return open
  },
} as const

const notifications = [
  ...collectionRoutes({
    ...notificationParts,
    path: '/v1/notifications',
    scope: 'installation',
    reads: 'admin',
    writes: 'admin',
    keyOf: params => ({ kind: 'notification', scope: '*', name: nameOf(params) }),
  }),
  ...collectionRoutes({
    ...notificationParts,
    path: '/v1/stacks/{project}/{stack}/notifications',
    scope: 'stack',
    // An address may itself be something to keep.
    reads: 'deploy',
    writes: 'deploy',
    keyOf: params => ({ kind: 'notification', scope: stackOf(params), name: nameOf(params) }),
  }),
]

/** Webhooks, schedules and notifications. */
export const documentRoutes: readonly Route[] = [...webhooks, ...schedules, ...notifications]
