import type { Settings } from './settings.ts'

/** Reserved concurrent calls by default, if the account has enough of them. */
const defaultReservations = { api: 100, service: 50, webhook: 20 }
/** Concurrent calls of an account that must remain without a reservation, as Lambda requires. */
const unreservedMin = 100
/**
 * Upper bound of the result of `computeStreamsMax`. To refuse a stream, the API reads one mark for
 * each open stream (shared/api/stream-slots.ts).
 */
const streamsLimit = 100

/** Concurrent calls that Lambda reserves for a function. 0: no reservation. */
export interface Reservations {
  readonly api: number
  readonly service: number
  readonly webhook: number
}

/**
 * Returns the reservations of the settings. An absent setting gets its default if enough concurrent
 * calls of the account remain, and otherwise 0.
 */
export function computeReservations(settings: ConcurrencySettings): Reservations {
  const { apiConcurrency, serviceConcurrency, webhookConcurrency } = settings
  const { availableConcurrency = 0 } = settings
  const api = apiConcurrency ?? defaultReservations.api
  const service = serviceConcurrency ?? defaultReservations.service
  const webhook = webhookConcurrency ?? defaultReservations.webhook
  if (availableConcurrency - api - service - webhook >= unreservedMin)
    return { api, service, webhook }
  return {
    api: apiConcurrency ?? 0,
    service: serviceConcurrency ?? 0,
    webhook: webhookConcurrency ?? 0,
  }
}

/**
 * Returns the maximum number of open event streams of the installation. Each stream is a call of
 * the API. Streams get at most half of its concurrent calls, but at least one. If the quota of the
 * account is unknown, it counts as the default reservation of the API.
 */
export function computeStreamsMax(settings: ConcurrencySettings): number {
  const { availableConcurrency = defaultReservations.api } = settings
  const reservedCalls = computeReservations(settings).api
  const apiCalls = reservedCalls || Math.min(availableConcurrency, defaultReservations.api)
  return Math.min(streamsLimit, Math.max(1, Math.floor(apiCalls / 2)))
}

type ConcurrencySettings = Pick<
  Settings,
  'apiConcurrency' | 'serviceConcurrency' | 'webhookConcurrency' | 'availableConcurrency'
>
