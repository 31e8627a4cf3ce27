import { createLocalJWKSet, errors, type JWTHeaderParameters } from 'jose'
import * as z from 'zod'
import { federationLimits as limits } from '../../config/federation-limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ClockPort, LoggerPort } from '../../ports/system.ts'
import { readResponseText } from '../../triggers/outbound/outbound.ts'

type KeySet = ReturnType<typeof createLocalJWKSet>

/** The public keys of issuers. */
export interface IssuerKeys {
  /**
   * Returns the key that a header names, of the keys of an issuer. Throws OIDC_ISSUER_UNREACHABLE,
   * and the errors of jose for an unknown key.
   */
  readonly find: (issuer: string, header: JWTHeaderParameters) => ReturnType<KeySet>
}

/**
 * The keys of an issuer in memory, and the times of the requests for them, on the monotonic clock.
 * `receivedMs`: the last successful request. `requestedMs`: the last request.
 */
interface CachedKeys {
  readonly keySet: KeySet | undefined
  readonly receivedMs: number
  readonly requestedMs: number
}

interface KeyDeps {
  readonly outbound: OutboundPort
  readonly clock: Pick<ClockPort, 'monotonicMs'>
  readonly logger: LoggerPort
}

/**
 * Creates the access to the keys of issuers, which this process caches for a limited time. An
 * unknown key causes a new request, at most one in `unknownKeyRetryMs` for each issuer. Concurrent
 * calls share one request. After a failed request the earlier keys remain until their time has
 * passed.
 */
export function createIssuerKeys(deps: KeyDeps): IssuerKeys {
  const cache = new Map<string, CachedKeys>()
  const runningRequests = new Map<string, Promise<void>>()
  const ageOf = (ms: number): number => deps.clock.monotonicMs() - ms
  const currentSetOf = (issuer: string): KeySet | undefined => {
    const cached = cache.get(issuer)
    return cached !== undefined && ageOf(cached.receivedMs) < limits.keyCacheMs
      ? cached.keySet
      : undefined
  }
  /** Requests the keys, unless the last request is younger than `intervalMs`. */
  const requestKeys = async (issuer: string, intervalMs: number): Promise<void> => {
    const cached = cache.get(issuer)
    const runningRequest = runningRequests.get(issuer)
    if (runningRequest !== undefined) return runningRequest
    if (cached !== undefined && ageOf(cached.requestedMs) < intervalMs) return
    const newRequest = receiveKeys(deps, issuer, cached).then(keys =>
      cacheKeys(cache, issuer, keys),
    )
    runningRequests.set(issuer, newRequest)
    await newRequest.finally(() => runningRequests.delete(issuer))
  }
  return {
    find: async (issuer, header) => {
      if (currentSetOf(issuer) === undefined) await requestKeys(issuer, limits.failedIssuerRetryMs)
      const keySet = currentSetOf(issuer)
      if (keySet === undefined) throw createUnreachableError(issuer)
      try {
        return await keySet(header)
      } catch (thrown) {
        if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown
        await requestKeys(issuer, limits.unknownKeyRetryMs)
        return (currentSetOf(issuer) ?? keySet)(header)
      }
    },
  }
}

/** Caches the keys of an issuer. Beyond `issuersMax`, removes the issuer that was added first. */
function cacheKeys(cache: Map<string, CachedKeys>, issuer: string, keys: CachedKeys): void {
  cache.set(issuer, keys)
  const [oldestIssuer] = cache.keys()
  if (cache.size > limits.issuersMax && oldestIssuer !== undefined) cache.delete(oldestIssuer)
}

/** Returns the keys of an issuer, or its earlier keys if the request fails. Never throws. */
async function receiveKeys(
  { outbound, clock, logger }: KeyDeps,
  issuer: string,
  earlier: CachedKeys | undefined,
): Promise<CachedKeys> {
  const requestedMs = clock.monotonicMs()
  try {
    return { keySet: await fetchKeySet(outbound, issuer), receivedMs: requestedMs, requestedMs }
  } catch (thrown) {
    logger.write('warn', 'federation.unreachable', { issuer, message: messageOf(thrown) })
    return { keySet: undefined, receivedMs: 0, ...earlier, requestedMs }
  }
}

const discoveryForm = z.looseObject({ issuer: z.string(), jwks_uri: z.url() })
const keysForm = z.looseObject({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(100),
})

/** Reads the configuration and the keys of an issuer. Throws for an invalid or missing response. */
async function fetchKeySet(outbound: OutboundPort, issuer: string): Promise<KeySet> {
  const discoveryUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const discovery = discoveryForm.parse(await fetchJson(outbound, discoveryUrl))
  if (discovery.issuer !== issuer)
    throw createError('OIDC_ISSUER_UNREACHABLE', 'the configuration names another issuer')
  return createLocalJWKSet(keysForm.parse(await fetchJson(outbound, discovery.jwks_uri)))
}

function fetchJson(outbound: OutboundPort, url: string): Promise<unknown> {
  const request = {
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    bytesMax: limits.issuerBytesMax,
    timeoutMs: limits.issuerTimeoutMs,
  } as const
  return outbound.call(request, async response => {
    if (response.status !== 200)
      throw createError('OIDC_ISSUER_UNREACHABLE', `a response has the status ${response.status}`)
    return JSON.parse(await readResponseText(response))
  })
}

function createUnreachableError(issuer: string): Error {
  return createError('OIDC_ISSUER_UNREACHABLE', `the keys of the issuer ${issuer} cannot be read`)
}
