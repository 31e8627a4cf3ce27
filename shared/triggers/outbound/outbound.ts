import { lookup } from 'node:dns/promises'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { triggerLimits } from '../../config/trigger-limits.ts'
import { withAbort } from '../../config/with-abort.ts'
import { DeployError, createError, messageOf } from '../../errors/error.ts'
import type { OutboundPort, OutboundRequest, OutboundResponse } from '../../ports/outbound.ts'
import {
  type AddressFilter,
  type AddressRules,
  createAddressFilter,
  hostOf,
  parseOutboundUrl,
  requireAllowedAddress,
} from './address-filter.ts'

/** Returns all addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

const resolveBySystem: ResolveHost = async host =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** Options of outbound calls. */
export interface OutboundOptions extends AddressRules {
  /** Default: the system's resolver. */
  readonly resolve?: ResolveHost
}

/**
 * Creates the port for calls to public addresses by https, and to the networks and schemes that
 * `options` also allows. A name is resolved once for the request and once for each redirect. All of
 * its addresses must be allowed. The connection uses the first address, so a later change of the
 * name has no effect. The target of each redirect is checked like the requested URL, and another
 * origin gets no credentials. Proxy settings of the environment are ignored.
 */
export function createOutbound(options: OutboundOptions = {}): OutboundPort {
  const addressFilter = createAddressFilter(options)
  const resolve = options.resolve ?? resolveBySystem
  return {
    call: async (request, readResponse) => {
      const timeoutMs = request.timeoutMs ?? triggerLimits.outboundTimeoutMs
      const signal = AbortSignal.timeout(timeoutMs)
      let { url, headers } = {
        url: parseOutboundUrl(request.url, options),
        headers: request.headers,
      }
      // Only a GET follows redirects. A POST or PATCH has an effect, so only the configured
      // receiver gets it.
      const redirectsMax = request.method === 'GET' ? (request.redirectsMax ?? 0) : 0
      for (let redirectsLeft = redirectsMax; ; redirectsLeft -= 1) {
        const address = await withAbort(
          resolveAllowedAddress(url, resolve, addressFilter),
          signal,
          () => createFailedError(url, 'it timed out'),
        )
        const message = await send({ ...request, headers }, { url, address, signal })
        // The connection may break before the body is read. The reader of the body then gets the
        // error.
        message.on('error', () => undefined)
        try {
          const redirectTarget = redirectsLeft > 0 ? redirectTargetOf(message, url) : undefined
          if (redirectTarget === undefined)
            return await readResponse(responseOf(message, request, url))
          const nextUrl = parseOutboundUrl(redirectTarget, options)
          if (nextUrl.origin !== url.origin) headers = keepSafeHeaders(headers)
          url = nextUrl
        } finally {
          message.destroy()
        }
      }
    },
  }
}

/** Reads a whole response as text. `bytesMax` of the request limits the size of the response. */
export async function readResponseText(response: OutboundResponse): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function resolveAllowedAddress(
  url: URL,
  resolve: ResolveHost,
  addressFilter: AddressFilter,
): Promise<string> {
  const host = hostOf(url)
  if (isIP(host) !== 0) {
    requireAllowedAddress(host, addressFilter)
    return host
  }
  const addresses = await resolve(host).catch(thrown => throwResolveError(host, thrown))
  for (const address of addresses) {
    const reason = isIP(address) === 0 ? 'not an IP address' : addressFilter.refusalOf(address)
    if (reason !== undefined)
      throw createError(
        'OUTBOUND_REFUSED',
        `${host} resolves to ${address}, and calls to it are not allowed: ${reason}`,
      )
  }
  const [first] = addresses
  if (first === undefined) throw createFailedError(url, 'its name has no address')
  return first
}

function throwResolveError(host: string, thrown: unknown): never {
  throw createError('OUTBOUND_FAILED', `cannot resolve the name ${host}: ${messageOf(thrown)}`)
}

/** The URL of a call, the checked address to which the request is sent, and the time limit. */
interface SendTarget {
  readonly url: URL
  readonly address: string
  readonly signal: AbortSignal
}

/** Sends a request to the checked address. Host header and certificate name come from the URL. */
function send(
  request: OutboundRequest,
  { url, address, signal }: SendTarget,
): Promise<IncomingMessage> {
  const lookupCheckedAddress: LookupFunction = (_host, { all }, callback) => {
    const family = isIP(address)
    if (all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const headers = { 'user-agent': 'antichain', ...request.headers }
  const lengthHeader = body === undefined ? {} : { 'content-length': String(body.length) }
  const options: RequestOptions = {
    method: request.method,
    headers: { ...headers, ...lengthHeader },
    lookup: lookupCheckedAddress,
    agent: false,
    signal,
  }
  const startRequest = url.protocol === 'http:' ? requestPlain : requestSecure
  return new Promise((resolve, reject) => {
    startRequest(url, options)
      .on('response', resolve)
      .on('error', thrown => reject(createFailedError(url, reasonOf(thrown, signal))))
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
      if (size > bytesMax)
        throw createFailedError(url, `its response has more than ${bytesMax} bytes`)
      yield chunk
    }
  } catch (thrown) {
    throw thrown instanceof DeployError ? thrown : createFailedError(url, messageOf(thrown))
  }
}

/**
 * Returns the target of a redirect. Returns '' for an invalid target, and undefined for any other
 * response.
 */
function redirectTargetOf({ statusCode, headers }: IncomingMessage, url: URL): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode ?? 0)
  if (!isRedirect || headers.location === undefined) return undefined
  return URL.canParse(headers.location, url.href) ? new URL(headers.location, url).href : ''
}

/** Returns the headers that another origin may receive: only those without credentials. */
function keepSafeHeaders(headers: OutboundRequest['headers']): OutboundRequest['headers'] {
  const isSafeForOtherOrigin = ([name]: readonly [string, string]): boolean =>
    ['accept', 'user-agent'].includes(name.toLowerCase())
  return Object.fromEntries(Object.entries(headers).filter(isSafeForOtherOrigin))
}

function reasonOf(thrown: unknown, signal: AbortSignal): string {
  return signal.aborted ? 'it timed out' : messageOf(thrown)
}

/**
 * Creates the error of a failed call. The message contains only the host of the URL, because paths
 * and queries may contain tokens.
 */
function createFailedError(url: URL, reason: string): DeployError {
  return createError('OUTBOUND_FAILED', `the call to ${url.host} failed: ${reason}`)
}
