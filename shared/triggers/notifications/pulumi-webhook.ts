import * as z from 'zod'
import { createError } from '../../errors/error.ts'
import type { DocumentKey } from '../../ports/documents.ts'
import { stackPartsOf } from '../../records/ids.ts'
import { toPrintable } from '../printable.ts'
import type { SentDelivery } from './delivery-history.ts'
import {
  type Notification,
  notificationDocument,
  notificationKinds,
} from './notification-document.ts'
import {
  expandSelection,
  filtersOfKinds,
  pulumiFilters,
  pulumiFilterGroups,
  kindOfFilter,
} from './pulumi-filters.ts'
import { organizationName } from './pulumi-payload.ts'

/**
 * A webhook that a client of Pulumi creates or changes. Antichain stores it as a notification. For
 * a change, the client sends the whole webhook.
 */
export const pulumiWebhookForm = z.looseObject({
  name: z.string().max(100).nullish(),
  displayName: notificationDocument.shape.displayName.nullable(),
  payloadUrl: notificationDocument.shape.url,
  active: z.boolean().nullish(),
  format: z.string().max(100).nullish(),
  filters: z.array(z.string().max(100)).max(100).nullish(),
  groups: z.array(z.string().max(100)).max(100).nullish(),
  secret: z.string().max(1000).nullish(),
})

/** The formats of notifications → their names for clients of Pulumi. */
const formatNamesForClients = { pulumi: 'raw', signed: 'signed' } as const

/** A webhook as clients of Pulumi show it. */
export interface PulumiWebhookView {
  readonly organizationName: string
  readonly projectName?: string
  readonly stackName?: string
  readonly name: string
  readonly displayName: string
  readonly payloadUrl: string
  readonly active: boolean
  readonly format: string
  readonly filters: readonly string[]
  readonly groups: readonly string[]
  readonly hasSecret: boolean
  readonly secretCiphertext: string
}

/** Returns a notification as clients of Pulumi show webhooks: without its secret. */
export function pulumiWebhookViewOf(
  { scope, name }: Pick<DocumentKey, 'scope' | 'name'>,
  value: Omit<Notification, 'secret' | 'secretScope'>,
  hasSecret: boolean,
): PulumiWebhookView {
  const { project, stack } = scope === '*' ? {} : stackPartsOf(scope)
  return {
    organizationName,
    ...(project === undefined || stack === undefined
      ? {}
      : { projectName: project, stackName: stack }),
    name,
    displayName: value.displayName ?? name,
    payloadUrl: value.url,
    active: !value.isPaused,
    format: formatNamesForClients[value.format],
    ...selectionViewOf(value),
    hasSecret,
    secretCiphertext: '',
  }
}

/**
 * Returns the filters and groups of a notification. If a notification has none, because no client
 * of Pulumi created it, its kinds of events become filters.
 */
function selectionViewOf({
  filters = [],
  groups = [],
  events,
}: Pick<Notification, 'filters' | 'groups' | 'events'>): {
  readonly filters: readonly string[]
  readonly groups: readonly string[]
} {
  if (filters.length > 0 || groups.length > 0) return { filters, groups }
  const isAll = notificationKinds.every(kind => events.includes(kind))
  return { filters: isAll ? [] : filtersOfKinds(events), groups: [] }
}

/**
 * Converts the webhook that a client sends to the fields of a notification, without the secret.
 * `previous`: the notification that a client changes. If its filters and groups are sent unchanged,
 * its kinds of events stay. Throws FEATURE_MISSING with the name of a format, filter or group that
 * Antichain does not have.
 */
export function readPulumiWebhook(
  hook: z.infer<typeof pulumiWebhookForm>,
  previous: Omit<Notification, 'secret' | 'secretScope'> | undefined,
): Omit<Notification, 'secret' | 'secretScope'> {
  const { displayName, payloadUrl, active } = hook
  const format = readFormat(hook.format ?? undefined, previous)
  const isPaused = active === false
  const fields = { url: payloadUrl, format, isPaused, ...(displayName ? { displayName } : {}) }
  const filters = requireKnown('event', hook.filters ?? [], pulumiFilters)
  const groups = requireKnown('group', hook.groups ?? [], pulumiFilterGroups)
  if (previous !== undefined && isSameSelection(selectionViewOf(previous), { filters, groups })) {
    const { events } = previous
    return {
      ...fields,
      events,
      ...(previous.filters === undefined ? {} : { filters: previous.filters }),
      ...(previous.groups === undefined ? {} : { groups: previous.groups }),
    }
  }
  const selected = expandSelection({ filters, groups })
  const events = notificationKinds.filter(
    kind => selected === undefined || [...selected].some(filter => kindOfFilter(filter) === kind),
  )
  return { ...fields, events, filters: [...filters], groups: [...groups] }
}

function isSameSelection(
  before: { readonly filters: readonly string[]; readonly groups: readonly string[] },
  after: { readonly filters: readonly string[]; readonly groups: readonly string[] },
): boolean {
  const textOf = ({ filters, groups }: typeof before): string =>
    JSON.stringify([filters.toSorted(), groups.toSorted()])
  return textOf(before) === textOf(after)
}

function readFormat(
  format: string | undefined,
  previous: Pick<Notification, 'format'> | undefined,
): Notification['format'] {
  if (format === undefined || format === '') return previous?.format ?? 'pulumi'
  if (format === 'raw') return 'pulumi'
  if (format === 'signed') return 'signed'
  throw createMissingError('format', format, Object.values(formatNamesForClients))
}

function requireKnown<Name extends string>(
  noun: string,
  names: readonly string[],
  knownNames: readonly Name[],
): readonly Name[] {
  const isKnown = (name: string): name is Name => (knownNames as readonly string[]).includes(name)
  const unknownName = names.find(name => !isKnown(name))
  if (unknownName !== undefined) throw createMissingError(noun, unknownName, knownNames)
  return names.filter(isKnown)
}

function createMissingError(noun: string, name: string, knownNames: readonly string[]): Error {
  return createError(
    'FEATURE_MISSING',
    `webhooks have no ${noun} '${toPrintable(name, 60)}'; they have ${knownNames.join(', ')}`,
  )
}

/** A delivery as clients of Pulumi show it. Times are in seconds since 1970, durations in ms. */
export interface DeliveryView {
  readonly id: string
  readonly kind: string
  readonly payload: string
  readonly timestamp: number
  readonly duration: number
  readonly requestUrl: string
  readonly requestHeaders: string
  readonly responseCode: number
  readonly responseHeaders: string
  readonly responseBody: string
}

/** Returns a delivery as clients of Pulumi show it. */
export function deliveryViewOf(delivery: SentDelivery): DeliveryView {
  const { id, kind, body, sentAt, durationMs, url, status, responseText } = delivery
  return {
    id,
    kind,
    payload: body,
    timestamp: Math.floor(sentAt / 1000),
    duration: durationMs,
    requestUrl: url,
    requestHeaders: formatHeaderLines(delivery.requestHeaders),
    responseCode: status,
    responseHeaders: formatHeaderLines(delivery.responseHeaders),
    responseBody: responseText,
  }
}

function formatHeaderLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}
