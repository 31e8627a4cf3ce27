import { lookup } from 'node:dns/promises'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { DeployError, error, messageOf } from '../../errors/error.ts'
import type { OutboundPort, OutboundRequest, OutboundResponse } from '../../ports/outbound.ts'
import {
  type AddressFilter,
  type AddressRules,
  createAddressFilter,
  hostOf,
  parseOutboundUrl,
} from './address-filter.ts'

/** All addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

const resolveBySystem: ResolveHost = async host =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** How calls leave. */
export interface OutboundOptions extends AddressRules {
  /** The system's look-up by default. */
  readonly resolve?: ResolveHost
}

/**
 * Calls to public addresses by https. A name is resolved once, every address of it must be allowed,
 * and the connection goes to the first of those addresses: a name that says something else a moment
 * later changes nothing. Each redirect is judged like the first address; headers that carry
 * credentials do not follow to another origin. Proxies of the environment are not used.
 */
export function createOutbound(options: OutboundOptions = {}): OutboundPort {
  const judge = createAddressFilter(options)
  const resolve = options.resolve ?? resolveBySystem
  return {
    call: async (request, take) => {
      const timeoutMs = request.timeoutMs ?? triggerLimits.outboundTimeoutMs
      const signal = AbortSignal.timeout(timeoutMs)
      let { url, headers } = {
        url: parseOutboundUrl(request.url, options),
        headers: request.headers,
      }
      // A request with a body is never sent on: it was meant for the one that was named.
      const redirectsMax = request.method === 'GET' ? (request.redirectsMax ?? 0) : 0
      for (let left = redirectsMax; ; left -= 1) {
        const address = await withAbort(signal, url, resolveAllowedAddress(url, resolve, judge))
        const message = await send({ ...request, headers }, { url, address, signal })
        // Nobody may be reading when it breaks: who reads then or later is told.
        message.on('error', () => undefined)
        try {
          const target = left > 0 ? redirectTargetOf(message, url) : undefined
          if (target === undefined) return await take(responseOf(message, request, url))
          const next = parseOutboundUrl(target, options)
          if (next.origin !== url.origin) headers = withoutCredentials(headers)
          url = next
        } finally {
          message.destroy()
        }
      }
    },
  }
}

/** Reads a whole answer as text; its size is bounded by the request. */
export async function readResponseText(response: OutboundResponse): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function resolveAllowedAddress(
  url: URL,
  resolve: ResolveHost,
  judge: AddressFilter,
): Promise<string> {
  const host = hostOf(url)
  const addresses =
    isIP(host) === 0 ? await resolve(host).catch(createUnresolvedThrower(host)) : [host]
  for (const address of addresses) {
    const why = isIP(address) === 0 ? 'no address' : judge.refusalOf(address)
    if (why !== undefined)
      throw error('OUTBOUND_REFUSED', `${host} is at ${address}, which is not called: ${why}`)
  }
  const [first] = addresses
  if (first === undefined) throw failedError(url, 'its name has no address')
  return first
}

function createUnresolvedThrower(host: string): (thrown: unknown) => never {
  return thrown => {
    throw error('OUTBOUND_FAILED', `the name ${host} cannot be resolved: ${messageOf(thrown)}`)
  }
}

/** The look-up of a name knows no signal; who waits for it does. */
async function withAbort<T>(signal: AbortSignal, url: URL, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const stop = (): void => late.reject(failedError(url, 'it takes too long'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, late.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

interface SendTarget {
  readonly url: URL
  readonly address: string
  readonly signal: AbortSignal
}

/** Host header and the certificate's name are those of the URL, the connection is the address's. */
function send(
  request: OutboundRequest,
  { url, address, signal }: SendTarget,
): Promise<IncomingMessage> {
  const lookupFixed: LookupFunction = (_host, { all }, found) => {
    const family = isIP(address)
    if (all === true) found(null, [{ address, family }])
    else found(null, address, family)
  }
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const headers = { 'user-agent': 'antichain', ...request.headers }
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  const options: RequestOptions = {
    method: request.method,
    headers: { ...headers, ...length },
    lookup: lookupFixed,
    agent: false,
    signal,
  }
  const start = url.protocol === 'http:' ? requestPlain : requestSecure
  return new Promise((resolve, reject) => {
    start(url, options)
      .on('response', resolve)
      .on('error', thrown => reject(failedError(url, reasonOf(thrown, signal))))
      .end(body)
  })
}

function responseOf(
  message: IncomingMessage,
  request: OutboundRequest,
  url: URL,
): OutboundResponse {
  const bytesMax = request.bytesMax ?? triggerLimits.outboundBytesMax
  const headers = Object.entries(message.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as const,
  )
  return {
    status: message.statusCode ?? 0,
    headers: new Map(headers),
    body: limitBody(message, bytesMax, url),
  }
}

async function* limitBody(
  message: IncomingMessage,
  bytesMax: number,
  url: URL,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of message as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > bytesMax) throw failedError(url, `its answer has more than ${bytesMax} bytes`)
      yield chunk
    }
  } catch (thrown) {
    throw thrown instanceof DeployError ? thrown : failedError(url, messageOf(thrown))
  }
}

/** Where an answer sends on; undefined when it does not. */
function redirectTargetOf({ statusCode, headers }: IncomingMessage, url: URL): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode ?? 0)
  if (!isRedirect || headers.location === undefined) return undefined
  return URL.canParse(headers.location, url.href) ? new URL(headers.location, url).href : ''
}

function withoutCredentials(headers: OutboundRequest['headers']): OutboundRequest['headers'] {
  const isPublic = ([name]: readonly [string, string]): boolean =>
    ['accept', 'user-agent'].includes(name.toLowerCase())
  return Object.fromEntries(Object.entries(headers).filter(isPublic))
}

function reasonOf(thrown: unknown, signal: AbortSignal): string {
  return signal.aborted ? 'it takes too long' : messageOf(thrown)
}

/** Only the host is named: paths and queries of addresses carry tokens. */
function failedError(url: URL, why: string): DeployError {
  return error('OUTBOUND_FAILED', `the call to ${url.host} failed: ${why}`)
}
